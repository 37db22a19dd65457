local o = options { hidden = 4 }
local x, y = torch.randn(24, 3), torch.arange(24) % 2 + 1
return recipe {
  data = { train = data.TensorDataset(x, y), val = data.TensorDataset(x, y) },
  model = nn.Linear(3, o.hidden) .. nn.ReLU() .. nn.Dropout(0.2) .. nn.Linear(o.hidden, 2),
  loss = nn.CrossEntropyLoss(), optim = optim.AdamW { lr = 0.05 }, schedule = optim.lr_scheduler.ExponentialLR { gamma = 0.9 },
  batch = 8, epochs = 4, metrics = { 'accuracy' },
}
