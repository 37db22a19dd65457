#!/usr/bin/env bash
# Starts luth by the launcher of an MPI, which may be missing here, as it may where luth was built:
#   bash mpirun.sh openmpi|mpich RANKS SCRIPT ARGUMENTS...
set -euo pipefail
mpi=$1 ranks=$2
shift 2
launcher=$([ "$mpi" = openmpi ] && echo mpirun.openmpi || echo mpiexec.mpich)
command -v "$launcher" >/dev/null || { echo "skipped: $launcher is not here"; exit 77; }
[ -e "$LUTH_BUILD/lib/libluth_mpi_$mpi.so" ] || { echo "skipped: luth was built without $mpi"; exit 77; }
[ "${LUTH_BUILD_TYPE:-}" != Asan ] || { echo "skipped: MPI leaves memory that the sanitizer takes for leaks"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
options=()
[ "$mpi" = mpich ] || options=(--oversubscribe)
exec timeout 250 "$launcher" "${options[@]}" -n "$ranks" "$LUTH_PROGRAM" "$@"
