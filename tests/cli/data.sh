#!/usr/bin/env bash
# luth data: sets are fetched from an address, checked, unpacked, found by their names and drawn; failures leave nothing behind.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_DATA_HOME=$work/home NO_COLOR=1
fail() { echo "$1"; cat said out 2>/dev/null; exit 1; }
luth() { "$LUTH_PROGRAM" "$@" >out 2>said; }
refused() { local code=$1 text=$2 rc=0; shift 2; luth "$@" || rc=$?; [ $rc -eq "$code" ] && grep -qF -- "$text" said || fail "$*: $rc, not $code with $text"; }

luth data ls && grep -q '^cifar10 *170 MB ' out || fail "the list"
luth data ls mnist && grep -q 'SHA-256 440fcabf' out && grep -q "goes to $work/home/luth/mnist" out || fail "what a set is"
refused 2 "did you mean 'mnist'?" data get mnits
refused 2 "luth data takes ls, get or show" data fetch mnist
refused 2 'needs the name of a data set' data get
refused 2 "luth data get fashion-mnist" data show fashion-mnist

if [ -n "$(command -v curl)" ]; then
  mkdir mirror
  cp "$LUTH_SOURCE/share/data/tinyshakespeare.txt" mirror/input.txt
  luth data get tinyshakespeare --from "file://$work/mirror" || fail "a set"
  [ "$(cat out)" = "$work/home/luth/tinyshakespeare" ] && cmp -s home/luth/tinyshakespeare/input.txt mirror/input.txt || fail "its folder"
  luth data ls && grep -q '^tinyshakespeare *1.1 MB *yes' out || fail "what is here"
  rm mirror/input.txt
  luth data get tinyshakespeare || fail "what is here is not fetched again"
  refused 1 'cannot fetch file://' data get tinyshakespeare --force --from "file://$work/mirror"
  luth data show tinyshakespeare --count 2 && grep -q '^First Citizen:' out || fail "a text is shown"
  refused 2 "there is no folder '/nosuch'" data get tinyshakespeare --force --from /nosuch
  refused 2 "there is no folder ''" data get tinyshakespeare --force --from ""
  mkdir "a b%20ü" && cp "$LUTH_SOURCE/share/data/tinyshakespeare.txt" "a b%20ü/input.txt"
  luth data get tinyshakespeare --force --from "a b%20ü" || fail "a folder"
  # an empty part of PATH is the current folder, whose programs are not run
  mkdir strange && cd strange
  for name in curl wget sha256sum tar gzip env; do printf '#!/bin/sh\ntouch %s\n' "$work/ran-$name" >"$name" && chmod +x "$name"; done
  PATH=:$PATH luth data get tinyshakespeare --force --from "../a b%20ü" || fail "a strange folder"
  cd .. && ! ls ran-* 2>/dev/null || fail "its programs were run"
  rm -r strange
  echo other >mirror/input.txt
  refused 1 'is not what it should be: its SHA256 is' data get tinyshakespeare --force --from "file://$work/mirror"
  cmp -s home/luth/tinyshakespeare/input.txt "$LUTH_SOURCE/share/data/tinyshakespeare.txt" || fail "the old files stay"
  [ "$(ls -A home/luth)" = tinyshakespeare ] || fail "something was left behind"
  mkdir 'a [b] ü{c}' && cp home/luth/tinyshakespeare/input.txt 'a [b] ü{c}'
  luth data get tinyshakespeare --force --dir 'd "e' --from "file://$work/a [b] ü{c}" && cmp -s 'd "e/input.txt' home/luth/tinyshakespeare/input.txt || fail "odd paths"
  [ ! -e home/luth/tinyshakespeare/.lock ] || fail "a lock was left behind"
  # an archive that is not the set's
  mkdir cifar-10-batches-bin && echo x >cifar-10-batches-bin/x && tar -czf mirror/cifar-10-binary.tar.gz cifar-10-batches-bin
  refused 1 'nothing of it is kept' data get cifar10 --from "file://$work/mirror"
  [ "$(ls -A home/luth)" = tinyshakespeare ] || fail "something was left behind"
  refused 1 'cannot fetch http://' data get kmnist --from http://127.0.0.1:9
  # a signal to luth alone ends what it has started, and nothing stays
  mkdir slow && printf '#!/bin/sh\necho $$ >%s/new && mv %s/new %s/child\nexec sleep 1000\n' "$work" "$work" "$work" >slow/curl && chmod +x slow/curl
  PATH=$work/slow:$PATH "$LUTH_PROGRAM" data get kmnist >out 2>said & luth=$!
  until [ -e child ] || ! kill -0 $luth 2>/dev/null; do sleep 0.1; done
  kill -TERM $luth
  rc=0; wait $luth || rc=$?
  [ $rc -eq 143 ] && grep -q 'luth: terminated$' said && [ "$(ls -A home/luth)" = tinyshakespeare ] || fail "terminated: $rc $(ls -A home/luth)"
  ! kill "$(cat child)" 2>/dev/null || fail "what luth had started goes on"
  # what a killed one leaves goes with the next get, and what a living one works on stays
  rm child; PATH=$work/slow:$PATH "$LUTH_PROGRAM" data get kmnist >out 2>said & luth=$!
  until [ -e child ] || ! kill -0 $luth 2>/dev/null; do sleep 0.1; done
  refused 1 'cannot fetch http://' data get kmnist --from http://127.0.0.1:9
  [ -d home/luth/kmnist.$luth.part ] || fail "the work of another was removed"
  kill -KILL $luth "$(cat child)"
  wait $luth || true
  refused 1 'cannot fetch http://' data get kmnist --from http://127.0.0.1:9
  [ "$(ls -A home/luth)" = tinyshakespeare ] || fail "what was killed was left behind: $(ls -A home/luth)"
  rc=0; PATH=$work/none "$LUTH_PROGRAM" data get kmnist >out 2>said || rc=$?
  [ $rc -eq 1 ] && grep -q 'there is neither curl nor wget' said || fail "without curl"
fi

luth data show mnist --count 3 --split test || fail "pictures"
grep -q 'mnist of 10000 samples' out && grep -q '^labels: ' out || fail "pictures"
luth data show "$LUTH_SOURCE/share/data/houses/train.csv" --count 2 && grep -q '  district: 5 categories: Centre, ' out && grep -q '^area,rooms,' out || fail "a table"
luth data show "$LUTH_SOURCE/tests/data/plain.npz" && grep -q 'torch.Size' out || fail "arrays"
mkdir strange && ln -s /dev/zero strange/input.txt
refused 1 'not a file' data show strange
refused 2 "--count is a number" data show mnist --count 0
refused 2 "there is no data set 'none'" data show none
