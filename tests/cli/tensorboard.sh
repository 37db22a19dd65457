#!/usr/bin/env bash
# TensorBoard's own reader finds in a run's file what metrics.csv holds, and what the run says beside it. Skipped where no Python has tensorboard.
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

# settings, texts, pictures, graph and histograms, each once, also where the run goes on after its first epoch
cat >c.lua <<'LUA'
local o = options { wide = 4, name = 'x', flip = true }
local Net = nn.class 'Net'
function Net:init(wide)
  self.body = nn.Conv2d(1, wide, 3) .. nn.ReLU() .. nn.Flatten()
  self.head = nn.Linear(12 * wide, 3)
end
function Net:forward(x) return self.head(self.body(x)) end
local x = torch.rand(32, 1, 6, 5)
local y = torch.arange(32) % 3 + 1
return recipe {
  data = { train = data.TensorDataset(x, y), val = data.TensorDataset(x, y) },
  model = Net(o.wide), loss = nn.CrossEntropyLoss(), metrics = { 'accuracy' },
  optim = optim.SGD { lr = 0.1 }, batch = 8, keep = 3,
}
LUA
"$LUTH_PROGRAM" train c.lua --dir c --wide 6 --epochs 1 2>/dev/null
"$LUTH_PROGRAM" train c.lua --dir c --resume --epochs 2 2>/dev/null
"$LUTH_PROGRAM" -e 'for epoch = 1, 2 do torch.save(torch.load(string.format("c/ckpt/epoch-%d.h5", epoch)).model, epoch .. ".npz") end'
"$python" - c <<'PYTHON'
import sys, io, numpy
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import metadata
events = EventAccumulator(sys.argv[1], size_guidance={'histograms': 0, 'images': 0, 'tensors': 0})
events.Reload()
weights = [numpy.load(f'{epoch}.npz') for epoch in (1, 2)]
names = ['body.1.weight', 'body.1.bias', 'head.weight', 'head.bias']
assert sorted(events.Tags()['histograms']) == sorted('parameters/' + n for n in names), events.Tags()
for name in names:
    found = events.Histograms('parameters/' + name)
    assert [h.step for h in found] == [4, 8], found
    for h, at in zip(found, weights):
        w, v = at[name].astype(float).ravel(), h.histogram_value
        assert v.num == w.size == sum(v.bucket) and v.min == w.min() and v.max == w.max(), name
        assert abs(v.sum - w.sum()) < 1e-9 and abs(v.sum_squares - (w * w).sum()) < 1e-9, name
        ends = numpy.concatenate([[-numpy.inf], v.bucket_limit])
        assert [((w > a) & (w <= b)).sum() for a, b in zip(ends, ends[1:])] == list(v.bucket), name
image, = events.Images('train/batch')
assert (image.width, image.height, image.step) == (40, 6, 0) and image.encoded_image_string[:4] == b'\x89PNG'
def text_of(name):
    value, = events.Tensors(name + '/text_summary')
    return value.tensor_proto.string_val[0].decode()
assert text_of('recipe').replace('\n    ', '\n')[1:] == open('c.lua').read()
assert 'Conv2d(1, 6, kernel_size=(3, 3), stride=(1, 1))' in text_of('model')
nodes = {n.name: (n.op, list(n.input)) for n in events.Graph().node}
assert nodes == {'input': ('Placeholder', []), 'body/1': ('Conv2d', ['input']), 'body/2': ('ReLU', ['body/1']),
                 'body/3': ('Flatten', ['body/2']), 'head': ('Linear', ['body/3'])}, nodes
start = metadata.parse_session_start_info_plugin_data(events.summary_metadata['_hparams_/session_start_info'].plugin_data.content)
settings = {name: getattr(v, v.WhichOneof('kind')) for name, v in start.hparams.items()}
assert settings == {'wide': 6, 'name': 'x', 'flip': True, 'batch': 8, 'epochs': 1, 'keep': 3}, settings
metrics = metadata.parse_experiment_plugin_data(events.summary_metadata['_hparams_/experiment'].plugin_data.content).metric_infos
assert [m.name.tag for m in metrics] == ['val/accuracy', 'val/loss'], metrics
PYTHON

# all that a script's SummaryWriter takes
cat >w.lua <<'LUA'
local w = torch.utils.tensorboard.SummaryWriter 's'
w:add_scalar('loss', 0.5, 3)
w:add_scalars('both', { a = 1, b = 2 }, 4)
w:add_histogram('h', torch.tensor { -1., 0.5, 0.5, 2 }, 5)
w:add_image('image', torch.ones(3, 4, 6), 6)
w:add_images('images', torch.zeros(9, 1, 4, 6), 7)
w:add_text('note', 'hello', 8)
w:add_hparams({ lr = 0.1, wide = true, name = 'x' }, { accuracy = 0.75 })
w:add_graph(nn.Linear(2, 3) .. nn.ReLU(), torch.ones(1, 2))
w:close()
LUA
"$LUTH_PROGRAM" w.lua
"$python" - s <<'PYTHON'
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import metadata
def read(path):
    events = EventAccumulator(path)
    events.Reload()
    return events
events = read(sys.argv[1])
assert [(s.step, s.value) for s in events.Scalars('loss')] == [(3, 0.5)]
assert [read(f'{sys.argv[1]}/both_{name}').Scalars('both')[0].value for name in 'ab'] == [1, 2]
found, = events.Histograms('h')
assert (found.step, found.histogram_value.num, found.histogram_value.sum) == (5, 4, 2)
assert [(i.step, i.width, i.height) for name in ('image', 'images') for i in events.Images(name)] == [(6, 6, 4), (7, 48, 8)]
assert events.Tensors('note/text_summary')[0].tensor_proto.string_val[0] == b'hello'
part = lambda name: events.summary_metadata['_hparams_/' + name].plugin_data.content
settings = metadata.parse_session_start_info_plugin_data(part('session_start_info')).hparams
assert settings['lr'].number_value == 0.1 and settings['wide'].bool_value is True and settings['name'].string_value == 'x'
infos = metadata.parse_experiment_plugin_data(part('experiment'))
assert [(i.name, i.type) for i in infos.hparam_infos] == [('lr', 3), ('name', 1), ('wide', 2)], infos
assert [m.name.tag for m in infos.metric_infos] == ['accuracy'] and events.Scalars('accuracy')[0].value == 0.75
assert metadata.parse_session_end_info_plugin_data(part('session_end_info')).status == 1
assert [(n.name, n.op, list(n.input)) for n in events.Graph().node] == [('input', 'Placeholder', []), ('1', 'Linear', ['input']), ('2', 'ReLU', ['1'])]
PYTHON
