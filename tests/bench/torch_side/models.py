"""The networks of train/*, infer/* and dlbench/*, with PyTorch's default initialisation. share/luth/bench/models.lua has the same."""
import torch
import torch.nn.functional as F
from torch import nn


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def lenet5():
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


# ---- residual networks for images of 32 x 32


def conv_bn(channels, out, k, stride):
    return [nn.Conv2d(channels, out, k, stride, k // 2, bias=False), nn.BatchNorm2d(out)]


def body(channels, out, stride):
    return nn.Sequential(*conv_bn(channels, out, 3, stride), nn.ReLU(), *conv_bn(out, out, 3, 1))


class Block(nn.Module):
    """The shortcut is a convolution of 1 x 1 where the shape changes."""

    def __init__(self, channels, out, stride):
        super().__init__()
        self.body = body(channels, out, stride)
        self.shortcut = nn.Sequential(*conv_bn(channels, out, 1, stride)) if stride != 1 or channels != out else None

    def forward(self, x):
        return F.relu(self.body(x) + (x if self.shortcut is None else self.shortcut(x)))


class PlainBlock(nn.Module):
    """The shortcut has no parameters: every other position, and channels of zeros."""

    def __init__(self, channels, out, stride):
        super().__init__()
        self.body = body(channels, out, stride)
        self.stride, self.further = stride, out - channels

    def forward(self, x):
        y = self.body(x)
        if self.stride > 1:
            x = F.pad(F.avg_pool2d(x, 1, self.stride), (0, 0, 0, 0, 0, self.further))
        return F.relu(y + x)


def residual(block, widths, blocks):
    """blocks: of each stage; the first stage keeps the extents, the others halve them."""
    layers, width = [*conv_bn(3, widths[0], 3, 1), nn.ReLU()], widths[0]
    for stage, out in enumerate(widths):
        for i in range(blocks):
            layers.append(block(width, out, 2 if stage and not i else 1))
            width = out
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))


def resnet18_cifar():
    return residual(Block, (64, 128, 256, 512), 2)


# ---- text


class Recurrent(nn.Module):
    """Embedding, two layers of LSTM, batch first, and the logits."""

    def __init__(self, vocabulary, width):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.rnn = nn.LSTM(width, width, 2, batch_first=True)
        self.out = nn.Linear(width, vocabulary)

    def forward(self, x):
        return self.out(self.rnn(self.embedding(x))[0])


def char_lstm():
    return Recurrent(65, 256)


WIDTH, HEADS, LAYERS, CONTEXT, LETTERS = 192, 6, 6, 128, 65


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        batch, time, _ = x.shape
        q, k, v = (part.view(batch, time, HEADS, WIDTH // HEADS).transpose(1, 2) for part in self.qkv(x).split(WIDTH, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, time, WIDTH))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(WIDTH), Attention(), nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """Pre-norm blocks; a Linear without bias at the end, not tied to the embedding of tokens."""

    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(LETTERS, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*[Decoder() for _ in range(LAYERS)])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, LETTERS, bias=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device))
        return self.head(self.norm(self.blocks(x)))


char_gpt = GPT

# ---- dlbench


def fcn5():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 2048), nn.Sigmoid(), nn.Linear(2048, 4096), nn.Sigmoid(), nn.Linear(4096, 1024),
                         nn.Sigmoid(), nn.Linear(1024, 10))


def alexnet_cifar():
    return nn.Sequential(nn.Conv2d(3, 32, 5, padding=2), nn.MaxPool2d(3, 2), nn.ReLU(),
                         nn.Conv2d(32, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
                         nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.AvgPool2d(3, 2), nn.Flatten(), nn.Linear(64 * 3 * 3, 10))


def resnet56_cifar():
    return residual(PlainBlock, (16, 32, 64), 9)


def lstm_words():
    return Recurrent(10000, 256)
