"""process/*: whole processes (seconds, and the peak of their memory in MB) and the size of the installation."""
import os
import subprocess
import sys

import torch

from . import measure

# A small process starts each: the peak of a process includes what the one that started it had in memory at that moment.
STARTER = """import os, sys, time
began = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(f'\\n{time.perf_counter() - began} {used.ru_maxrss} {status}')"""


def start(words):
    """Seconds, peak memory in MB, and output."""
    lines = subprocess.check_output([sys.executable, '-I', '-S', '-c', STARTER, *words], text=True).rstrip().split('\n')
    seconds, kilobytes, status = lines[-1].split()
    if status != '0':
        raise RuntimeError(f'{words}: status {status}')
    return float(seconds), int(kilobytes) / 1024, '\n'.join(lines[:-1]).strip()


def samples_of(words, n):
    start(words)
    runs = [start(words) for _ in range(n)]
    return [run[0] for run in runs], dict(rss_mb=round(max(run[1] for run in runs), 1), out=runs[-1][2][-200:])


def installed():
    """The whole environment; `parts`: the largest packages, in MB."""
    site = os.path.dirname(os.path.dirname(torch.__file__))

    def size(*folders):
        lines = subprocess.check_output(['du', '-sB1', *folders], text=True).splitlines()
        return {os.path.basename(line.split('\t')[1]): round(int(line.split('\t')[0]) / 1e6) for line in lines}
    parts = [path for path in (os.path.join(site, name) for name in ('torch', 'nvidia', 'triton')) if os.path.isdir(path)]
    return [0.0], dict(value=sum(size(sys.prefix).values()), parts=size(*parts),
                       packages=sum(name.endswith('.dist-info') for name in os.listdir(site)))


def processes():
    def add(name, n, *words):
        measure.add('process/' + name, 's', 1, lambda: samples_of([sys.executable, *words], n), kind='runs')
    add('start_interpreter', 9, '-c', 'pass')
    add('start_import_torch', 5, '-c', 'import torch')
    add('start_first_add', 5, '-c', 'import torch; x = torch.ones(3); print((x + x).sum().item())')
    add('lenet_mnist_epoch', 2, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lenet_epoch.py'), measure.device)
    measure.add('process/installed_size', 'MB', 0, installed, kind='runs')
