#!/usr/bin/env python3
"""PyTorch's losses over 50 steps of training, from its own initial weights: training.h5.

    python make_training.py [folder]

Five small networks without dropout, each with its data, in float64 and in float32 on one thread. Weights and data are
exact in float32, so both runs begin alike. README.md has the format.
"""
import json
import math
import pathlib
import sys

import h5py
import numpy as np
import torch
from torch import nn

STEPS, WORDS, LENGTH = 50, 20, 12
torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        same = channels == out and stride == 1
        self.shortcut = nn.Identity() if same else nn.Sequential(nn.Conv2d(channels, out, 1, stride=stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class CharLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 16)
        self.lstm = nn.LSTM(16, 32, num_layers=2, batch_first=True)
        self.head = nn.Linear(32, WORDS)

    def forward(self, x):
        return self.head(self.lstm(self.embedding(x))[0]).reshape(-1, WORDS)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 32)
        self.positions = nn.Parameter(torch.randn(LENGTH, 32) * 0.1)
        layer = nn.TransformerEncoderLayer(32, 4, dim_feedforward=64, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, WORDS)

    def forward(self, x):
        mask = torch.ones(LENGTH, LENGTH).triu(1).bool()
        return self.head(self.encoder(self.embedding(x) + self.positions, mask=mask)).reshape(-1, WORDS)


def mlp():
    return nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))

def lenet():
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))

def resnet():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), Block(8, 8, 1), Block(8, 16, 2), Block(16, 32, 2),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))


def images(*shape):
    """64 samples: a pattern for each of 10 classes, and noise, in steps of 1/16."""
    labels = torch.arange(64) % 10
    x = torch.randn(10, *shape)[labels] + 0.7 * torch.randn(64, *shape)
    return (x * 16).round() / 16, labels

def text():
    """64 sequences that mostly follow a fixed successor of each token; the targets are the next tokens."""
    after = torch.randperm(WORDS)
    rows = [torch.randint(WORDS, (64,))]
    for _ in range(LENGTH):
        rows.append(torch.where(torch.rand(64) < 0.8, after[rows[-1]], torch.randint(WORDS, (64,))))
    all_ = torch.stack(rows, 1)
    return all_[:, :-1].contiguous(), all_[:, 1:].contiguous()


# name, model, data, optimizer, its arguments, the largest norm of the gradients
CASES = [('mlp', mlp, lambda: images(20), 'SGD', dict(lr=0.02, momentum=0.9), None),
         ('lenet', lenet, lambda: images(1, 28, 28), 'Adam', dict(lr=1e-3), None),
         ('resnet', resnet, lambda: images(3, 12, 12), 'SGD', dict(lr=0.02, momentum=0.9, nesterov=True, weight_decay=5e-4), None),
         ('char_lstm', CharLSTM, text, 'RMSprop', dict(lr=3e-3, alpha=0.9), 1.0),
         ('transformer', Transformer, text, 'AdamW', dict(lr=2e-3, weight_decay=0.05), 1.0)]


def run(make, state, x, y, optimizer, args, clip, dtype):
    torch.set_default_dtype(dtype)
    model = make()
    model.load_state_dict(state)
    opt = getattr(torch.optim, optimizer)(model.parameters(), **args)
    x = x.to(dtype) if x.is_floating_point() else x
    losses = []
    for step in range(STEPS):
        at = slice(step % 4 * 16, step % 4 * 16 + 16)
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x[at]), y[at].reshape(-1))
        loss.backward()
        if clip: nn.utils.clip_grad_norm_(model.parameters(), clip)
        opt.step()
        losses.append(loss.item())
    torch.set_default_dtype(torch.float32)
    return losses


class Pool:
    """One flat dataset for each dtype; entries say where a tensor lies."""
    def __init__(self): self.parts, self.size = {}, {}

    def put(self, t):
        a = t.detach().numpy()
        name = str(a.dtype)
        at = self.size.get(name, 0)
        self.parts.setdefault(name, []).append(a.reshape(-1))
        self.size[name] = at + a.size
        return {'tensor': {'dtype': name, 'shape': list(t.shape), 'at': at}}

    def write(self, path, index):
        with h5py.File(path, 'w') as f:
            def save(name, a): f.create_dataset(name, data=a, chunks=(min(len(a), 65536),), compression='gzip', compression_opts=9, shuffle=True)
            save('json', np.frombuffer(json.dumps(index, separators=(',', ':')).encode(), np.uint8))
            for name, parts in self.parts.items(): save(name, np.concatenate(parts))


def main(folder):
    pool, cases = Pool(), []
    for seed, (name, make, data, optimizer, args, clip) in enumerate(CASES):
        torch.manual_seed(seed)
        state = make().state_dict()
        x, y = data()
        losses = {d: run(make, state, x, y, optimizer, args, clip, getattr(torch, d)) for d in ('float64', 'float32')}
        far = max(abs(a / b - 1) for a, b in zip(losses['float32'], losses['float64']))
        print(f'{name}: loss {losses["float64"][0]:.4f} to {losses["float64"][-1]:.4f}; float32 differs by {far:.2e}')
        small = lambda t: t.to(torch.int32) if t.dtype == torch.int64 else t
        cases.append({'id': name, 'optimizer': optimizer, 'args': args, 'clip': clip, 'state': {k: pool.put(small(v)) for k, v in state.items()},
                      'x': pool.put(small(x)), 'y': pool.put(small(y)), 'losses': losses})
    pool.write(folder / 'training.h5', {'format': 'luth.golden.training', 'torch': torch.__version__, 'cases': cases})


if __name__ == '__main__':
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent))
