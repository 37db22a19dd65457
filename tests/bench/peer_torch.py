#!/usr/bin/env python3
"""PyTorch's side of `luth bench`: the same workloads under the same names, one JSON object a line.

    python tests/bench/peer_torch.py [--list] [--filter REGEX] [--threads N] [--device cpu|cuda] [--variants eager,compile]

Each file of torch_side/ has some groups of workloads and says what they compute; torch_side/measure.py times them by the
protocol of share/luth/bench.lua. Wants torch, numpy, h5py, safetensors; torchvision for cnn16/* and data/jpeg_*.
`scripts/compare.sh` runs both sides.
"""
import argparse
import json
import os
import re
import sys
import tempfile
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--filter', default='', help='regular expression searched in the names')
    parser.add_argument('--threads', type=int, default=0, help='0: what torch chooses')
    parser.add_argument('--device', choices=['cpu', 'cuda'], default='cpu')
    parser.add_argument('--variants', default='eager', help='eager, compile, or both with a comma')
    parser.add_argument('--seconds', type=float, default=0.5, help='measuring time of one workload')
    parser.add_argument('--tf32', action='store_true', help='cuda: let float32 products and convolutions use TF32')
    parser.add_argument('--tmp', default=tempfile.gettempdir(), help='folder for files that are written')
    parser.add_argument('--list', action='store_true', help='print name, unit and variant of the workloads and stop')
    return parser.parse_args()


def groups():
    """All groups of workloads, in the order of `luth bench`."""
    from torch_side import elements, files, layers, overhead, processes, products, training
    return [overhead.overhead, elements.elementwise, elements.reductions, elements.norms, elements.random, products.products,
            products.convolutions, products.pooling, layers.indexing, layers.attention, layers.recurrent, layers.optimizers,
            training.steps, training.inference, training.cnn16, training.dlbench, files.data, files.checkpoints,
            processes.processes]


def run(workload, measure, seconds):
    """The fields of a workload's line."""
    fields = {}
    if workload.kind == 'runs':
        samples, fields = workload.make()
    elif workload.kind == 'statement':
        samples = measure.statement(*workload.make(), seconds)
    else:
        began = time.perf_counter()
        call = workload.make()
        if workload.variant == 'compile':
            measure.first_compiled_call(call)
            fields['compile_s'] = round(time.perf_counter() - began, 2)
        samples = measure.calls(call, workload, seconds)
    return {**measure.summary(workload, samples), **fields}


def main():
    options = arguments()
    if options.threads:  # before torch reads them
        os.environ.update(OMP_NUM_THREADS=str(options.threads), MKL_NUM_THREADS=str(options.threads))
    os.environ['TORCHINDUCTOR_FORCE_DISABLE_CACHES'] = '1'  # compile_s is what a first run pays
    from torch_side import measure
    measure.set_up(options.device, options.threads, options.tf32, options.tmp)
    for group in groups():
        group()
    chosen = [w for w in measure.workloads if re.search(options.filter, w.name) and w.variant in options.variants.split(',')]
    if options.list:
        for w in chosen:
            print(w.name, w.unit, w.variant)
        return 0
    failed = 0
    for w in chosen:
        line = measure.origin(w)
        try:
            line |= run(w, measure, options.seconds)
        except Exception as error:  # the others go on
            failed = 1
            line |= dict(name=w.name, error=f'{type(error).__name__}: {error}'[:300])
        print(json.dumps(line), flush=True)
        measure.clean_up()
    return failed


if __name__ == '__main__':
    sys.exit(main())
