#!/usr/bin/env bash
# Sets up, builds all of luth (whatever build/release was configured for) and runs every test; ctest's totals are the last lines.
#   bash scripts/test.sh [ctest arguments]      for instance -R registry
# LUTH_WERROR=ON turns warnings into errors.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/setup.sh"
. "$here/lib.sh"
export LUTH_CUDA_ARCHITECTURES=${LUTH_CUDA_ARCHITECTURES:-$(cuda_architecture)}  # one: all of them take long

build release all -DLUTH_TESTS=ON "${everything[@]}"
ctest --preset release --parallel "$(tests_at_once)" --output-on-failure "$@"
