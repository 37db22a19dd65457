"""What a workload is, and how it is timed."""
import gc
import statistics
import time
import timeit
from dataclasses import dataclass
from typing import Callable

import torch

Ki, Mi = 1 << 10, 1 << 20


@dataclass
class Workload:
    name: str
    unit: str               # ns/op ns/elem us/step ms s GFLOP/s samples/s tokens/s images/s MB/s MB
    work: float             # elements, samples, operations or bytes of one call
    make: Callable          # () -> the function to time; (statement, globals); for 'runs' (list of seconds, further fields)
    kind: str = 'kernel'    # kernel: events on cuda; steps: by the clock; statement: timeit; runs: measures itself
    bytes: float = 0        # what a call must at least read and write, for GB/s
    variant: str = 'eager'  # or compile
    at_least: int = 7       # samples
    slow: bool = False      # a call takes many seconds: warmed up once, sampled twice


workloads = []
device, folder = 'cpu', '/tmp'


def add(name, unit, work, make, **fields):
    workloads.append(Workload(name, unit, work, make, **fields))


def set_up(device_name, threads, tf32, tmp):
    global device, folder
    device, folder = device_name, tmp
    if threads:
        torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = True


def origin(workload):
    """The fields of every line."""
    return dict(name=workload.name, unit=workload.unit, peer='torch' if workload.variant == 'eager' else 'torch.compile',
                version=torch.__version__, threads=torch.get_num_threads(), device=device)


# ---- timing


def synchronize():
    if device == 'cuda':
        torch.cuda.synchronize()


def clocked(call, k):
    """Seconds of k calls."""
    synchronize()
    began = time.perf_counter()
    for _ in range(k):
        call()
    synchronize()
    return time.perf_counter() - began


def between_events(call, k):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(k):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3


def calls(call, workload, seconds):
    """Two untimed calls, then samples of k calls of about 4 ms together: seconds of one call."""
    began = time.perf_counter()
    timed = between_events if device == 'cuda' and workload.kind == 'kernel' else clocked
    least, k = workload.at_least, 1
    call()
    if workload.slow:
        least = 2
    else:
        call()
        k = max(1, int(0.004 / max(clocked(call, 1), 1e-7)))
    samples, stop = [], time.perf_counter() + seconds
    while len(samples) < least or (time.perf_counter() < stop and len(samples) < 200):
        samples.append(timed(call, k) / k)
        if len(samples) >= 3 and time.perf_counter() - began > 30:
            break
    return samples


def statement(code, names, seconds):
    """The statement inline in timeit's loop, at least 10 ms a sample; Python's collector is off."""
    timer = timeit.Timer(code, globals=names)

    def once(k):
        began = time.perf_counter()
        timer.timeit(k)
        synchronize()
        return time.perf_counter() - began
    once(200)
    k = max(100, int(0.01 / max(once(200) / 200, 1e-9)))
    samples, stop = [], time.perf_counter() + seconds
    while len(samples) < 7 or time.perf_counter() < stop:
        samples.append(once(k) / k)
    return samples


def first_compiled_call(call):
    torch._dynamo.reset()
    call()
    synchronize()


def clean_up():
    gc.collect()


SCALE = {'ns/op': 1e9, 'us/step': 1e6, 'ms': 1e3, 's': 1.0}


def convert(workload, t):
    if workload.unit in SCALE:
        return t * SCALE[workload.unit]
    if workload.unit == 'ns/elem':
        return t * 1e9 / workload.work
    rate = workload.work / t if t else 0.0
    return rate / {'GFLOP/s': 1e9, 'MB/s': 1e6}.get(workload.unit, 1.0)


def summary(workload, samples):
    median, least = statistics.median(samples), min(samples)
    line = dict(value=round(convert(workload, median), 6), best=round(convert(workload, least), 6), n=len(samples), min=least,
                median=median)
    if workload.bytes:
        line['GB/s'] = round(workload.bytes / median / 1e9, 3)
    return line


# ---- for the workloads


def seed():
    torch.manual_seed(0)


def randn(*shape, dtype=None, grad=False):
    x = torch.randn(*shape, device=device)
    return (x if dtype is None else x.to(dtype)).requires_grad_(grad)


def integers(high, *shape):
    return torch.randint(high, shape, device=device)


def without_gradients(f):
    def call():
        with torch.no_grad():
            f()
    return call


def forward_backward(f, leaves, gradient=None):
    """One forward and one backward pass; the leaves' gradients are dropped before, not accumulated."""
    def call():
        for leaf in leaves:
            leaf.grad = None
        f().backward(gradient)
    return call


def kernel(inputs, f):
    """make() of f(*inputs) without gradients."""
    def make():
        seed()
        given = inputs()
        return without_gradients(lambda: f(*given))
    return make


def both(inputs, f, gradient):
    """make() of f(*inputs) and backward to the inputs that want a gradient. gradient: f's result -> its gradient; None for a
    scalar loss."""
    def make():
        seed()
        given = inputs()
        g = gradient(f(*given).detach()) if gradient else None
        return forward_backward(lambda: f(*given), [x for x in given if x.requires_grad], g)
    return make
