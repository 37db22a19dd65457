#!/usr/bin/env bash
# From a fresh clone to a trained network: installs what is missing, builds luth, trains LeNet on the MNIST that ships
# with the project, and evaluates the checkpoint that was saved.
#   bash scripts/demo.sh [train options]        for instance --epochs 1
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/setup.sh"
. "$here/lib.sh"
export LUTH_CUDA_ARCHITECTURES=${LUTH_CUDA_ARCHITECTURES:-$(cuda_architecture)}

# A new build has what this machine can run, and no tests: all of it would take three times as long.
options=()
if [ ! -e build/release/CMakeCache.txt ]; then
  options=(-DLUTH_TESTS=OFF -DLUTH_CPU_ISAS=native-best)
  nvidia-smi >/dev/null 2>&1 || options+=(-DLUTH_CUDA=OFF)
fi
build release luth_generated "${options[@]}"  # the program, its devices, manual page and reference

luth=build/release/bin/luth
n=1
while [ -e "runs/demo-$n" ]; do n=$((n + 1)); done
run=runs/demo-$n
echo
echo "demo: $luth train scripts/mnist.lua --dir $run $*"
"$luth" train scripts/mnist.lua --dir "$run" "$@"
echo
echo "demo: $luth eval $run/ckpt/last.h5"
result=$("$luth" eval "$run/ckpt/last.h5")
echo "$result"
echo
echo "demo: test accuracy $(echo "$result" | sed -n 's/^accuracy //p')"
echo "demo: go on with   $luth                      a prompt"
echo "                   $luth help torch.softmax   what a function does"
