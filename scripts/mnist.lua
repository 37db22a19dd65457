-- LeNet on MNIST: luth train scripts/mnist.lua [--epochs 3] [--lr 0.003] [--root data/mnist]
local o = options { lr = { 3e-3, 'the largest learning rate' }, root = { 'data/mnist', "the folder of MNIST's files" } }

return recipe {
  data = data.mnist { root = o.root },
  model = nn.Conv2d(1, 6, 5, { padding = 2 }) .. nn.ReLU() .. nn.MaxPool2d(2)
    .. nn.Conv2d(6, 16, 5) .. nn.ReLU() .. nn.MaxPool2d(2) .. nn.Flatten()
    .. nn.Linear(400, 120) .. nn.ReLU() .. nn.Linear(120, 84) .. nn.ReLU() .. nn.Linear(84, 10),
  loss = nn.CrossEntropyLoss(),
  optim = optim.AdamW { lr = o.lr },
  schedule = optim.lr_scheduler.OneCycleLR { max_lr = o.lr },
  batch = 64,
  epochs = 3,
  metrics = { 'accuracy' },
}
