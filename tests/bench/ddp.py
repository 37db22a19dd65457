#!/usr/bin/env python3
"""Data parallel training on two cores: luth beside PyTorch, ranks of one thread each, over Gloo.

    python ddp.py path/to/luth [mlp | resnet18_cifar] [rounds] [global batch]

The MLP 784-2048-4096-1024-10 (batch 4096), or the network and optimizer of train/resnet18_cifar (batch 64), in turns: one
rank with the whole batch; two ranks with half of it each; two processes with half of it each that share nothing. Each round
gives ratios of its own, and the median of the rounds is printed, because other work on the machine changes from round to
round.
"""
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ONE_THREAD = dict(os.environ, OMP_NUM_THREADS='1', LUTH_THREADS='1')
BATCHES = {'mlp': 4096, 'resnet18_cifar': 64}


def pytorch_step(network, batch, steps):
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if network == 'mlp':
        sizes, settings = [784, 2048, 4096, 1024, 10], dict(lr=0.01)
        layers = [m for a, b in zip(sizes, sizes[1:]) for m in (torch.nn.Linear(a, b), torch.nn.ReLU())]
        model, shape = torch.nn.Sequential(*layers[:-1]), [784]
    else:
        from torch_side import models
        model, shape, settings = models.resnet18_cifar(), [3, 32, 32], dict(lr=0.1, momentum=0.9, weight_decay=5e-4)
    launched = 'WORLD_SIZE' in os.environ
    if launched:
        dist.init_process_group('gloo')
        model = torch.nn.parallel.DistributedDataParallel(model)
    opt = torch.optim.SGD(model.parameters(), **settings)
    x, y = torch.randn(batch, *shape), torch.randint(10, (batch,))
    def step():
        opt.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        opt.step()
    for _ in range(2): step()
    if launched: dist.barrier()
    began = time.perf_counter()
    for _ in range(steps): step()
    if not launched or dist.get_rank() == 0: print(f'step {(time.perf_counter() - began) / steps:.4f}')


def result(process):
    out, _ = process.communicate(timeout=600)
    words = [line.split() for line in out.decode().splitlines()]
    return next((float(w[w.index('step') + 1]) for w in words if 'step' in w), None)


def start(command, **more):
    return subprocess.Popen(command, env=dict(ONE_THREAD, **more), stdout=subprocess.PIPE)


def torch_ranks(network, batch, steps, port):
    me = [sys.executable, os.path.abspath(__file__), '--pytorch', network, str(batch), str(steps)]
    if not port: return [start(me)]
    return [start(me, RANK=str(r), WORLD_SIZE='2', MASTER_ADDR='127.0.0.1', MASTER_PORT=str(port)) for r in range(2)]


def main():
    luth, words = sys.argv[1], sys.argv[2:]
    network = words.pop(0) if words and words[0] in BATCHES else 'mlp'
    rounds, batch = int((words + ['5'])[0]), int((words[1:] + [BATCHES[network]])[0])
    script, steps = os.path.join(HERE, 'ddp.lua'), 4
    def alone(n): return start([luth, script, network, str(n), str(steps)])
    ratios = {}
    def note(name, value): ratios.setdefault(name, []).append(value)
    for i in range(rounds):
        one = result(alone(batch))
        two = result(start([luth, 'launch', '--nproc', '2', script, network, str(batch // 2), str(steps)]))
        apart = max(result(p) for p in [alone(batch // 2), alone(batch // 2)])
        torch_one = result(torch_ranks(network, batch, steps, 0)[0])
        torch_two = max(filter(None, [result(p) for p in torch_ranks(network, batch // 2, steps, 29600 + i)]))
        print(f'round {i + 1}, seconds a step: luth {one:.3f} alone, {two:.3f} on two ranks, {apart:.3f} apart; '
              f'PyTorch {torch_one:.3f} alone, {torch_two:.3f} on two ranks', flush=True)
        note('luth: two ranks against one, times as fast (1.6)', one / two)
        note('luth: two ranks against two processes apart (0.85)', apart / two)
        note('PyTorch: two ranks against one', torch_one / torch_two)
        note('luth against PyTorch, two ranks, times as fast (1)', torch_two / two)
    for name, values in ratios.items(): print(f'{network}, {name}: {statistics.median(values):.2f}')
    if network != 'mlp': return
    overlap = subprocess.run([luth, 'launch', '--nproc', '2', script, 'overlap', str(batch // 2), str(steps)],
                             env=ONE_THREAD, stdout=subprocess.PIPE, timeout=600)
    print(overlap.stdout.decode().strip() + ' (0.70)')
    print(subprocess.run([luth, script, 'lenet'], env=ONE_THREAD, stdout=subprocess.PIPE,
                         timeout=600).stdout.decode().strip() + ' (1.03)')


if sys.argv[1] == '--pytorch': pytorch_step(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else: main()
