#!/usr/bin/env bash
# Installs the packages that luth needs for building and testing. Packages that are there already are left alone.
#   bash scripts/setup.sh            install what is missing (Debian and its relatives, by apt-get)
#   bash scripts/setup.sh --dry-run  only print what would be done
#   bash scripts/setup.sh --ci       also the tools that .ci/run needs
# Verified on Debian 12. On Ubuntu 24.04 the demo was seen to work. Ubuntu 22.04 has the same packages, unverified.
set -euo pipefail

build=(ca-certificates cmake g++ ninja-build)
libraries=(liblua5.4-dev libcli11-dev libhdf5-dev libaec-dev libtbb-dev libxxhash-dev libopenblas-openmp-dev libdnnl-dev
  libfmt-dev libgloo-dev libncurses-dev libpcre2-dev libpng-dev libsodium-dev libsqlite3-dev libturbojpeg0-dev libutf8proc-dev libwebp-dev
  libzmq3-dev nlohmann-json3-dev zlib1g-dev)
tests=(libgtest-dev)
ci=(chromium clang-format libopenmpi-dev libmpich-dev python3-venv slurmctld slurmd munge valgrind)  # 43 MB to download for both MPIs

dry= wanted=("${build[@]}" "${libraries[@]}" "${tests[@]}")
for argument in "$@"; do
  case $argument in
    --dry-run) dry=1 ;;
    --ci) wanted+=("${ci[@]}") ;;
    -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *) echo "setup: unknown option $argument (known: --dry-run, --ci)" >&2; exit 2 ;;
  esac
done

other_system() {
  cat >&2 <<END
setup: this is not a Debian system (no dpkg-query and apt-get), so nothing was installed. luth needs, under whatever name your system has them:
  to build     g++ 11 or clang 14 or later, CMake 3.22 or later, Ninja; ccache if you like
  libraries    Lua 5.4 compiled as C++ (static archive liblua5.4-c++.a), HDF5's C library (static archive libhdf5_serial.a) with
               libaec and libsz (static), oneTBB, oneDNN 2.x or 3.x, OpenBLAS with OpenMP threading, libtinfo, fmt, CLI11,
               nlohmann's JSON, xxHash, zlib, PCRE2, utf8proc, SQLite, libpng, libturbojpeg, libwebp, Gloo (for torch.distributed),
               ZeroMQ and libsodium (for notebooks); if you like, Open MPI and MPICH (its backend mpi)
  to test      GoogleTest
In Debian's names: ${wanted[*]}
END
  exit 1
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || other_system
missing=()
for package in "${wanted[@]}"; do
  installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: everything is here (${#wanted[@]} packages)"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  [ -n "$dry" ] || command -v sudo >/dev/null || { echo "setup: to install packages, run this as root or install sudo: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
run() {
  echo "setup: $*"
  [ -n "$dry" ] || "$@"
}
[ -z "$dry" ] || echo "setup: would install ${#missing[@]} packages by running"
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends)
# a source that cannot be reached is no reason to stop as long as the packages come from another
run "${as_root[@]}" apt-get update -q || echo "setup: apt-get update had errors; going on with the lists that are here" >&2
run "${install[@]}" "${missing[@]}"
