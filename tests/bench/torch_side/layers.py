"""index/*, attention/*, rnn/*, optim/*: indexing and copies, attention, recurrent layers, steps of optimizers."""
import torch
import torch.nn.functional as F
from torch import nn

from . import measure
from .measure import both, integers, kernel, randn


def indexing():
    def add(name, bytes, inputs, f):
        measure.add('index/' + name, 'ms', 1, kernel(inputs, f), bytes=bytes)
    size = 4 * 4096 * 1024  # bytes of x
    big, positions = (lambda: randn(4096, 1024)), (lambda: integers(4096, 4096))

    def masked():
        x = big()
        return x, x > 0
    add('gather_dim1', 4 * size, lambda: [big(), integers(1024, 4096, 1024)], lambda x, i: x.gather(1, i))
    add('index_select', 2 * size, lambda: [big(), positions()], lambda x, i: x.index_select(0, i))
    add('index_add', 3 * size, lambda: [big(), positions(), big()], lambda x, i, s: x.index_add_(0, i, s))
    add('masked_select', 1.75 * size, masked, lambda x, m: x[m])
    add('cat16', 2 * size, lambda: [randn(4096, 64) for _ in range(16)], lambda *xs: torch.cat(xs, 1))
    add('stack16', 2 * size, lambda: [randn(256, 1024) for _ in range(16)], lambda *xs: torch.stack(xs))
    add('transpose_copy_4096', 8 * 4096 ** 2, lambda: [randn(4096, 4096)], lambda x: x.t().contiguous())
    add('permute_nchw_nhwc', 8 * 32 * 64 * 56 * 56, lambda: [randn(32, 64, 56, 56)], lambda x: x.permute(0, 2, 3, 1).contiguous())

    def tokens(grad):
        return lambda: [randn(50000, 256, grad=grad), integers(50000, 4096)]
    embedding = lambda w, i: F.embedding(i, w)
    measure.add('index/embedding_fwdbwd', 'ms', 1, both(tokens(True), embedding, torch.randn_like),
                bytes=4 * (50000 * 256 + 4 * 4096 * 256))
    add('embedding', 8 * 4096 * 256, tokens(False), embedding)


def attention():
    def qkv(grad):
        return lambda: [randn(4, 8, 512, 64, grad=grad) for _ in range(3)]

    def causal(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    measure.add('attention/sdpa_causal', 'ms', 1, kernel(qkv(False), causal))
    measure.add('attention/sdpa_causal_fwdbwd', 'ms', 1, both(qkv(True), causal, torch.randn_like))


def recurrent():
    """64 steps of 32 inputs of 256, zero initial state; leaves: the input and the four parameters."""
    def add(name, cls):
        def layer(grad):
            def make():
                measure.seed()
                m = cls(256, 256).to(measure.device)
                x, g = randn(64, 32, 256, grad=grad), randn(64, 32, 256)
                f = lambda: m(x)[0]
                return measure.forward_backward(f, [x, *m.parameters()], g) if grad else measure.without_gradients(f)
            return make
        measure.add('rnn/' + name, 'ms', 1, layer(False))
        measure.add(f'rnn/{name}_fwdbwd', 'ms', 1, layer(True))
    add('lstm', nn.LSTM)
    add('gru', nn.GRU)


# ---- optimizers

PARAMETERS = 11168832


def trunk_shapes():
    """The 60 parameters of the trunk of ResNet-18 with a 3x3 stem: convolutions, and weight and bias of each batch norm, in the
    order of the blocks; no classifier."""
    shapes = []

    def conv_bn(out, channels, k):
        shapes.extend([(out, channels, k, k), (out,), (out,)])
    conv_bn(64, 3, 3)
    width = 64
    for out in (64, 128, 256, 512):
        for block in range(2):
            conv_bn(out, width, 3)
            conv_bn(out, out, 3)
            if block == 0 and out != width:
                conv_bn(out, width, 1)
            width = out
    return shapes


def trunk():
    """Leaves with gradients."""
    measure.seed()
    parameters = [randn(*shape, grad=True) for shape in trunk_shapes()]
    for p in parameters:
        p.grad = torch.randn_like(p) * 1e-3
    return parameters


def optimizers():
    def add(name, words, make):
        """words: how many floats a step reads and writes for each parameter."""
        measure.add('optim/' + name, 'ms', 1, make, bytes=4 * words * PARAMETERS)

    def optimizer(name, words, cls, **settings):
        add(name, words, lambda: cls(trunk(), **settings).step)
        add(name + '_fused', words, lambda: cls(trunk(), fused=True, **settings).step)

    def clip():
        parameters = trunk()
        return lambda: nn.utils.clip_grad_norm_(parameters, 1.0)

    def zero():
        opt = torch.optim.SGD(trunk(), lr=0.1)
        return lambda: opt.zero_grad(set_to_none=False)
    optimizer('sgd_momentum', 5, torch.optim.SGD, lr=1e-4, momentum=0.9)
    optimizer('adam', 7, torch.optim.Adam, lr=1e-4)
    optimizer('adamw', 7, torch.optim.AdamW, lr=1e-4)
    add('clip_grad_norm', 3, clip)
    add('zero_grad_in_place', 1, zero)
