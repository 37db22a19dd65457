#!/usr/bin/env bash
# luth under a real Slurm: its controller and one daemon for each of two nodes, all on this machine, in a folder of their own. Needs root,
# as Slurm's daemon does. MPI's parts are left out where that MPI is missing.
set -euo pipefail
for program in munged slurmctld slurmd srun; do
  PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "skipped: $program is not here (Debian: slurmctld slurmd munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: Slurm's daemon needs root"; exit 77; }
[ "${LUTH_BUILD_TYPE:-}" != Asan ] || { echo "skipped: ranks end with codes of the sanitizer's"; exit 77; }
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
chmod 755 "$work"
stop() {
  for pid in "$work"/*.pid; do kill "$(cat "$pid")" 2>/dev/null || true; done
  sleep 1
  rm -rf "$work"
}
trap stop EXIT

host=$(hostname -s)
port=$((20000 + $$ % 10000))
mkdir "$work/state"
head -c 128 /dev/urandom >"$work/key"
chmod 600 "$work/key"
export SLURM_CONF=$work/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge
SlurmctldPort=$port
SlurmctldPidFile=$work/controller.pid
SlurmdPidFile=$work/%n.pid
SlurmctldLogFile=$work/controller.log
SlurmdLogFile=$work/%n.log
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
NodeName=$host NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=8 State=UNKNOWN
NodeName=zzz NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
munged --force --key-file="$work/key" --socket="$work/munge" --pid-file="$work/munge.pid" --log-file="$work/munge.log" --seed-file="$work/seed"
slurmctld
slurmd -N "$host"
slurmd -N zzz  # Slurm sorts names, and this one has no address
for _ in $(seq 100); do
  [ "$(sinfo -h -t idle -o %D)" = 2 ] && break
  sleep 0.2
done
[ "$(sinfo -h -t idle -o %D)" = 2 ] || { echo "skipped: Slurm does not start here:"; tail -n 5 "$work"/*.log; exit 77; }

cat >"$work/s.lua" <<'END'
local dist = torch.distributed
dist.init_process_group(arg[1], {timeout = 60})
local x = torch.ones(1)
dist.all_reduce(x)
print(arg[1], dist.get_rank(), x:item(), select(4, require('luth.dist').launched()))
END
# says WHAT EXPECTED COMMAND...: the command's sorted lines
says() {
  local what=$1 expected=$2 got
  got=$(timeout 100 "${@:3}" 2>&1 | grep -v '^srun: job' | sort) || true  # a queue
  [ "$got" = "$expected" ] || { printf '%s: expected\n%s\ngot\n%s\n' "$what" "$expected" "$got"; exit 1; }
  echo "passed: $what"
}
luth=("$LUTH_PROGRAM" "$work/s.lua")
says "srun on one node" $'gloo\t0\t2.0\t2\ngloo\t1\t2.0\t2' srun -w "$host" -n 2 "${luth[@]}" gloo
says "srun on two nodes, 2 and 1 tasks" $'gloo\t0\t3.0\t2\ngloo\t1\t3.0\t2\ngloo\t2\t3.0\t1' srun -N 2 -n 3 -m plane=2 "${luth[@]}" gloo
cat >"$work/launch.sh" <<END
exec "$LUTH_PROGRAM" launch --nproc 2 --nnodes 2 --node-rank \$SLURM_PROCID --master 127.0.0.1:$((port + 3)) "$work/s.lua" gloo
END
says "luth launch on each of two nodes" $'[0] gloo\t0\t4.0\t2\n[1] gloo\t1\t4.0\t2\n[2] gloo\t2\t4.0\t2\n[3] gloo\t3\t4.0\t2' \
  srun -N 2 -n 2 bash "$work/launch.sh"
if [ -e "$LUTH_BUILD/lib/libluth_mpi_openmpi.so" ] && command -v mpirun.openmpi >/dev/null; then
  if srun --mpi=list 2>&1 | grep -q pmix; then
    says "srun --mpi=pmix with Open MPI" $'mpi\t0\t2.0\t2\nmpi\t1\t2.0\t2' srun --mpi=pmix -w "$host" -n 2 "${luth[@]}" mpi
  fi
  got=$(srun -n 2 "${luth[@]}" mpi 2>&1) && { echo "srun without MPI passed: $got"; exit 1; }
  grep -q 'srun has started this process without MPI' <<<"$got" || { echo "srun without MPI says: $got"; exit 1; }
fi
if [ -e "$LUTH_BUILD/lib/libluth_mpi_mpich.so" ] && srun --mpi=list 2>&1 | grep -q pmi2; then
  says "srun --mpi=pmi2 with MPICH" $'mpi\t0\t2.0\t2\nmpi\t1\t2.0\t2' srun --mpi=pmi2 -w "$host" -n 2 "${luth[@]}" mpi
fi
cat >"$work/batch.sh" <<END
#!/bin/bash
"$LUTH_PROGRAM" -e "torch.distributed.init_process_group()" 2>&1 | head -n 1
srun -n 2 "$LUTH_PROGRAM" "$work/s.lua" gloo
END
sbatch -W -Q -w "$host" -n 2 -o "$work/batch.out" "$work/batch.sh"
grep -q 'rank of this process' "$work/batch.out" && [ "$(grep -c '^gloo' "$work/batch.out")" = 2 ] || { cat "$work/batch.out"; exit 1; }
echo "passed: a batch script"
