-- ResNet-18 for small images on CIFAR-10: luth train scripts/cifar10.lua --root DIR [--epochs 30] [--lr 0.1] [--amp bf16]
-- DIR holds the binary version of the set (`luth data get cifar10`): data_batch_1.bin … and test_batch.bin.
-- Not trained to its end on the machines of the project; the recipe in its form (crops, flips, SGD with momentum, one cycle) is
-- reported to reach 0.94 to 0.95 after 30 epochs.
local T = data.transforms
local o = options { root = { 'data/cifar10', 'the folder of the binary files' }, lr = { 0.1, 'the largest learning rate' }, width = { 64, 'channels of the first layers' } }

-- Two 3×3 convolutions and a way around them.
local Block = nn.class 'CifarBlock'
function Block:init(from, to, stride)
  self.conv1 = nn.Conv2d(from, to, 3, { stride = stride, padding = 1, bias = false })
  self.bn1 = nn.BatchNorm2d(to)
  self.conv2 = nn.Conv2d(to, to, 3, { padding = 1, bias = false })
  self.bn2 = nn.BatchNorm2d(to)
  if stride > 1 or from ~= to then self.around = nn.Conv2d(from, to, 1, { stride = stride, bias = false }) .. nn.BatchNorm2d(to) end
end
function Block:forward(x)
  local y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
  return F.relu(y + (self.around and self.around(x) or x))
end

local w = o.width
local model = nn.Conv2d(3, w, 3, { padding = 1, bias = false }) .. nn.BatchNorm2d(w) .. nn.ReLU()
for level, from in ipairs { w, w, 2 * w, 4 * w } do
  local to = w << (level - 1)
  model = model .. Block(from, to, level == 1 and 1 or 2) .. Block(to, to, 1)
end
model = model .. nn.AdaptiveAvgPool2d(1) .. nn.Flatten() .. nn.Linear(8 * w, 10)

local normalize = T.Normalize({ 0.4914, 0.4822, 0.4465 }, { 0.2470, 0.2435, 0.2616 })
return recipe {
  data = data.CIFAR10 {
    root = o.root, transform = T.Compose { T.RandomCrop(32, { padding = 4 }), T.RandomHorizontalFlip(), T.ToTensor(), normalize },
    test_transform = T.Compose { T.ToTensor(), normalize },
  },
  model = model, loss = nn.CrossEntropyLoss { label_smoothing = 0.1 },
  optim = optim.SGD { lr = o.lr, momentum = 0.9, weight_decay = 5e-4, nesterov = true },
  schedule = optim.lr_scheduler.OneCycleLR { max_lr = o.lr },
  batch = 128, epochs = 30, workers = 2, metrics = { 'accuracy' },
}
