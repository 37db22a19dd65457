#!/usr/bin/env bash
# Compares luth's speed with PyTorch's, side by side: `luth bench` and tests/bench/peer_torch.py take turns on a few workloads at a
# time, and the fastest sample of all rounds counts. Prints a table, worst ratio first, with the targets of compare_targets.txt. A target
# that is missed counts as "at the limit" where the time is within 90 % of what memory allows, or 95 % of a library called directly.
#   bash scripts/compare.sh [--filter REGEX] [--threads N] [--rounds R] [--seconds S] [--md[=FILE]]
# --filter: only workloads in whose names it is found (a regular expression). --threads: of both (1). --rounds: 2. --seconds: of a
# workload in a round (0.5). --md: also writes FILE (share/doc/performance.md). $PEER_LUTH is the program (build/release/bin/luth),
# $PEER_PYTHON a Python with torch; else build/peer/bin/python, the active environment's, or python3.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

filter='' threads=1 rounds=2 seconds=0.5 md=
while [ $# -gt 0 ]; do
  case $1 in
    --filter) filter=${2?} ;;
    --threads) threads=${2?} ;;
    --rounds) rounds=${2?} ;;
    --seconds) seconds=${2?} ;;
    --md) md=share/doc/performance.md; shift; continue ;;
    --md=*) md=${1#--md=}; shift; continue ;;
    -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' scripts/compare.sh; exit 0 ;;
    *) echo "compare: unknown option $1 (known: --filter, --threads, --rounds, --seconds, --md)" >&2; exit 2 ;;
  esac
  shift 2
done
luth=${PEER_LUTH:-build/release/bin/luth}
[ -x "$luth" ] || { echo "compare: there is no $luth; build it (cmake --build build/release) or name another in PEER_LUTH" >&2; exit 2; }
export PYTHONDONTWRITEBYTECODE=1  # no __pycache__ beside the sources

find_python() {
  local candidate
  for candidate in "${PEER_PYTHON:-}" build/peer/bin/python "${VIRTUAL_ENV:-/nowhere}/bin/python" python3; do
    if [ -n "$candidate" ] && "$candidate" -c 'import torch' >/dev/null 2>&1; then echo "$candidate"; return; fi
  done
  cat >&2 <<'END'
compare: found no Python with torch. To make one: python3 -m venv build/peer && build/peer/bin/pip install torch numpy h5py safetensors torchvision
END
  exit 2
}
python=$(find_python)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
peer() { "$python" tests/bench/peer_torch.py "$@"; }

# the JPEG files that both read; of a binary that has no decoder there are none, and both say so
if [ -z "${LUTH_BENCH_JPEG:-}" ] && "$luth" -e "require('luth.bench.jpegs')('$work/jpegs')" 2>/dev/null; then
  export LUTH_BENCH_JPEG=$work/jpegs
fi

# the names that both have, in luth's order
"$luth" bench --list --filter "$filter" >"$work/ours"
peer --list | cut -d' ' -f1 | sort -u >"$work/theirs"
mapfile -t names < <(grep -Fxf "$work/theirs" "$work/ours")
[ ${#names[@]} -gt 0 ] || { echo "compare: no workload that both sides have matches '$filter'" >&2; exit 2; }

# run SIDE ROUND REGEX: lines of JSON; a workload that fails is in them.
run() {
  if [ "$1" = luth ]; then
    "$luth" bench --json --threads "$threads" --seconds "$seconds" --filter "$3" >>"$work/luth-$2.log" || true
  else
    peer --threads "$threads" --seconds "$seconds" --filter "$3" >>"$work/torch-$2.log" || true
  fi
}
# what the machine can do, where there are a compiler and the libraries
limits=
if "${CXX:-c++}" -O3 -march=native -std=c++20 -fopenmp tests/bench/limits/*.cpp -o "$work/limits" -ldnnl -lopenblas 2>"$work/errors"; then
  limits=$work/limits
else
  echo "compare: no limits in the table, since tests/bench/limits does not compile here: $(head -n 1 "$work/errors")" >&2
fi
chunk=6
for ((round = 1; round <= rounds; ++round)); do
  for ((i = 0; i < ${#names[@]}; i += chunk)); do
    regex="^($(IFS='|'; sed 's/[.]/\\./g' <<<"${names[*]:i:chunk}"))\$"
    echo "round $round of $rounds: ${names[i]} … ($((i + 1)) of ${#names[@]})" >&2
    # who begins alternates
    if ((round % 2)); then run luth $round "$regex"; run torch $round "$regex"; else run torch $round "$regex"; run luth $round "$regex"; fi
  done
  [ -z "$limits" ] || OMP_NUM_THREADS=$threads "$limits" "$(IFS='|'; echo "${names[*]}")" >"$work/limits-$round.log" || true
done

"$luth" scripts/compare.lua scripts/compare_targets.txt "$work"/luth-*.log -- "$work"/torch-*.log -- "$work"/limits-*.log | tee "$work/table"

[ -n "$md" ] || exit 0
{
  echo "# Speed beside PyTorch"
  echo
  echo "Made by \`bash scripts/compare.sh --md --threads $threads --rounds $rounds --seconds $seconds${filter:+ --filter '$filter'}\`: both sides in turn in one run,"
  echo "the fastest sample of all rounds. \`share/luth/bench\` and \`tests/bench/torch_side\` say what each workload computes."
  echo
  echo "| | |"
  echo "| --- | --- |"
  echo "| date | $(date -u +%Y-%m-%d) |"
  echo "| machine | $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(cores) cores |"
  echo "| instruction set of luth's kernels | $("$luth" -e "print(require('luth.native').cpu_isa())") |"
  echo "| threads | $threads |"
  echo "| luth | $("$luth" --version), commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown) |"
  echo "| PyTorch | $("$python" -c 'import torch, sys; print(torch.__version__, "on Python", sys.version.split()[0])') |"
  echo
  cat "$work/table"
} >"$md"
echo "compare: wrote $md" >&2
