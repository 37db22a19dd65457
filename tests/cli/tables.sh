#!/usr/bin/env bash
# luth train on a table: what was learned of the training data is in the checkpoint, and counts for validation, for the rest of a
# run and for an evaluation, whatever has become of the file meanwhile.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp -r "$LUTH_SOURCE/share/data/houses" .
export LUTH_THREADS=1
train() { "$LUTH_PROGRAM" train "$LUTH_SOURCE/scripts/houses.lua" --root houses "$@" 2>said || { cat said; exit 1; }; }
fail() { echo "$1"; exit 1; }

train --dir whole --epochs 2
"$LUTH_PROGRAM" eval whole >before 2>said || { cat said; exit 1; }
grep -q '^r2 0\.' before || { cat before; fail "what was learned"; }

# the same rows in another unit, a district that nobody knows, and other rows behind them
sed -i '2,$s/^\([0-9]*\)\./1\1./; s/Harbour/Nowhere/' houses/train.csv
"$LUTH_PROGRAM" eval whole >after 2>said || { cat said; exit 1; }
cmp before after || fail "an evaluation takes what the checkpoint has learned"
"$LUTH_PROGRAM" ckpt show whole/ckpt/last.h5 data >before
rc=0; "$LUTH_PROGRAM" train "$LUTH_SOURCE/scripts/houses.lua" --root houses --dir whole --resume --epochs 3 2>said || rc=$?
[ $rc -eq 2 ] && grep -q 'samples of the train data are others' said || { cat said; fail "other data need --force"; }
train --dir whole --resume --epochs 3 --force
"$LUTH_PROGRAM" ckpt show whole/ckpt/last.h5 data >after
grep -q Harbour before && cmp before after || fail "a run that goes on keeps what it has learned"

# predictions for rows without a price, with columns in another order
printf 'kind,district,area,distance,rooms,age\nvilla,Centre,120,1,5,3\nflat,West,40,15,,90\n' >new.csv
"$LUTH_PROGRAM" predict whole new.csv >out 2>said || { cat said; exit 1; }
grep -q '^new.csv:1  [1-9]' out && grep -q '^new.csv:2  [01]\.' out && [ "$(wc -l <out)" = 2 ] || { cat out; fail "predictions"; }

# a table that has lost a column; a checkpoint of other columns
cut -d, -f2- "$LUTH_SOURCE/share/data/houses/test.csv" >houses/test.csv
rc=0; "$LUTH_PROGRAM" eval whole >after 2>said || rc=$?
[ $rc -eq 1 ] && grep -q "test.csv' has no column 'area'" said || { cat said; fail "a column that is missing"; }
