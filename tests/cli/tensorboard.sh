#!/usr/bin/env bash
# TensorBoard's own reader finds in a run's file what metrics.csv holds. Skipped where no Python has tensorboard.
set -euo pipefail
python=
for candidate in "${PEER_PYTHON:-}" "$LUTH_SOURCE/build/peer/bin/python" python3; do
  if [ -n "$candidate" ] && "$candidate" -c 'import tensorboard' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "no Python with tensorboard (pip install tensorboard)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >p.lua <<'LUA'
local x = torch.randn(64, 3)
return recipe {
  data = { train = data.TensorDataset(x, x), val = data.TensorDataset(x, x) }, model = nn.Linear(3, 3), loss = nn.MSELoss(),
  optim = optim.SGD { lr = 0.1 }, epochs = 3, metrics = { 'r2' }, log_every = 1, batch = 16,
}
LUA
"$LUTH_PROGRAM" train p.lua --dir run 2>/dev/null
"$python" - run <<'PYTHON'
import csv, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={'scalars': 0})
events.Reload()
rows = list(csv.DictReader(open(sys.argv[1] + '/metrics.csv')))
for tag, column, wanted in (('train/loss', 'loss', lambda r: not r['val_loss']), ('train/epoch_loss', 'loss', lambda r: r['val_loss']),
                            ('val/loss', 'val_loss', lambda r: r['val_loss']), ('val/r2', 'val_r2', lambda r: r['val_r2'])):
    there = [(int(r['step']), float(r[column])) for r in rows if wanted(r)]
    found = [(s.step, s.value) for s in events.Scalars(tag)]
    assert len(found) == len(there) > 0, (tag, found, there)
    assert all(a[0] == b[0] and abs(a[1] - b[1]) < 1e-5 * max(1, abs(b[1])) for a, b in zip(found, there)), (tag, found, there)
PYTHON
