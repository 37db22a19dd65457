#!/usr/bin/env bash
# What a machine with a GPU is asked, in less than nine minutes: the device tests on the real GPU, compute-sanitizer on some of
# them, luth's benchmark beside PyTorch's, and a training run. Needs the CUDA libraries and no package; luth comes from the
# bundle that `bash scripts/bundle.sh --gpu-tests` made (luth-*.tar.gz here, or $LUTH_BUNDLE).
#   bash scripts/gpu_check.sh DIR [PEER.py]
# Writes DIR/report.md and the logs behind it. PEER.py is run as `python3 PEER.py --device cuda --filter REGEX --seconds S` and
# prints the benchmark's JSON lines. Ends with 1 where something failed; says "skipped" for what this machine cannot do.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
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
luth=$root/bin/luth

# cuBLAS and cuDNN may lie where the loader does not look: in the toolkit, or beside PyTorch
libraries=$(ls -d /usr/local/cuda/lib64 $(python3 -c 'import site, glob
for s in site.getsitepackages(): print(*glob.glob(s + "/nvidia/*/lib"))' 2>/dev/null) 2>/dev/null | paste -sd: || true)
export PATH=$PATH:/usr/local/cuda/bin  # compute-sanitizer
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries

failed=0
say() { echo "$*" | tee -a "$report"; }
# step NAME SECONDS COMMAND...: the command's output goes to DIR/NAME.log, its result into the report. All steps together end
# before nine minutes have passed.
step() {
  local name=$1 most=$2 started=$SECONDS rc=0
  shift 2
  most=$((most < 525 - SECONDS ? most : 525 - SECONDS))
  if [ "$most" -lt 10 ]; then
    say "- $name: skipped (no time left)"
    return
  fi
  timeout "$most" "$@" >"$dir/$name.log" 2>&1 || rc=$?
  if [ $rc = 0 ]; then say "- $name: passed ($((SECONDS - started)) s)"; else
    failed=1
    say "- $name: FAILED with $rc ($((SECONDS - started)) s); the end of its output:"
    tail -n 15 "$dir/$name.log" | sed 's/^/      /' | tee -a "$report"
  fi
}

: >"$report"
say "# luth on a GPU"
say ""
say "$(date -u +%Y-%m-%d), commit $(cat "$root/share/luth/commit" 2>/dev/null || echo unknown), $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 || echo 'no nvidia-smi')"
say ""
"$luth" doctor >"$dir/doctor.log" 2>&1 || true
if ! "$luth" -e 'os.exit(torch.cuda.is_available() and 0 or 1)' >/dev/null 2>&1; then
  "$luth" -e "torch.zeros(1, {device = 'cuda'})" 2>&1 | head -n 1 | tee -a "$report" || true
  say "skipped: there is no GPU here that luth can use"
  exit 0
fi

step tests 150 "$root/bin/luth_test_gpu" --gtest_brief=1
if command -v compute-sanitizer >/dev/null; then
  step memcheck 90 compute-sanitizer --error-exitcode 9 "$root/bin/luth_test_gpu" --gtest_brief=1 \
    --gtest_filter='*Parity.Layouts/sum:*Parity.Layouts/softmax:*Parity.Layouts/gather:*Parity.Layouts/layer_norm:*Parity.Layouts/cat'
  step racecheck 60 compute-sanitizer --tool racecheck --error-exitcode 9 "$root/bin/luth_test_gpu" --gtest_brief=1 \
    --gtest_filter='*Parity.Layouts/sum:*Parity.Layouts/softmax'
else
  say "- memcheck: skipped (no compute-sanitizer)"
fi
step train 90 "$luth" train scripts/mnist.lua --device cuda --epochs 1 --dir "$work/run"
grep -E 'accuracy' "$dir/train.log" | tail -n 1 | sed 's/^/      /' | tee -a "$report" || true

# two rounds in turn, since clocks change
workloads='^(overhead|elementwise|reduce|norm|random|matmul|conv|pool|index|optim|train/(mlp|lenet|resnet))'
for round in 1 2; do
  step "bench-$round" 80 "$luth" bench --device cuda --json --seconds 0.1
  [ -z "$peer" ] || step "peer-$round" 80 python3 "$peer" --device cuda --variants eager --filter "$workloads" --seconds 0.1
done
"$luth" "$here/gpu_report.lua" "$dir" | tee -a "$report"
exit $failed
