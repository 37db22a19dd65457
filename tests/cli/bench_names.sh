#!/usr/bin/env bash
# luth bench has every workload of tests/bench/peer_torch.py, whose files are read with a stand-in for torch, and each target of
# scripts/compare_targets.txt is that of a workload.
set -euo pipefail
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$LUTH_SOURCE"
PYTHONDONTWRITEBYTECODE=1 python3 - >"$work/theirs" <<'PYTHON'
import sys
from unittest.mock import MagicMock
for name in ('torch', 'torch.nn', 'torch.nn.functional'):
    sys.modules[name] = MagicMock()
sys.path.insert(0, 'tests/bench')
import peer_torch
from torch_side import measure
for group in peer_torch.groups():
    group()
print('\n'.join(sorted({w.name for w in measure.workloads})))
PYTHON
"$LUTH_PROGRAM" bench --list | sort >"$work/ours"
[ "$(wc -l <"$work/theirs")" -ge 200 ] || { echo "only $(wc -l <"$work/theirs") workloads of the peer"; exit 1; }
missing=$(comm -23 "$work/theirs" "$work/ours")
[ -z "$missing" ] || { echo "luth bench lacks:"; echo "$missing"; exit 1; }
echo 'process/start_first_add memory' >>"$work/theirs"
grep -v '^#' scripts/compare_targets.txt | while read -r target; do
  pattern=${target%%  *}
  grep -qEx -e "$pattern" "$work/theirs" || { echo "no workload has the target '$target'"; exit 1; }
done
