#!/usr/bin/env bash
# scripts/compare.sh with stand-ins for both sides: they take turns, the fastest sample counts, the worst ratio comes first, and what is
# missing on either side is named.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1"; cat "$work/out" "$work/err"; exit 1; }
expect() { grep -qF -e "$1" "$work/out" || fail "'$1' is not in the output"; }

# luth: a line of JSON for each name; what else it does, luth does
cat >"$work/luth" <<END
#!/usr/bin/env bash
names='overhead/add10 matmul/sgemm/64 reduce/sum_all data/jpeg_folder_w0 train/mlp elementwise/pow2.5/1Mi overhead/chain process/installed_size'
case "\$*" in
  'bench --list'*) printf '%s\n' \$names; exit ;;
  bench*) ;;
  *) exec "$LUTH_PROGRAM" "\$@" ;;
esac
echo "luth \$*" >>"$work/calls"
filter="\${@: -1}"
for name in \$names; do
  [[ \$name =~ \$filter ]] || continue
  case \$name in
    data/*) echo '{"name":"'\$name'","missing":"no decoder"}' ;;
    *size) echo '{"name":"'\$name'","unit":"MB","value":100,"min":0,"median":0}' ;;
    overhead/*) echo '{"name":"'\$name'","unit":"ns/op","min":1e-7,"median":2e-7}' ;;
    *) echo '{"name":"'\$name'","unit":"ms","min":0.00'\$((\$(wc -l <"$work/calls") + 1))',"median":0.01,"GB/s":0.5}' ;;
  esac
done
END
cat >"$work/python" <<END
#!/usr/bin/env bash
case "\$*" in
  '-c '*) echo 9.9; exit ;;
  *--list) printf '%s ms eager\n' overhead/add10 matmul/sgemm/64 reduce/sum_all data/jpeg_folder_w0 train/mlp elementwise/pow2.5/1Mi process/installed_size; exit ;;
esac
echo "torch \$*" >>"$work/calls"
case "\${@: -1}" in
  *add10*) echo '{"name":"overhead/add10","min":3e-7,"median":1}'
    echo '{"name":"matmul/sgemm/64","min":0.001,"median":1}'
    echo '{"name":"reduce/sum_all","min":0.004,"median":1}'
    echo '{"name":"train/mlp","error":"no such model"}'
    echo '{"name":"elementwise/pow2.5/1Mi","min":0.02,"median":1}' ;;
  *) echo '{"name":"process/installed_size","unit":"MB","value":5000,"min":0,"median":0}' ;;
esac
END
chmod +x "$work/luth" "$work/python"
export PEER_LUTH=$work/luth PEER_PYTHON=$work/python CXX=false
compare() { bash "$LUTH_SOURCE/scripts/compare.sh" "$@" >"$work/out" 2>"$work/err" || return $?; }

compare --threads 1 --rounds 2 --md="$work/page.md" || fail "compare.sh failed"
# who begins alternates
[ "$(cut -d' ' -f1 "$work/calls" | tr '\n' ' ')" = 'luth torch luth torch torch luth torch luth ' ] || fail "the turns were: $(cat "$work/calls")"
grep -q 'pow2\\.5' "$work/calls" || fail "a dot of a name stands for any letter"
expect '| matmul/sgemm/64 | 2 ms | 1 ms | 0.50 | 1.5 | missed |  |'
expect '| overhead/add10 | 100 ns | 300 ns | 3.00 | 4 | missed |  |'
expect '| elementwise/pow2.5/1Mi | 2 ms | 20 ms | 10.00 | 6 | reached |  |'
expect '| process/installed_size | 100 MB | 5000 MB | 50.00 | 40 | reached |  |'
expect '5 workloads compared; 3 of 5 targets reached.'
expect '- data/jpeg_folder_w0: no decoder'
expect '- train/mlp: the peer failed: no such model'
[ "$(grep -o '^| [a-z]*/[a-z0-9_]*' "$work/out" | tr -d '|' | tr -d '\n')" = ' matmul/sgemm reduce/sum_all overhead/add10 elementwise/pow2 process/installed_size' ] ||
  fail "the worst ratio is not the first"
for part in '# Speed beside PyTorch' '| machine | ' '| PyTorch | 9.9 |' '| matmul/sgemm/64 |'; do
  grep -qF -e "$part" "$work/page.md" || { cat "$work/page.md"; fail "'$part' is not in the page"; }
done
! grep -q 'overhead/chain' "$work/out" || fail "a workload that the peer lacks is compared"

# a time near the limit: of memory by 90 %, of a library by 95 %; a sum only reads
cat >"$work/ours.log" <<END
{"name":"reduce/sum_all","min":0.0044,"median":0.0044,"GB/s":10}
{"name":"matmul/sgemm/64","min":0.00011,"median":0.00011}
{"name":"matmul/sgemm/256","min":0.000105,"median":0.000105}
END
sed 's/"min":[0-9.]*/"min":0.00001/' "$work/ours.log" >"$work/theirs.log"
cat >"$work/limits.log" <<END
{"name":"limit/read/16Mi","min":1,"best":11}
{"name":"limit/triad/16Mi","min":1,"best":22}
{"name":"limit/matmul/sgemm/64","min":0.0001}
{"name":"limit/matmul/sgemm/256","min":0.0001}
END
"$LUTH_PROGRAM" "$LUTH_SOURCE/scripts/compare.lua" "$LUTH_SOURCE/scripts/compare_targets.txt" "$work/ours.log" -- "$work/theirs.log" -- "$work/limits.log" >"$work/out"
expect '| 1.2 | at the limit | 4 ms (91 %) |'
expect '| 1.5 | missed | 100 us (91 %) |'
expect '| 1 | at the limit | 100 us (95 %) |'
expect '3 workloads compared; 0 of 3 targets reached, 2 more are at the limit of the machine.'

# mistakes
if compare --filtr x; then fail "an unknown option is taken"; elif [ $? -ne 2 ]; then fail "not exit code 2"; fi
grep -q "unknown option --filtr" "$work/err" || fail "it does not name the option"
printf '#!/bin/sh\nexit 1\n' >"$work/python3"
chmod +x "$work/python3"
if PATH=$work:$PATH PEER_PYTHON='' VIRTUAL_ENV='' compare && [ ! -x "$LUTH_SOURCE/build/peer/bin/python" ]; then fail "it found a Python with torch"; fi
[ -x "$LUTH_SOURCE/build/peer/bin/python" ] || grep -q 'pip install torch' "$work/err" || fail "it does not say how to get torch"
