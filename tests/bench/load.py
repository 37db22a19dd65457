#!/usr/bin/env python3
"""Loading, warm: a checkpoint of 1 GB beside torch.load of the same tensors, and HDF5 files of 100 MB through the process
that parses them beside parsing in luth's own.

    python load.py path/to/luth [rounds] [MB]

Needs torch and h5py. Files go to a temporary folder; the median of the rounds of each ratio.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'load.lua')


def luth_seconds(luth, path, *more):
    out = subprocess.run([luth, SCRIPT, path, '3', *more], stdout=subprocess.PIPE, timeout=600, check=True).stdout
    return float(out)


def torch_seconds(path):
    import torch
    times = []
    for _ in range(4):
        began = time.perf_counter()
        for x in torch.load(path).values(): x.view(-1)[0].item()
        times.append(time.perf_counter() - began)
    return sorted(times[1:])[1]


def compare(what, rounds, ours, theirs, names):
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    ratio = statistics.median(b / a for a, b in pairs)
    a, b = min(p[0] for p in pairs), min(p[1] for p in pairs)
    print(f'{what}: {names[0]} {a * 1e3:.1f} ms, {names[1]} {b * 1e3:.1f} ms (best); median of the ratio {ratio:.3f}')


def main():
    import h5py
    import torch
    luth, rounds, size = sys.argv[1], int((sys.argv[2:] + ['5'])[0]), (sys.argv[3:] + ['1000'])[0]
    with tempfile.TemporaryDirectory() as folder:
        own, peer = os.path.join(folder, 'own.h5'), os.path.join(folder, 'peer.pt')
        subprocess.run([luth, SCRIPT, own, 'make', size], check=True)
        with h5py.File(own) as f:
            found = {}
            f.visititems(lambda name, x: found.__setitem__(name, torch.from_numpy(x[()])) if isinstance(x, h5py.Dataset) else None)
        torch.save({k: v for k, v in found.items() if v.numel() > 1000}, peer)
        compare(f'checkpoint of {size} MB', rounds, lambda: luth_seconds(luth, own), lambda: torch_seconds(peer), ['luth', 'torch.load'])

        values = torch.randn(25_000_000).mul(100).round().div(100).numpy().reshape(5000, 5000)
        for name, packed in (('contiguous', {}), ('gzip', dict(compression='gzip', compression_opts=1, chunks=(500, 500)))):
            path = os.path.join(folder, name + '.h5')
            with h5py.File(path, 'w') as f: f.create_dataset('x', data=values, **packed)
            compare(f'HDF5 of 100 MB, {name}', rounds, lambda: luth_seconds(luth, path), lambda: luth_seconds(luth, path, 'trusted'),
                    ['child', 'in-process'])


main()
