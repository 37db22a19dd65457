"""elementwise/*, reduce/*, norm/*, random/*: elementwise operators, reductions, normalization, random numbers."""
import math

import torch
import torch.nn.functional as F

from . import measure
from .measure import Ki, Mi, both, integers, kernel, randn

# name: function, bytes of one element
FUNCTIONS = {
    'mul_scalar': (lambda x: x * 1.5, 8),
    'exp': (lambda x: x.exp(), 8),
    'tanh': (lambda x: x.tanh(), 8),
    'sigmoid': (lambda x: x.sigmoid(), 8),
    'gelu': (lambda x: F.gelu(x), 8),
    'relu': (lambda x: x.relu(), 8),
    'pow2.5': (lambda x: x.pow(2.5), 8),
    'dropout': (lambda x: F.dropout(x, 0.5, True), 8),
    'to_bf16': (lambda x: x.to(torch.bfloat16), 6),
    'chain5': (lambda x: (x * 1.5 + 0.5).tanh() * 2.0 + 0.25, 8),
}


def elementwise():
    for label, n in (('64Ki', 64 * Ki), ('1Mi', Mi), ('16Mi', 16 * Mi)):
        of_size(label, n)


def of_size(label, n):
    """The workloads over vectors of n elements."""
    side = math.isqrt(n)

    def add(name, bytes, make, **fields):
        measure.add(f'elementwise/{name}/{label}', 'ns/elem', n, make, bytes=bytes * n, **fields)

    def vectors(count):
        return lambda: [randn(n) for _ in range(count)]

    def condition():
        x = randn(n)
        return x > 0, x, randn(n)
    add('add', 12, kernel(vectors(2), lambda x, y: x + y))
    for name, (f, bytes) in FUNCTIONS.items():
        add(name, bytes, kernel((lambda: [randn(n).abs()]) if name == 'pow2.5' else vectors(1), f))
    add('where', 13, kernel(condition, torch.where))
    add('add_transposed', 12, kernel(lambda: [randn(side, side), randn(side, side)], lambda x, y: x.t() + y))
    add('add_row', 8, kernel(lambda: [randn(side, side), randn(side)], lambda x, b: x + b))
    add('add_out', 12, kernel(vectors(3), lambda x, y, z: torch.add(x, y, out=z)))
    for name in ('exp', 'tanh', 'sigmoid'):
        f = getattr(torch, name)
        add(name + '_out', 8, kernel(vectors(2), lambda x, z, f=f: f(x, out=z)))
    for name in ('chain5', 'gelu', 'tanh'):
        f = FUNCTIONS[name][0]
        add(name, 8, lambda f=f: kernel(vectors(1), torch.compile(f))(), variant='compile')
    add('gelu_fwdbwd', 20, both(lambda: [randn(n, grad=True)], F.gelu, torch.randn_like))


def reductions():
    def add(name, bytes, f, *shape):
        measure.add('reduce/' + name, 'ms', 1, kernel(lambda: [randn(*shape)], f), bytes=bytes * math.prod(shape))
    square = (4096, 4096)
    add('sum_all', 4, lambda x: x.sum(), *square)
    add('sum_dim0', 4, lambda x: x.sum(0), *square)
    add('sum_dim1', 4, lambda x: x.sum(1), *square)
    add('max_dim1', 4, lambda x: x.max(1), *square)
    add('argmax_dim1', 4, lambda x: x.argmax(1), *square)
    add('argmax_dim0', 4, lambda x: x.argmax(0), *square)
    add('var_dim1', 4, lambda x: x.var(1), *square)
    add('cumsum_dim1', 8, lambda x: x.cumsum(1), *square)
    add('topk10', 4, lambda x: x.topk(10, 1), 4096, 1000)
    add('sort_1Mi', 4, lambda x: x.sort(), Mi)
    add('softmax', 8, lambda x: x.softmax(1), 4096, 1000)
    add('log_softmax', 8, lambda x: x.log_softmax(1), 4096, 1000)
    measure.add('reduce/cross_entropy_fwdbwd', 'ms', 1,
                both(lambda: [randn(4096, 1000, grad=True), integers(1000, 4096)], F.cross_entropy, None), bytes=8 * 4096 * 1000)


def norms():
    def add(name, inputs, f, forward, backward):
        """forward, backward: bytes of one of the 4 Mi elements."""
        measure.add('norm/' + name, 'ms', 1, kernel(lambda: inputs(False), f), bytes=forward * 4 * Mi)
        measure.add(f'norm/{name}_fwdbwd', 'ms', 1, both(lambda: inputs(True), f, torch.randn_like), bytes=backward * 4 * Mi)

    def rows(grad):
        return randn(4096, 1024, grad=grad), randn(1024, grad=grad), randn(1024, grad=grad)

    def images(grad):
        statistics = torch.zeros(64, device=measure.device), torch.ones(64, device=measure.device)
        return randn(64, 64, 32, 32, grad=grad), randn(64, grad=grad), randn(64, grad=grad), *statistics
    layer_norm = lambda x, w, b: F.layer_norm(x, (1024,), w, b)
    add('layer_norm', rows, layer_norm, 8, 20)
    add('batch_norm2d', images, lambda x, w, b, mean, var: F.batch_norm(x, mean, var, w, b, True, 0.1, 1e-5), 12, 32)
    measure.add('norm/layer_norm', 'ms', 1, lambda: kernel(lambda: rows(False), torch.compile(layer_norm))(), bytes=8 * 4 * Mi,
                variant='compile')


def random():
    def add(name, n, bytes, inputs, f):
        measure.add('random/' + name, 'ns/elem', n, kernel(inputs, f), bytes=bytes * n)
    n = 16 * Mi
    fill, nothing = (lambda: [torch.empty(n, device=measure.device)]), (lambda: [])
    add('normal_16Mi', n, 4, fill, lambda x: x.normal_())
    add('uniform_16Mi', n, 4, fill, lambda x: x.uniform_())
    add('bernoulli_16Mi', n, 4, fill, lambda x: x.bernoulli_(0.5))
    add('randn_16Mi', n, 4, nothing, lambda: torch.randn(n, device=measure.device))
    add('randn_1Ki', Ki, 4, nothing, lambda: torch.randn(Ki, device=measure.device))
    add('randperm_1Mi', Mi, 8, nothing, lambda: torch.randperm(Mi, device=measure.device))
