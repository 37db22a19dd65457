"""matmul/*, conv/*, pool/*: matrix products, convolutions, pooling."""
import math

import torch
import torch.nn.functional as F

from . import measure
from .measure import both, kernel, randn


def products():
    def add(name, flops, make, **fields):
        measure.add('matmul/' + name, 'GFLOP/s', flops, make, **fields)

    def square(n, dtype=None):
        return lambda: [randn(n, n, dtype=dtype), randn(n, n, dtype=dtype)]
    multiply = lambda a, b: a @ b
    for n in (64, 256, 512, 1024, 2048, 4096):
        add(f'sgemm/{n}', 2 * n ** 3, kernel(square(n), multiply), at_least=5)
    for n in (1024, 2048):
        add(f'bf16/{n}', 2 * n ** 3, kernel(square(n, torch.bfloat16), multiply), at_least=5)
    add('sgemm_tn/1024', 2 * 1024 ** 3, kernel(square(1024), lambda a, b: a.t() @ b))
    add('batched', 2 * 64 * 128 * 128 * 64, kernel(lambda: [randn(64, 128, 64), randn(64, 64, 128)], multiply))
    add('gemv/4096', 2 * 4096 ** 2, kernel(lambda: [randn(4096, 4096), randn(4096)], multiply), bytes=4 * 4096 ** 2)
    leaves = lambda: [randn(128, 1024, grad=True), randn(1024, 1024, grad=True), randn(1024, grad=True)]
    add('linear_fwdbwd', 6 * 128 * 1024 * 1024, both(leaves, F.linear, torch.randn_like))


def convolutions():
    def add(name, x, w, positions, f=F.conv2d, dtype=None, bytes=0, **options):
        """positions: of the kernel, of which each takes as many products as w has elements."""
        def inputs(grad):
            return lambda: [randn(*x, dtype=dtype, grad=grad), (randn(*w, dtype=dtype) * 0.05).requires_grad_(grad)]
        flops = 2 * x[0] * positions * math.prod(w)
        run = lambda a, b: f(a, b, **options)
        fields = dict(at_least=5, bytes=bytes)
        measure.add('conv/' + name, 'GFLOP/s', flops, kernel(inputs(False), run), **fields)
        measure.add(f'conv/{name}_fwdbwd', 'GFLOP/s', 3 * flops, both(inputs(True), run, torch.ones_like), **fields)
    add('3x3_64_56', (32, 64, 56, 56), (64, 64, 3, 3), 56 * 56, padding=1)
    add('3x3_256_14', (32, 256, 14, 14), (256, 256, 3, 3), 14 * 14, padding=1)
    add('3x3_256_14_bf16', (32, 256, 14, 14), (256, 256, 3, 3), 14 * 14, padding=1, dtype=torch.bfloat16)
    add('1x1_256_64_56', (32, 256, 56, 56), (64, 256, 1, 1), 56 * 56)
    add('stem_7x7_224', (32, 3, 224, 224), (64, 3, 7, 7), 112 * 112, stride=2, padding=3)
    add('depthwise_3x3_128_56', (32, 128, 56, 56), (128, 1, 3, 3), 56 * 56, padding=1, groups=128, bytes=8 * 32 * 128 * 56 * 56)
    add('conv1d_64_128_k5', (32, 64, 1024), (128, 64, 5), 1024, f=F.conv1d, padding=2)
    add('transpose_128_64_k4s2', (32, 128, 14, 14), (128, 64, 4, 4), 14 * 14, f=F.conv_transpose2d, stride=2, padding=1)


def pooling():
    def add(name, shape, f):
        n = math.prod(shape)
        measure.add('pool/' + name, 'ms', 1, kernel(lambda: [randn(*shape)], f), bytes=5 * n)
        measure.add(f'pool/{name}_fwdbwd', 'ms', 1, both(lambda: [randn(*shape, grad=True)], f, torch.ones_like), bytes=10 * n)
    add('max_3x3s2_64_112', (32, 64, 112, 112), lambda x: F.max_pool2d(x, 3, 2, 1))
    add('avg_2x2_64_56', (32, 64, 56, 56), lambda x: F.avg_pool2d(x, 2))
