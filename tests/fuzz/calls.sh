#!/usr/bin/env bash
# Random programs of calls in processes of their own: calls.sh [--minutes M] [--seed N] [--programs K] [--keep FOLDER]
# [--processor-seconds S] [--memory MB]. README.md says what they must not do. LUTH_PROGRAM is the program, else luth.
set -u
if [ "${1:-}" = --help ]; then sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}"; exit; fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
luth=${LUTH_PROGRAM:-luth}
minutes=1 seed=1 programs=20000 keep=. processor_seconds=20 memory=2000
while [ $# -ge 2 ]; do
  case $1 in
    --minutes) minutes=$2 ;;
    --seed) seed=$2 ;;
    --programs) programs=$2 ;;
    --keep) keep=$2 ;;
    --processor-seconds) processor_seconds=$2 ;;
    --memory) memory=$2 ;;
    *) echo "calls.sh: no option $1"; exit 2 ;;
  esac
  shift 2
done
mkdir -p "$keep"
progress=$keep/calls.progress output=$keep/calls.output errors=$keep/calls.errors all=$keep/calls.log
: >"$all"
ticks=$(getconf CLK_TCK)
end=$(($(date +%s) + $(awk "BEGIN { print int($minutes * 60) }")))
faults=0

# The processor time of process $1 in seconds.
used() {
  local line
  read -r line 2>/dev/null <"/proc/$1/stat" || { echo 0; return; }
  line=${line##*) }
  # shellcheck disable=SC2086
  set -- $line
  echo $(((${12} + ${13}) / ticks))
}

broken() {
  faults=$((faults + 1))
  echo "fault: $1" | tee -a "$all"
}

# Ends process $1 where one program takes too much processor time, or waits for two minutes and does nothing.
watch() {
  local at="" since=0 quiet=0 before=0 now seed_now rest
  while kill -0 "$1" 2>/dev/null; do
    sleep 0.5
    now=$(used "$1")
    read -r seed_now rest 2>/dev/null <"$progress" || seed_now=""
    if [ "$seed_now" != "$at" ]; then at=$seed_now since=$now quiet=$SECONDS; fi
    if [ "$now" != "$before" ]; then before=$now quiet=$SECONDS; fi
    if [ $((now - since)) -gt "$processor_seconds" ]; then
      broken "seed $at takes more than $processor_seconds seconds of processor time"
      kill -KILL "$1"
    elif [ -n "$at" ] && [ $((SECONDS - quiet)) -gt 120 ]; then
      broken "seed $at waits for ever"
      kill -KILL "$1"
    fi
  done
}

most_faults=100
while [ "$(date +%s)" -lt "$end" ] && [ $faults -lt $most_faults ]; do
  : >"$progress"
  (
    ulimit -c 0
    # a sanitizer reserves more addresses than any bound; it bounds itself
    nm -D "$luth" 2>/dev/null | grep -q __asan_init || ulimit -v $((memory * 1024))
    # a leaf whose gradient has a graph keeps itself, as in PyTorch; what grows is watched by the program itself
    ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=$memory:hard_rss_limit_mb=$((memory * 2))} \
      exec "$luth" "$here/calls/main.lua" --seed "$seed" --programs "$programs" --seconds $((end - $(date +%s))) --progress "$progress"
  ) >"$output" 2>"$errors" &
  child=$!
  watch $child
  { wait $child; } 2>/dev/null
  code=$?
  read -r at calls fits <"$progress" || at=$seed calls=0 fits=0
  [ -n "$at" ] || at=$seed calls=0 fits=0
  found=$(grep -c '^fault: ' "$output")
  faults=$((faults + found))
  grep '^fault: ' "$output"
  if [ $code -gt 1 ] || { [ $code -eq 1 ] && [ "$found" -eq 0 ]; }; then
    [ $code -eq 137 ] || broken "seed $at ended the process with $code; it began with seed $seed"
    grep -av "^luth: warning" "$errors" | head -c 4000 | head -n 40
    cp "$errors" "$keep/calls.errors.$at"
    echo "area ended 0 $((10#$calls)) $((10#$fits)) 0" >>"$all"
  fi
  cat "$output" >>"$all"
  grep '^memory' "$output" | tail -n 1
  seed=$((10#$at + 1))
done
awk '
  $1 == "area" { programs[$2] += $3; calls[$2] += $4; fits[$2] += $5; cut[$2] += $6 }
  END {
    for (a in calls) {
      printf "%s: %d programs, %d calls, %d %% succeeded, %d programs cut short\n", a, programs[a], calls[a], calls[a] ? 100 * fits[a] / calls[a] : 0, cut[a] | "sort"
      p += programs[a]; c += calls[a]; f += fits[a]
    }
    close("sort")
    printf "%d programs, %d calls, %.1f %% succeeded\n", p, c, c ? 100 * f / c : 0
  }' "$all"
echo "the next seed is $seed; $([ $faults -eq 0 ] && echo no rule was broken || echo "$faults faults, in $all")"
[ $faults -eq 0 ]
