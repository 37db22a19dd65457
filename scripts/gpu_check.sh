#!/usr/bin/env bash
# Checks luth on a machine with a GPU, in less than nine minutes: runs the device tests on the real GPU and at the same time some
# of them under compute-sanitizer; then a training run and NCCL's collectives; then luth's benchmark and a peer's in turn, group by
# group. Needs the CUDA libraries and no package. luth comes from the bundle that `bash scripts/bundle.sh --gpu-tests` made
# (luth-*.tar.gz here, or $LUTH_BUNDLE).
#   bash scripts/gpu_check.sh [--seconds N] [--suites REGEX] [--benchmarks 'GROUP…,GROUP…'] [--rounds N] [--each N] DIR [PEER.py]
# --seconds: the limit for everything (525). --suites: runs only tests whose name matches. --benchmarks: groups of `luth bench`,
# in steps of at most --each seconds (60).
# Writes DIR/report.md and the logs behind it. PEER.py is run as `python3 PEER.py --device cuda --filter REGEX --seconds S` and
# prints the benchmark's JSON lines. Exits with 1 if something failed or was not finished; says "skipped" for steps that this
# machine cannot run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
seconds=525 suites=. benchmarks='gpu matmul conv,elementwise reduce norm random pool index optim,train,overhead' rounds=2 each=60
while [[ ${1:-} = --* ]]; do
  case $1 in
    --seconds) seconds=${2:?} ;;
    --suites) suites=${2:?} ;;
    --benchmarks) benchmarks=${2?} ;;
    --rounds) rounds=${2:?} ;;
    --each) each=${2:?} ;;
    *) echo "gpu_check: unknown option $1 (known: --seconds, --suites, --benchmarks, --rounds, --each)" >&2; exit 2 ;;
  esac
  shift 2
done
[ $# -ge 1 ] || { echo "gpu_check: where to? bash scripts/gpu_check.sh DIR [PEER.py]" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd) peer=${2:+$(realpath "$2")}
[ -z "${LUTH_BUNDLE:-}" ] || LUTH_BUNDLE=$(realpath "$LUTH_BUNDLE")
report=$dir/report.md
cd "$here/.."

bundle=${LUTH_BUNDLE:-$(ls -t luth-*.tar.gz build/luth-*.tar.gz 2>/dev/null | head -n 1 || true)}
[ -n "$bundle" ] || { echo "gpu_check: no luth-*.tar.gz here; make it with: bash scripts/bundle.sh --gpu-tests" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xzf "$bundle"
root=$(echo "$work"/luth-*)
luth=$root/bin/luth tests=$root/bin/luth_test_gpu

# cuBLAS and cuDNN may lie where the loader does not look: beside PyTorch, whose own are the fairest to compare with, or in
# the toolkit.
libraries=$(python3 -c 'import site, glob
for s in site.getsitepackages(): print(*sorted(glob.glob(s + "/nvidia/*/lib")), sep="\n")' 2>/dev/null || true)
libraries=$(printf '%s\n' $libraries /usr/local/cuda/lib64 | paste -sd:)
export PATH=$PATH:/usr/local/cuda/bin  # compute-sanitizer
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries

failed=0
say() { echo "$*" | tee -a "$report"; }
quote() { sed 's/^/      /' | tee -a "$report"; }
# The smaller of SECONDS and the time that is left.
left() { echo $(($1 < seconds - SECONDS ? $1 : seconds - SECONDS)); }

# start NAME SECONDS COMMAND...: in the background; its output goes to DIR/NAME.log.
declare -A running
start() {
  local name=$1 most
  most=$(left "$2")
  shift 2
  rm -f "$work/$name.end"
  [ "$most" -ge 3 ] || return 0
  {
    local rc=0 began=$SECONDS
    timeout "$most" "$@" >"$dir/$name.log" 2>&1 || rc=$?
    echo "$rc $((SECONDS - began))" >"$work/$name.end"
  } &
  running[$name]=$!
}
# finish NAME: waits, and puts the result into the report.
finish() {
  local name=$1 rc= took=
  [ -z "${running[$name]:-}" ] || wait "${running[$name]}"
  read -r rc took 2>/dev/null <"$work/$name.end" || true
  case $rc in
    '') failed=1; say "- $name: UNFINISHED (no time was left to begin it)" ;;
    0) say "- $name: passed ($took s)" ;;
    124) failed=1; say "- $name: UNFINISHED (cut off after $took s)" ;;
    *)
      failed=1
      say "- $name: FAILED with $rc ($took s); the end of its output:"
      tail -n 15 "$dir/$name.log" | quote
      ;;
  esac
}
step() { start "$@"; finish "$1"; }

