-- luth new --kind image: folders of images by class.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local template = require 'luth.new.template'

local text = [==[
-- Tells {{count}} classes of images apart: luth train {{path}}
--   {{classes}}
-- {{images}} images below {{root}}; {{looked}} of them are {{sizes}}.
-- share/doc/recipes.md describes all that a recipe may say; `luth train {{path}} --help` lists the options.
local o = options {
  root = { {{root}}, 'the folder of the images, which has a folder for each class' },
  size = { {{size}}, 'pixels of each side that the model sees' },
  width = { {{width}}, 'channels of the first layer' },
  lr = { 2e-3, 'the largest learning rate' },
}

-- In training each image is a little different each time, so the model cannot learn it by heart.
local T = data.transforms
local changed = T.Compose {
  T.RandomResizedCrop(o.size, { scale = { 0.6, 1 } }), T.RandomHorizontalFlip(), T.ColorJitter { brightness = 0.2, contrast = 0.2 },
  T.ToTensor(), T.Normalize({{mean}}, {{std}}),
}
-- For validation, luth eval and luth predict it is always the same.
local plain = T.Compose {
  T.Resize(o.size), T.CenterCrop(o.size), T.ToTensor(), T.Normalize({{mean}}, {{std}}),
}

local function images(folder, transform) return data.ImageFolder(folder, { transform = transform, channels = {{channels}} }) end
?held local train = images(o.root .. '/{{train}}', changed)
?held local val = images(o.root .. '/{{held}}', plain)
?test local test = images(o.root .. '/{{test}}', plain)
!held -- A fifth of the images, always the same ones, is for validation.
!held local train = data.random_split(images({{where}}, changed), { 0.8, 0.2 }, { seed = 0 })
!held local _, val = data.random_split(images({{where}}, plain), { 0.8, 0.2 }, { seed = 0 })
local classes = train:classes()

-- Four blocks, each of which halves the sides and doubles the channels. For larger data:
--   local model = require('models').resnet18 { num_classes = #classes, weights = nil }   -- weights: a file of PyTorch's
local model, channels = nn.Sequential(), {{channels}}
for block = 1, 4 do
  local wider = o.width << (block - 1)
  model:append(nn.Conv2d(channels, wider, 3, { padding = 1, bias = false }))
  model:append(nn.BatchNorm2d(wider))
  model:append(nn.ReLU())
  model:append(block < 4 and nn.MaxPool2d(2) or nn.AdaptiveAvgPool2d(1))
  channels = wider
end
model:append(nn.Flatten())
model:append(nn.Dropout(0.2))
model:append(nn.Linear(channels, #classes))

return recipe {
  data = { train = train, val = val{{testpart}} },
  model = model,
?weights   -- Some classes are rarer than others, and count more.
?weights   loss = nn.CrossEntropyLoss { weight = torch.tensor {{weights}} },
!weights   loss = nn.CrossEntropyLoss(),
  optim = optim.AdamW { lr = o.lr, weight_decay = 0.01 },
  schedule = optim.lr_scheduler.OneCycleLR { max_lr = o.lr },
  batch = {{batch}},
  epochs = 20,
  workers = {{workers}},  -- threads that read images in advance
  metrics = { 'f1', 'accuracy' },  -- best.h5 is that of the best accuracy, the last one
}
]==]

-- The first of the names that is a folder below the root.
local function part_of(root, names)
  for _, name in ipairs(names) do
    if native.exists(root .. '/' .. name .. '/.') then return name end
  end
end

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end

local most_looked_at = 40

-- Images per class, and sizes and channels of some images, spread over all.
local function look(ds)
  local counts, sides, widths, heights, gray = {}, {}, {}, {}, true
  local classes = ds:classes()
  for c = 1, #classes do counts[c] = 0 end
  local at, n = {}, #ds
  for i = 1, n do
    local class = ds:path(i):sub(#ds.root + 2):match '^[^/]*'
    at[class] = (at[class] or 0) + 1
  end
  for c, name in ipairs(classes) do counts[c] = at[name] or 0 end
  local looked = math.min(n, most_looked_at)
  for k = 1, looked do
    local i = 1 + (k - 1) * n // looked
    local x = data.read_image(ds:path(i), { channels = 0 })
    gray = gray and x:size(1) == 1
    heights[k], widths[k], sides[k] = x:size(2), x:size(3), math.min(x:size(2), x:size(3))
  end
  return { classes = classes, counts = counts, side = median(sides), widths = widths, heights = heights, gray = gray, looked = looked }
end

local function range(list)
  local low, high = math.min(table.unpack(list)), math.max(table.unpack(list))
  return low == high and tostring(low) or string.format('%d to %d', low, high)
end

-- "ant (20), bee (12), ... 8 more"
local function classes_text(seen)
  local parts = {}
  for c, name in ipairs(seen.classes) do
    if c > 8 then parts[c] = string.format('... %d more', #seen.classes - 8) break end
    parts[c] = string.format('%s (%d)', name:gsub('%c', '?'), seen.counts[c])
  end
  return table.concat(parts, ', ')
end

-- Weights that make up for rare classes, as text; nil where there are none.
local function weights_of(counts)
  local low, high = math.min(table.unpack(counts)), math.max(table.unpack(counts))
  if high < 3 * low or #counts > 64 then return nil end
  local total, parts = 0, {}
  for _, n in ipairs(counts) do total = total + n end
  for c, n in ipairs(counts) do parts[c] = string.format('%.3g', total / #counts / n) end
  return '{ ' .. table.concat(parts, ', ') .. ' }'
end

-- The folder of the training data and the names of the others.
local function parts_of(root)
  local train = part_of(root, { 'train', 'training', 'Train' })
  if not train then return root, {} end
  local held = part_of(root, { 'val', 'valid', 'validation', 'Val', 'dev' })
  local test = part_of(root, { 'test', 'testing', 'Test' })
  if not held then held, test = test, nil end
  return root .. '/' .. train, { train = train, held = held, test = test }
end

local function sides_of(side)
  for _, size in ipairs { 32, 64, 96, 128 } do
    if side <= size * 1.25 then return size end
  end
  return 160
end

--- The text of a recipe, and what it is, in words. `path`: of the recipe.
return function(path, o)
  local root = o.data:gsub('(.)/+$', '%1')
  local folder, parts = parts_of(root)
  local ds = data.ImageFolder(folder)
  local seen = look(setmetatable({ root = folder, path = function(_, i) return ds:path(i) end, classes = function() return ds:classes() end },
                                 { __len = function() return #ds end }))
  if #seen.classes < 2 then errors.usage("'%s' has one class, '%s'; there is nothing to tell apart", folder, seen.classes[1]) end
  local channels = seen.gray and 1 or 3
  local size = sides_of(seen.side)
  local values = {
    path = path, count = #seen.classes, classes = classes_text(seen), images = #ds, looked = seen.looked,
    sizes = string.format('%s pixels wide and %s high%s', range(seen.widths), range(seen.heights), seen.gray and ', gray' or ''),
    root = template.quote(root), size = size, width = size <= 32 and 16 or 24, channels = channels,
    mean = seen.gray and '{ 0.45 }' or '{ 0.485, 0.456, 0.406 }', std = seen.gray and '{ 0.23 }' or '{ 0.229, 0.224, 0.225 }',
    train = parts.train, held = parts.held, test = parts.test, testpart = parts.test and ', test = test' or '',
    where = parts.train and string.format("o.root .. '/%s'", parts.train) or 'o.root',
    weights = weights_of(seen.counts), batch = math.max(2, math.min(32, #ds // 8)), workers = math.min(4, torch.get_num_threads()),
  }
  return template.fill(text, values), string.format('%d classes of images', #seen.classes)
end
