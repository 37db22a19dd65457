# Makes the files of this folder with PyTorch: python make.py. What is in them is written down in tests/core/io/pth_test.cpp.
import collections, io, os, pickle, zipfile
import torch

here = os.path.dirname(os.path.abspath(__file__))
torch.manual_seed(0)


def path(name):
    return os.path.join(here, name)


def numbers(*shape, dtype=torch.float32):
    n = 1
    for s in shape:
        n *= s
    return torch.arange(n).reshape(shape).to(dtype)


# a state dict, with a buffer of integers, tied weights and attributes of the OrderedDict
model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2), torch.nn.Linear(3, 2))
model[2].weight = model[0].weight
with torch.no_grad():
    model[0].weight.copy_(numbers(2, 3))
    model[0].bias.copy_(torch.tensor([0.5, -1.5]))
torch.save(model.state_dict(), path('state.pth'))

# plain values and containers
torch.save({'int': 7, 'negative': -3, 'long': 1 << 40, 'float': 0.1, 'true': True, 'none': None, 'text': 'grün', 'size': torch.Size([2, 3]),
            'tuple': (1, (2.5, 'x')), 'list': [1, [], {}], 'nested': {1: {'a': [False]}}, 'dtype': torch.float16,
            'device': torch.device('cuda', 1), 'ordered': collections.OrderedDict(b=1, a=2)}, path('values.pth'))

# every dtype, views of one storage, no elements, no dims, parameters
base = numbers(4, 6)
torch.save({'views': [base, base[1:3, ::2], base.t(), base[0].expand(2, 6)],
            'dtypes': {str(d)[6:]: numbers(3, dtype=d) for d in (torch.float64, torch.float16, torch.bfloat16, torch.int64,
                                                                  torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)},
            'scalar': torch.tensor(2.5), 'empty': torch.zeros(0, 3), 'parameter': torch.nn.Parameter(torch.ones(2)),
            'grad': torch.ones(2, requires_grad=True)}, path('tensors.pth'))

# an optimizer after a step
p = torch.nn.Parameter(torch.ones(2))
opt = torch.optim.Adam([p], lr=0.125)
p.sum().backward()
opt.step()
torch.save(opt.state_dict(), path('adam.pth'))

# a schedule whose milestones are a Counter, and bytes
schedule = torch.optim.lr_scheduler.MultiStepLR(torch.optim.SGD([p], lr=0.1), [3, 12, 12])
torch.save({'schedule': schedule.state_dict(), 'bytes': b'a\x00\x7f\x80\xff', 'no bytes': b''}, path('schedule.pth'))

torch.save(numbers(2, 2), path('old.pth'), _use_new_zipfile_serialization=False)
torch.save(model, path('model.pth'))


def rewrite(source, name, change):
    """A copy of an archive with some entries changed: `change` gets name and bytes and gives bytes."""
    with zipfile.ZipFile(path(source)) as old, zipfile.ZipFile(path(name), 'w') as new:
        for e in old.infolist():
            new.writestr(e.filename, change(e.filename, old.read(e)))


# as a big-endian machine writes it
def swap(name, data):
    if name.endswith('byteorder'):
        return b'big'
    return b''.join(data[i:i + 4][::-1] for i in range(0, len(data), 4)) if '/data/' in name else data


torch.save({'x': numbers(5)}, path('little.pth'))
rewrite('little.pth', 'big.pth', swap)
os.remove(path('little.pth'))
