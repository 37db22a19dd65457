-- Samples of a dataset on the terminal: pictures side by side, rows of a table, lines of a text, arrays.
local native = require 'luth.native'

local M = {}

local function exists(path) return native.exists(path) end
local function is_folder(path) return exists(path .. '/.') end
local function line(...) print((string.format(...))) end

-- ---- pictures ----

-- Pictures of equal height, beside each other.
local function beside(images)
  local parts, height = {}, 0
  for _, x in ipairs(images) do height = math.max(height, x:size(2)) end
  for i, x in ipairs(images) do
    if x.dtype ~= torch.uint8 then x = (x * 255):clamp(0, 255):to(torch.uint8) end
    parts[i] = F.pad(x:expand(3, x:size(2), x:size(3)), { i > 1 and 2 or 0, 0, 0, height - x:size(2) })
  end
  return torch.cat(parts, 3)
end

-- The samples in equal steps through the dataset.
local function some(n, count)
  local list = {}
  count = math.min(n, count)
  for i = 1, count do list[i] = 1 + (i - 1) * n // count end
  return list
end

local in_a_row = 8

local function show_images(ds, count)
  local classes = ds:classes()
  line('%s', tostring(ds))
  if #classes > 0 then line('%d classes: %s', #classes, native.foreign(table.concat(classes, ', '), 200)) end
  local chosen = some(#ds, count)
  for from = 1, #chosen, in_a_row do
    local images, labels = {}, {}
    for i = from, math.min(from + in_a_row - 1, #chosen) do
      local image, label = ds:get(chosen[i])
      images[#images + 1] = image
      labels[#labels + 1] = classes[label] and native.foreign(classes[label], 30) or tostring(label)
    end
    plot.imshow(beside(images))
    line('labels: %s', table.concat(labels, ', '))
  end
end

-- ---- tables, texts, arrays ----

local function show_table(path, count)
  local ds = data.CSV(path)
  line('%s', tostring(ds))
  for _, c in ipairs(ds:state_dict().features) do
    local what = c.categories and string.format('%d categories: %s', #c.categories, native.foreign(table.concat(c.categories, ', '), 60))
      or string.format('numbers of mean %.4g, standard deviation %.4g', c.mean, c.std)
    line('  %s: %s', native.foreign(c.name, 30), what)
  end
  M.show_text(path, count + 1)
end

-- A folder of somebody else may have a pipe or a device there, or a line without end.
function M.show_text(path, count)
  if not native.is_file(path) then native.fail(1, string.format("cannot show '%s': it is not a file", path)) end
  local file <close> = assert(io.open(path, 'rb'))
  for text in (file:read(1 << 20) or ''):gmatch '[^\n]*\n?' do
    if count == 0 or text == '' then break end
    count = count - 1
    print(native.foreign(text:gsub('[\r\n]+$', ''), 120))
  end
end

local function show_arrays(path)
  local function walk(value, name)
    if torch.is_tensor(value) then line('%s  %s %s', name, tostring(value.dtype), tostring(value:size()))
    elseif type(value) == 'table' then
      for key, part in pairs(value) do walk(part, (name == '' and '' or name .. '/') .. native.foreign(tostring(key), 60)) end
    end
  end
  walk(torch.load(path), '')
end

-- ---- which it is ----

local function of_folder(path, train)
  if exists(path .. '/train-images-idx3-ubyte.gz') or exists(path .. '/train-images-idx3-ubyte') then
    return data.mnist { root = path, train = train }
  end
  for _, folder in ipairs { path, path .. '/cifar-10-batches-bin', path .. '/cifar-100-binary' } do
    if exists(folder .. '/data_batch_1.bin') then return data.CIFAR10 { root = folder, train = train } end
    if exists(folder .. '/train.bin') then return data.CIFAR100 { root = folder, train = train } end
  end
end

-- Shows `count` samples of a folder or file.
function M.show(path, count, train)
  if is_folder(path) then
    local ds = of_folder(path, train)
    if ds then return show_images(ds, count) end
    for _, name in ipairs { 'cal_housing.data', 'input.txt', 'train.csv' } do
      if exists(path .. '/' .. name) then return M.show(path .. '/' .. name, count, train) end
    end
    return show_images(data.ImageFolder(path), count)
  end
  local suffix = path:lower():match '%.(%w+)$' or ''
  if ({ csv = 1, tsv = 1, tab = 1, data = 1 })[suffix] then return show_table(path, count) end
  if ({ npy = 1, npz = 1, h5 = 1, safetensors = 1 })[suffix] then return show_arrays(path) end
  if ({ png = 1, jpg = 1, jpeg = 1, webp = 1, bmp = 1 })[suffix] then return plot.imshow(data.read_image(path)) end
  M.show_text(path, count)
end

return M
