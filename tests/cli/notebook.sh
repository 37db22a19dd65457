#!/usr/bin/env bash
# A notebook's kernel before a real front end (tests/cli/notebook.py). Skipped where no Python has jupyter_client and nbclient.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
refused() {  # refused WORDS ARGUMENTS: exit code 2 and these words
  local words=$1 code=0
  shift
  "$LUTH_PROGRAM" kernel "$@" >"$work/out" 2>"$work/err" || code=$?
  [ $code -eq 2 ] && grep -qF -- "$words" "$work/err" || { echo "luth kernel $*: code $code"; cat "$work/err"; exit 1; }
}
"$LUTH_PROGRAM" kernel install --prefix "$work/env" --name my.luth
grep -qF '"{connection_file}"' "$work/env/share/jupyter/kernels/my.luth/kernel.json"
JUPYTER_DATA_DIR= XDG_DATA_HOME=$work/data "$LUTH_PROGRAM" kernel install
[ -e "$work/data/jupyter/kernels/luth/kernel.json" ]
refused "letters, digits" install --name ../x
refused "two places" install --user --prefix "$work"
refused "expects install or run, got 'start'" start
refused "expects a connection file" run
refused "cannot make the folder" install --prefix /proc
echo '{"key": ""}' >"$work/c.json"
refused "has no shell_port" run "$work/c.json"
for candidate in "${PEER_PYTHON:-}" "$LUTH_SOURCE/build/peer/bin/python" python3; do
  if [ -n "$candidate" ] && "$candidate" -c 'import jupyter_client, nbclient' 2>/dev/null; then
    "$candidate" "$LUTH_SOURCE/tests/cli/notebook.py" "$LUTH_PROGRAM"
    exit
  fi
done
echo "no Python with jupyter_client and nbclient (Debian: python3-nbclient; pip install nbclient)"
exit 77
