-- k nearest neighbours on MNIST: luth scripts/classic/knn.lua [k] [test images] [root]
-- k = 3 and 2,000 test images: accuracy 0.9580. scikit-learn's KNeighborsClassifier(3) on the same: 0.9580.
local k, count, root = tonumber(arg[1] or 3), tonumber(arg[2] or 2000), arg[3] or 'data/mnist'

local function all(dataset, most)
  for images, labels in data.DataLoader(dataset, { batch_size = math.min(most, #dataset) }) do return images:flatten(2), labels end
end
local known, known_labels = all(data.mnist { root = root }, math.huge)
local images, labels = all(data.mnist { root = root, train = false }, count)
local squares = known:square():sum(2)

local right = 0
for from = 1, #images, 500 do  -- distances of 500 images to all that are known: |a|² - 2ab + |b|², where |a|² changes no order
  local part = images[{ { from, math.min(from + 499, #images) } }]
  local distances = squares - 2 * part:matmul(known:t())
  local _, nearest = distances:topk(k, 2, false)
  local votes = F.one_hot(known_labels:index_select(1, nearest:flatten()), 10):view(#part, k, 10):sum(2)
  right = right + votes:argmax(2):eq(labels[{ { from, from + #part - 1 } }]):sum():item()
end
print(('%d nearest of %d images: accuracy %.4f on %d'):format(k, #known, right / #images, #images))
