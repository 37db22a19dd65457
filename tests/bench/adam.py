#!/usr/bin/env python3
"""A step of Adam over the trunk of ResNet-18 (11 million parameters in 60 tensors), on one thread: luth beside PyTorch.

    python adam.py path/to/luth [rounds]

luth, PyTorch's default and its fused=True take turns; the best of all rounds counts, because other work on the machine
only adds time. `luth bench --filter optim/adam` has the same shapes.
"""
import json
import os
import subprocess
import sys
import time

os.environ['OMP_NUM_THREADS'] = '1'
import torch

torch.set_num_threads(1)


def shapes():
    out = []
    def conv_bn(channels, inputs, k): out.extend([(channels, inputs, k, k), (channels,), (channels,)])
    conv_bn(64, 3, 3)
    width = 64
    for channels in (64, 128, 256, 512):
        for block in range(2):
            conv_bn(channels, width, 3)
            conv_bn(channels, channels, 3)
            if block == 0 and channels != width: conv_bn(channels, width, 1)
            width = channels
    return out


def pytorch(**settings):
    params = [torch.randn(s, requires_grad=True) for s in shapes()]
    for p in params: p.grad = torch.randn(p.shape) * 1e-3
    opt = torch.optim.Adam(params, lr=1e-4, **settings)
    def step():
        best = 1e9
        for _ in range(10):
            begin = time.perf_counter()
            opt.step()
            best = min(best, time.perf_counter() - begin)
        return best * 1e3
    step()
    return step


def luth(path):
    run = subprocess.run([path, 'bench', '--threads', '1', '--filter', 'optim/adam', '--json'], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    return next(row['best'] for row in rows if row['name'] == 'optim/adam')


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    default, fused, best = pytorch(), pytorch(fused=True), {}
    print(sum(torch.Size(s).numel() for s in shapes()), 'elements in', len(shapes()), 'tensors')
    for _ in range(rounds):
        times = {'luth': luth(sys.argv[1]), 'PyTorch default': default(), 'PyTorch fused': fused()}
        for name, t in times.items(): best[name] = min(best.get(name, 1e9), t)
    for name, t in best.items(): print(f'{name:16} {t:8.3f} ms   luth is {t / best["luth"]:.2f} times as fast')


if __name__ == '__main__':
    main()
