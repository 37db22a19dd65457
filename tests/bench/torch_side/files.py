"""data/*, io/*: loading of data and checkpoints.

data/  A sample is one epoch, after a warm-up of 2,000 items; each epoch has a new loader. mnist_dataloader_wN: 60,000 images in memory
       as bytes; __getitem__ gives float32 (1, 28, 28), normalised, and the label; batch 128, shuffled, N workers.
       mnist_tensor_batches: whole batches by an index tensor, the same arithmetic. jpeg_folder_wN: JPEG files of 32 x 32 in ten folders:
       decode, random crop with padding 4, random flip, normalise; batch 128, shuffled. It wants the folder in $LUTH_BENCH_JPEG.
       read_mnist_gz: both training files, gunzip and parse.
io/    The state dict of the 60 tensors of optim/*. save_*: a file in --tmp, overwritten; _fsync syncs it. load_*: page cache warm, one
       element of each tensor is read; _touched sums every tensor. The first run does not count, five others do.
"""
import gzip
import os
import time

import torch

from . import measure
from .layers import PARAMETERS, trunk_shapes

MNIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'share', 'data', 'mnist')
IMAGES, MEAN, DEVIATION = 60000, 0.1307, 0.3081


def read_idx(name):
    """The tensor of a file in MNIST's format: two zero bytes, a type (bytes), the number of dims, the extents, the elements."""
    import numpy as np
    with gzip.open(os.path.join(MNIST, name)) as f:
        raw = f.read()
    shape = [int.from_bytes(raw[4 + 4 * i:8 + 4 * i], 'big') for i in range(raw[3])]
    return torch.from_numpy(np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(shape).copy())


def mnist():
    return read_idx('train-images-idx3-ubyte.gz'), read_idx('train-labels-idx1-ubyte.gz')


def epochs(run, n=3):
    """Seconds of n runs; run(limit) reads `limit` samples, or all."""
    run(2000)
    samples = []
    for _ in range(n):
        began = time.perf_counter()
        run(None)
        samples.append(time.perf_counter() - began)
    return samples, {}


def loader(dataset, limit, workers):
    from torch.utils.data import DataLoader, Subset
    part = dataset if limit is None else Subset(dataset, range(min(limit, len(dataset))))
    return DataLoader(part, batch_size=128, shuffle=True, num_workers=workers)


class Digits(torch.utils.data.Dataset):
    def __init__(self):
        self.images, self.labels = mnist()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return (self.images[i].unsqueeze(0).float() / 255 - MEAN) / DEVIATION, int(self.labels[i])


def samples_of_loader(workers):
    measure.seed()
    dataset = Digits()

    def run(limit):
        count = sum(x.shape[0] for x, y in loader(dataset, limit, workers))
        assert limit or count == IMAGES
    return epochs(run)


def samples_of_whole_batches():
    measure.seed()
    images, labels = mnist()

    def run(limit):
        for i in torch.randperm(limit or IMAGES).split(128):
            (images[i].unsqueeze(1).float() / 255 - MEAN) / DEVIATION, labels[i].long()
    return epochs(run)


def samples_of_jpeg(workers):
    from torchvision import datasets, transforms
    folder = os.environ.get('LUTH_BENCH_JPEG')
    if not folder:
        raise RuntimeError('LUTH_BENCH_JPEG names no folder of JPEG files')
    measure.seed()
    dataset = datasets.ImageFolder(folder, transforms.Compose([
        transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
        transforms.Normalize((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616))]))

    def run(limit):
        for x, y in loader(dataset, limit, workers):
            pass
    return epochs(run, 2)


def data():
    for workers in (0, 2):
        measure.add(f'data/mnist_dataloader_w{workers}', 'samples/s', IMAGES, lambda workers=workers: samples_of_loader(workers),
                    kind='runs')
    measure.add('data/mnist_tensor_batches', 'samples/s', IMAGES, samples_of_whole_batches, kind='runs')
    for workers in (0, 2):
        measure.add(f'data/jpeg_folder_w{workers}', 'images/s', 10000, lambda workers=workers: samples_of_jpeg(workers), kind='runs')
    measure.add('data/read_mnist_gz', 'ms', 1, lambda: mnist, kind='steps', at_least=5)


# ---- checkpoints


def state_dict():
    measure.seed()
    return {f'p{i}': torch.randn(*shape) for i, shape in enumerate(trunk_shapes())}


def save_torch(state, path):
    torch.save(state, path)


def save_safetensors(state, path):
    from safetensors.torch import save_file
    save_file(state, path)


def load_safetensors(path):
    from safetensors.torch import load_file
    return load_file(path)


def save_h5py(state, path):
    """One contiguous dataset for each tensor."""
    import h5py
    with h5py.File(path, 'w') as f:
        for name, tensor in state.items():
            f.create_dataset(name, data=tensor.numpy())


def load_h5py(path):
    import h5py
    with h5py.File(path, 'r') as f:
        return {name: torch.from_numpy(f[name][()]) for name in f}


def synced(save):
    def both(state, path):
        save(state, path)
        file = os.open(path, os.O_RDONLY)
        os.fsync(file)
        os.close(file)
    return both


def touch_one(state):
    return sum(float(tensor.view(-1)[-1]) for tensor in state.values())


def touch_all(state):
    for tensor in state.values():
        tensor.sum()


def samples_of_file(extension, f, before=None):
    """Seconds of f(state, path); `before` makes the file."""
    path, state, samples = os.path.join(measure.folder, f'luth-bench-{os.getpid()}.{extension}'), state_dict(), []
    try:
        if before:
            before(state, path)
        for _ in range(6):
            began = time.perf_counter()
            f(state, path)
            samples.append(time.perf_counter() - began)
    finally:
        if os.path.exists(path):
            os.unlink(path)
    return samples[1:], {}


def checkpoints():
    def add(name, extension, f, before=None):
        measure.add('io/' + name, 'MB/s', 4 * PARAMETERS, lambda: samples_of_file(extension, f, before), kind='runs')
    formats = {'torch': ('pt', save_torch, torch.load), 'safetensors': ('safetensors', save_safetensors, load_safetensors),
               'h5py': ('h5', save_h5py, load_h5py)}
    for name, (extension, save, load) in formats.items():
        add('save_' + name, extension, save)
        add(f'save_{name}_fsync', extension, synced(save))
        add('load_' + name, extension, lambda state, path, load=load: touch_one(load(path)), synced(save))
        add(f'load_{name}_touched', extension, lambda state, path, load=load: touch_all(load(path)), synced(save))
