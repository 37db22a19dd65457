#!/usr/bin/env bash
# `luth bench --check`: small calls take no more instructions than tests/bench/instructions.json says, a shorter allowance is seen, and
# files that are none are refused. Skipped without valgrind, and where the build is no release.
set -euo pipefail
[ "${LUTH_BUILD_TYPE:-}" = Release ] || { echo "counts are those of a release build, not of ${LUTH_BUILD_TYPE:-an unknown one}"; exit 77; }
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
baseline=$LUTH_SOURCE/tests/bench/instructions.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ran() { rc=0; "$LUTH_PROGRAM" bench --check "$@" >"$work/out" 2>"$work/err" || rc=$?; }
expect() { # expect CODE TEXT FILE
  [ "$rc" -eq "$1" ] && grep -q -e "$2" "$work/$3" && return
  echo "expected exit code $1 and '$2' in $3; got $rc and"
  cat "$work/out" "$work/err"
  exit 1
}

# valgrind reads its options in the current folder, which may be anybody's
cd "$work" && echo precious >mine && echo "--log-file=$work/mine" >.valgrindrc
ran "$baseline"
[ "$(cat mine)" = precious ] || { echo "valgrind took the options of the current folder"; exit 1; }
if grep -q 'Not judged' "$work/out"; then cat "$work/out"; exit 77; fi
if [ "$rc" -ne 0 ]; then
  cat "$work/out" "$work/err"
  echo "If the calls must be longer: luth bench --check $baseline --json >new.json, and say why in the commit."
  exit 1
fi
expect 0 'overhead/add10 .*as before\|overhead/add10 .*shorter' out

# a baseline of half the instructions for one call
sed 's/\("overhead\/index": \)[0-9]*/\1800/' "$baseline" >"$work/half.json"
ran "$work/half.json"
expect 1 'overhead/index .* before    800  LONGER' out
expect 1 '1 calls take over 2 % more instructions' err

echo '{"compiler": "GCC 12"}' >"$work/empty.json"
ran "$work/empty.json"
expect 2 'has no object "calls"' err
ran "$work/missing.json"
expect 2 'missing.json' err
