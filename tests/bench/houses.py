"""The recipe of scripts/houses.lua in PyTorch, and a linear model of scikit-learn.
    python3 tests/bench/houses.py [SEEDS]"""
import csv
import os
import sys

import numpy as np
import torch
from sklearn.linear_model import LinearRegression

root = os.path.join(os.path.dirname(__file__), "../../share/data/houses")
epochs, batch, rate = 60, 50, 1e-2


def read(name):
    with open(os.path.join(root, name)) as file:
        return list(csv.DictReader(file))


def numbers(rows, name):
    return np.array([float(row[name]) if row[name] else np.nan for row in rows])


def features(train, rows):
    """Standardised numbers, of which missing ones are 0, and a column for each category, as data.CSV makes them."""
    columns = []
    for name in ("area", "rooms", "age", "distance"):
        known, values = numbers(train, name), numbers(rows, name)
        columns.append(np.nan_to_num((values - np.nanmean(known)) / np.nanstd(known)))
    for name in ("district", "kind"):
        for category in sorted({row[name] for row in train if row[name]}):
            columns.append(np.array([float(row[name] == category) for row in rows]))
    return np.stack(columns, 1)


def network(x, y, seed):
    torch.manual_seed(seed)
    net = torch.nn.Sequential(torch.nn.Linear(x.shape[1], 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU(),
                              torch.nn.Linear(64, 1))
    x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)[:, None]
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=epochs * (len(x) // batch))
    for _ in range(epochs):
        for some in torch.randperm(len(x)).split(batch):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(net(x[some]), y[some]).backward()
            optimizer.step()
            schedule.step()
    return lambda values: net(torch.tensor(values, dtype=torch.float32)).detach()[:, 0].numpy()


def score(found, expected):
    r2 = 1 - ((found - expected) ** 2).sum() / ((expected - expected.mean()) ** 2).sum()
    return abs(found - expected).mean(), r2


train, test = read("train.csv"), read("test.csv")
x, y, inputs, expected = features(train, train), numbers(train, "price"), features(train, test), numbers(test, "price")
print("linear: mae %.3f, r2 %.3f" % score(LinearRegression().fit(x, y).predict(inputs), expected))
seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
scores = [score(network(x, y, seed)(inputs), expected) for seed in range(seeds)]
print("PyTorch: mae %.3f, r2 %.3f" % tuple(np.mean(scores, 0)))
