#!/usr/bin/env bash
# From a fresh clone to a trained network: installs what is missing, builds luth, trains LeNet on the MNIST that ships
# with the project, and evaluates the checkpoint that was saved.
#   bash scripts/demo.sh [train options]        for instance --epochs 1
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/setup.sh"
. "$here/lib.sh"
export LUTH_CUDA_ARCHITECTURES=${LUTH_CUDA_ARCHITECTURES:-$(cuda_architecture)}  # one: all of them take long

# the program alone: the tests would double the time
tests=()
[ -e build/release/CMakeCache.txt ] || tests=(-DLUTH_TESTS=OFF)
build release luth "${tests[@]}"

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
