"""LeNet-5 on MNIST, one epoch, as a user of PyTorch writes it; then the accuracy over the test images. Usage: lenet_epoch.py [cpu|cuda]"""
import gzip
import os
import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = sys.argv[1] if len(sys.argv) > 1 else 'cpu'
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'share', 'data', 'mnist')


def read(name, header):
    with gzip.open(os.path.join(root, name)) as f:
        return torch.from_numpy(np.frombuffer(f.read(), np.uint8, offset=header).copy())


def part(name):
    images = read(f'{name}-images-idx3-ubyte.gz', 16).view(-1, 1, 28, 28).float() / 255
    return TensorDataset((images - 0.1307) / 0.3081, read(f'{name}-labels-idx1-ubyte.gz', 8).long())


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
criterion = nn.CrossEntropyLoss()

for x, y in DataLoader(part('train'), batch_size=128, shuffle=True):
    opt.zero_grad()
    criterion(net(x.to(device)), y.to(device)).backward()
    opt.step()

net.eval()
right = 0
with torch.no_grad():
    for x, y in DataLoader(part('t10k'), batch_size=1000):
        right += (net(x.to(device)).argmax(1) == y.to(device)).sum().item()
print(f'accuracy {right / 10000:.4f}')
