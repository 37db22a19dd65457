#!/usr/bin/env bash
# The demo finds mistakes in its options before it installs or builds anything, and knows all options of the recipe.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/scripts"
cp "$here/scripts/demo.sh" "$work/scripts"
echo 'echo begins; exit 9' >"$work/scripts/setup.sh"  # stands for all that takes time
demo() { bash "$work/scripts/demo.sh" "$@" 2>&1 || echo "exit $?"; }
expect() {
  local wanted=$1 got
  shift
  got=$(demo "$@")
  case $got in *"$wanted"*) ;; *) echo "demo.sh $*: '$wanted' was expected, got: $got"; exit 1 ;; esac
}
expect "unknown option '--nonsense'" --nonsense
expect "unknown option '--nonsense'" --epochs 1 --nonsense 2
expect "unknown option 'word'" word
expect '--epochs needs a value' --epochs
expect '--epochs needs a value' --epochs=
expect "--lr takes a number, got 'x'" --lr=x
expect "--device cannot be 'gpu'" --device gpu
expect '--log-device-placement takes no value' --log-device-placement=1
expect '--dir is for' --dir here
expect 'exit 2' --nonsense
expect 'From a fresh clone' --help
expect $'begins\nexit 9'
expect $'begins\nexit 9' --epochs 1 --lr=1e-3 --seed -1 --device cpu --log-device-placement

# every option of the program that the demo does not keep for itself
"$LUTH_PROGRAM" train "$here/scripts/mnist.lua" --help | grep -oE '^ +--[a-z-]+( [A-Za-z0-9|]+)?' | while read -r option value; do
  case $option in --dir | --dry-run | --find-batch | --find-lr | --force | --print-config | --random | --resume | --sweep) continue ;; esac
  case $value in '') set -- "$option" ;; N | S | X) set -- "$option" 1 ;; 'bf16|off') set -- "$option" off ;; D) set -- "$option" cpu ;; *) set -- "$option" text ;; esac
  expect 'begins' "$@"
done
