"""overhead/*: small calls. The statements are those of share/luth/bench/overhead.lua."""
import torch
import torch.nn.functional as F
from torch import nn

from . import measure
from .measure import randn


def add(name, code, names, unit='ns/op'):
    def make():
        measure.seed()
        return code, {'torch': torch, 'nn': nn, 'F': F, **names()}
    measure.add('overhead/' + name, unit, 1, make, kind='statement')


def perceptron():
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).to(measure.device)
    return dict(model=model, opt=torch.optim.SGD(model.parameters(), lr=0.01), x=randn(8, 4), y=randn(8, 1))


def overhead():
    x10, m25, m88 = (lambda: randn(10)), (lambda: randn(2, 5)), (lambda: randn(8, 8))
    leaf = lambda: randn(10, grad=True)

    def names(**makers):
        return lambda: {name: make() for name, make in makers.items()}
    add('loop', 'pass', names())
    add('add10', 'x + y', names(x=x10, y=x10))
    add('add10_grad', 'x + y', names(x=leaf, y=x10))
    add('add10_scalar', 'x + 1.0', names(x=x10))
    add('add10_inplace', 'x.add_(1)', names(x=x10))
    add('add10_out', 'torch.add(x, y, out=z)', names(x=x10, y=x10, z=x10))
    add('exp10', 'x.exp()', names(x=x10))
    add('sum10', 'x.sum()', names(x=x10))
    add('reshape', 'x.reshape(2, 5)', names(x=x10))
    add('transpose', 'm.transpose(0, 1)', names(m=m25))
    add('index', 'm[1]', names(m=m25))
    add('slice', 'm[:, 1:3]', names(m=m25))
    add('assign', 'm[1] = 0.0', names(m=m25))
    add('item', 's.item()', names(s=lambda: randn(())))
    add('zeros10', 'torch.zeros(10)' if measure.device == 'cpu' else 'torch.zeros(10, device="cuda")', names())
    add('matmul8', 'a @ b', names(a=m88, b=m88))
    add('linear8', 'f(x)', names(f=lambda: nn.Linear(8, 8).to(measure.device), x=m88))
    add('backward10', '(x * y).sum().backward()', names(x=leaf, y=x10))
    add('mlp_forward', 'model(x)', perceptron, 'us/step')
    add('mlp_step', 'opt.zero_grad(); loss = F.mse_loss(model(x), y); loss.backward(); opt.step()', perceptron, 'us/step')
