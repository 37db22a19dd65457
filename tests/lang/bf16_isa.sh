#!/usr/bin/env bash
# bfloat16 as it is computed on processors without tile instructions, and on those without any for bfloat16.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
for isa in AVX512_CORE_BF16 AVX2; do
  ONEDNN_MAX_CPU_ISA=$isa "$LUTH_PROGRAM" "$here/bf16_products.lua"
done