rm -rf "$dir/tests" "$dir"/*.log
mkdir "$dir/tests"
: >"$report"
say "# luth on a GPU"
say ""
say "$(date -u +%Y-%m-%d), commit $(cat "$root/share/luth/commit" 2>/dev/null || echo unknown), $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 || echo 'no nvidia-smi')"
say ""
"$luth" doctor >"$dir/doctor.log" 2>&1 || true
sed -n '/^devices/,$p' "$dir/doctor.log" | quote
say ""
if ! "$luth" -e 'os.exit(torch.cuda.is_available() and 0 or 1)' >/dev/null 2>&1; then
  "$luth" -e "torch.zeros(1, {device = 'cuda'})" 2>&1 | head -n 1 | tee -a "$report" || true
  say "skipped: there is no GPU here that luth can use"
  exit 0
fi

# ---- tests: four shards at once, in each of them a process for a suite, since a fault loses the device for the rest of a process

test_seconds=150
shard() {
  local i=$1 suite most rc
  while read -r suite; do
    most=$(left $((test_seconds - SECONDS)))
    rc=0
    if [ "$most" -lt 3 ]; then rc=124; else
      GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=$i timeout "$most" "$tests" --gtest_filter="$suite.*" \
        >"$dir/tests/${suite//\//-}.$i.log" 2>&1 || rc=$?
    fi
    echo "$rc $suite" >>"$work/shard.$i"
  done <"$work/suites"
}
count() { cat "$dir"/tests/*.log 2>/dev/null | grep -c "^\[ *$1 *\] .* ms)$" || true; }
report_tests() {
  local rc suite i log unfinished=()
  for i in 0 1 2 3; do
    while read -r rc suite; do
      log=$dir/tests/${suite//\//-}.$i.log
      if [ "$rc" = 124 ]; then unfinished+=("$suite/$i"); fi
      if [ "$rc" -le 1 ] || [ "$rc" = 124 ]; then continue; fi
      failed=1
      say "- tests: $suite, shard $i, ended with $rc in $(sed -n 's/^\[ RUN *\] //p' "$log" | tail -n 1); the end of its output:"
      tail -n 10 "$log" | quote
    done <"$work/shard.$i"
  done
  [ "$(count FAILED)" = 0 ] || failed=1
  say "- tests: $(count OK) passed, $(count SKIPPED) skipped, $(count FAILED) FAILED, in $(wc -l <"$work/suites") suites and four shards ($SECONDS s)"
  for log in $(grep -ls '^\[  FAILED' "$dir"/tests/*.log || true); do
    sed -n 's/^\[  FAILED  \] \(.* ms)\)$/\1/p' "$log" | head -n 10 | quote
    grep -m 1 -B 1 -A 6 'Failure$' "$log" | quote || true
    if grep -q 'the device is lost' "$log"; then echo '(the device was lost to the rest of this process)' | quote; fi
  done
  if [ ${#unfinished[@]} -gt 0 ]; then
    failed=1
    say "- tests: UNFINISHED: ${unfinished[*]}"
  fi
}
"$tests" --gtest_list_tests | sed -n 's/^\([^ ]*\)\..*/\1/p' | grep -E "$suites" >"$work/suites" || true
shards=()
for i in 0 1 2 3; do
  : >"$work/shard.$i"
  shard $i &
  shards+=($!)
done
# Without the cache: small blocks share a segment of it, and a sanitizer cannot see where a block in it ends. luth's queries
# whether a stream is done are no errors.
layouts() { printf '*Parity.Layouts/%s:' "$@"; }
if command -v compute-sanitizer >/dev/null; then
  sanitizer=(env LUTH_CUDA_NO_CACHE=1 compute-sanitizer --error-exitcode 9)
  some=$(layouts sum softmax batch_norm_train cumsum sort topk layer_norm_parts cross_entropy_labels index_add gather cat)
  start memcheck 150 "${sanitizer[@]}" --report-api-errors no "$tests" --gtest_brief=1 --gtest_filter="$some:CudaConvolution.ByOurOwnKernels"
  start racecheck 150 "${sanitizer[@]}" --tool racecheck "$tests" --gtest_brief=1 \
    --gtest_filter="$some:CudaConvolution.ByOurOwnKernels"
fi
wait "${shards[@]}"
report_tests
for tool in memcheck racecheck; do
  if command -v compute-sanitizer >/dev/null; then finish $tool; else say "- $tool: skipped (no compute-sanitizer)"; fi
done

# ---- training

if [ -d share/data/mnist ]; then
  step train 60 "$luth" train scripts/mnist.lua --root share/data/mnist --device cuda --epochs 1 --dir "$work/run"
  grep -sE 'accuracy' "$dir/train.log" | tail -n 1 | quote || true
else
  say "- train: skipped (no share/data/mnist)"
fi

# ---- NCCL: a rank for each GPU, four at most

ranks=$("$luth" -e 'print(torch.distributed.is_nccl_available() and math.min(4, torch.cuda.device_count()) or 0)' 2>/dev/null || echo 0)
if [ "$ranks" -gt 0 ]; then
  step nccl 90 "$luth" launch --nproc "$ranks" "$here/../tests/dist/collectives.lua" nccl
else
  say "- nccl: skipped (no libnccl.so.2)"
fi

# ---- benchmarks: two rounds in turn, since clocks change

"$luth" bench --device cuda --list | grep -E "^(${benchmarks//[ ,]/|})/" >"$dir/workloads.txt" || true
# ours GROUP...: `luth bench` of each, to the end whatever fails.
ours() {
  local rc=0 group
  for group; do "$luth" bench --device cuda --json --seconds 0.1 --filter "^$group/" || rc=$?; done
  return $rc
}
export -f ours
export luth
IFS=, read -ra sets <<<"$benchmarks"
for ((round = 1; round <= rounds; ++round)); do
  for set in "${sets[@]}"; do
    label=$round-${set// /-}
    step "bench-$label" "$each" bash -c 'ours "$@"' ours $set
    [ -n "$peer" ] || continue
    # the very workloads that luth has
    names=$(grep -E "^(${set// /|})/" "$dir/workloads.txt" | sed 's/[.]/\\./g' | paste -sd'|')
    step "peer-$label" "$each" python3 "$peer" --device cuda --variants eager --filter "^($names)\$" --seconds 0.1
  done
done
"$luth" "$here/gpu_report.lua" "$dir/workloads.txt" "$dir"/bench-*.log -- "$dir"/peer-*.log | tee -a "$report"
say ""
say "$SECONDS s in all"
exit $failed
