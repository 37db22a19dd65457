#!/usr/bin/env bash
# Processor time of `luth -e ''` beside that of `lua5.4 -e ''`: the median of 40 alternating samples of 5 runs each.
#   bash tests/bench/start.sh [LUTH]      build/release/bin/luth unless told; wants lua5.4
set -euo pipefail
luth=${1:-$(dirname "$0")/../../build/release/bin/luth}
command -v lua5.4 >/dev/null || { echo "lua5.4 is not installed"; exit 1; }
TIMEFORMAT='%U %S'

# sample NAME COMMAND...: a line "NAME milliseconds" of one run.
sample() {
  local name=$1 seconds
  shift
  seconds=$({ time for _ in 1 2 3 4 5; do "$@" -e '' >/dev/null; done; } 2>&1)
  awk -v name="$name" '{ print name, ($1 + $2) * 200 }' <<<"$seconds"
}

for _ in $(seq 40); do
  sample lua5.4 lua5.4
  sample luth "$luth"
done | sort -k1,1 -k2,2n | awk '
  { times[$1, ++count[$1]] = $2 }
  END {
    for (name in count) median[name] = (times[name, 20] + times[name, 21]) / 2
    printf "luth %.2f ms, lua5.4 %.2f ms of processor time: %.1f times\n", median["luth"], median["lua5.4"], median["luth"] / median["lua5.4"]
  }'
