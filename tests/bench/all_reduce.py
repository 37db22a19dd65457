#!/usr/bin/env python3
"""all_reduce over Gloo on one machine, ranks of one thread each: luth beside PyTorch in turns.

    python all_reduce.py path/to/luth [rounds] [ranks]

The median over the rounds of PyTorch's time divided by luth's, for 4 bytes, 1 MiB and 64 MiB of float32.
"""
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ONE_THREAD = dict(os.environ, OMP_NUM_THREADS='1', LUTH_THREADS='1')
SIZES = [4, 2**20, 2**26]


def pytorch_rank():
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    dist.init_process_group('gloo')
    for size in SIZES:
        x, times = torch.ones(size // 4), []
        dist.barrier()
        for _ in range(max(8, min(2000, 2**28 // size))):
            began = time.perf_counter()
            dist.all_reduce(x)
            times.append(time.perf_counter() - began)
        if dist.get_rank() == 0: print(size, sorted(times)[len(times) // 2])


# Lines of bytes and seconds; `luth launch` puts the rank in front.
def read(text): return {int(a): float(b) for a, b in (line.split()[-2:] for line in text.decode().splitlines())}


def luth_times(luth, ranks):
    command = [luth, 'launch', '--nproc', str(ranks), os.path.join(HERE, 'all_reduce.lua')]
    return read(subprocess.run(command, env=ONE_THREAD, stdout=subprocess.PIPE, timeout=600, check=True).stdout)


def pytorch_times(ranks, port):
    me = [sys.executable, os.path.abspath(__file__), '--pytorch']
    more = dict(ONE_THREAD, WORLD_SIZE=str(ranks), MASTER_ADDR='127.0.0.1', MASTER_PORT=str(port))
    all = [subprocess.Popen(me, env=dict(more, RANK=str(r)), stdout=subprocess.PIPE) for r in range(ranks)]
    return read([p.communicate(timeout=600)[0] for p in all][0])


def main():
    luth, rounds, ranks = sys.argv[1], int((sys.argv[2:] + ['5'])[0]), int((sys.argv[3:] + ['2'])[0])
    ratios = {size: [] for size in SIZES}
    for i in range(rounds):
        ours, theirs = luth_times(luth, ranks), pytorch_times(ranks, 29700 + i)
        print(f'round {i + 1}: ' + '; '.join(f'{n} B luth {ours[n] * 1e6:.0f} us, PyTorch {theirs[n] * 1e6:.0f} us' for n in SIZES))
        for n in SIZES: ratios[n].append(theirs[n] / ours[n])
    for n in SIZES: print(f'{n} B: {statistics.median(ratios[n]):.2f} times as fast as PyTorch')


if sys.argv[1] == '--pytorch': pytorch_rank()
else: main()
