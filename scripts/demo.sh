#!/usr/bin/env bash
# From a fresh clone to a trained network: installs what is missing, builds luth, trains LeNet on the MNIST that ships
# with the project, and evaluates the checkpoint that was saved.
#   bash scripts/demo.sh [OPTION...]    options of luth train scripts/mnist.lua, for instance --epochs 1
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# A mistake in the options is found before the build. tests/cli/demo.sh compares the lists with the program's.
with_number=(--accumulate --batch --clip --dist-timeout --early-stop --ema --epochs --keep --limit-train --limit-val --log-every --lr
  --overfit --save-every --seed --steps --threads --val-every --workers)
with_text=(--amp --config --device --freeze --init-from --on-error --on-nan --root)
alone=(--fsdp --json --log-device-placement --profile --quiet --sync-bn)
refuse() { echo "demo: $1" >&2; exit 2; }
is_in() { case " ${*:2} " in *" $1 "*) ;; *) return 1 ;; esac }
check() {
  while [ $# -gt 0 ]; do
    local option=${1%%=*} value=
    case $1 in
      -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
      --dir | --dir=* | --resume | --resume=* | --dry-run | --dry-run=* | --force | --print-config | --find-lr | --find-lr=* | --find-batch | --sweep | --sweep=* | --random | --random=*) refuse "$option is for \`luth train\`; the demo begins a run in a folder of its own" ;;
      --*=*) value=${1#*=} ;;
      *) if ! is_in "$option" "${alone[@]}" && [ $# -gt 1 ]; then shift; value=$1; fi ;;
    esac
    if is_in "$option" "${alone[@]}"; then
      [ -z "$value" ] || refuse "$option takes no value, got '$value'"
    elif ! is_in "$option" "${with_number[@]}" "${with_text[@]}"; then
      refuse "unknown option '$option' (known: ${with_number[*]} ${with_text[*]} ${alone[*]})"
    elif [ -z "$value" ]; then
      refuse "$option needs a value"
    elif is_in "$option" "${with_number[@]}" && [[ $value != *[0-9]* ]]; then
      refuse "$option takes a number, got '$value'"
    fi
    case $option=$value in
      --amp=bf16 | --amp=off | --device=auto | --device=cpu | --device=cuda*) ;;
      --amp=* | --device=*) refuse "$option cannot be '$value'" ;;
    esac
    shift
  done
}
check "$@"

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
