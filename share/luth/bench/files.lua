-- Loading of data (a sample is an epoch) and checkpoints (a sample is a file).
local native = require 'luth.native'
local make_jpegs = require 'luth.bench.jpegs'
local trunk = require 'luth.bench.trunk'

-- The samples: seconds of each of n calls of f.
local function timed(n, f)
  local samples = {}
  for i = 1, n do
    local started = native.now()
    f()
    samples[i] = native.now() - started
  end
  return samples
end

-- ---- data -----------------------------------------------------------------------------------------------------------

local images_of_mnist, mean, deviation = 60000, 0.1307, 0.3081
local function mnist() return data.mnist { root = 'data/mnist' } end
local function labels_of(y) return y end
local function normalised(x, y) return x:sub_(mean):div_(deviation), labels_of(y) end

-- The first n samples.
local function first(dataset, n)
  local indices = {}
  for i = 1, n do indices[i] = i end
  return data.Subset(dataset, indices)
end

-- A run over the first `limit` samples, or all; a new loader each time. Returns how many samples it got.
local function pass(dataset, workers, limit)
  local part = limit and first(dataset, limit) or dataset
  local count = 0
  for x, y in data.DataLoader(part, { batch_size = 128, shuffle = true, num_workers = workers }) do
    count = count + #normalised(x, y)
  end
  return count
end

local function epochs(run)
  run(2000)
  return timed(3, function()
    if run() ~= images_of_mnist then error 'the epoch is not whole' end
  end)
end

-- All images as bytes, and their labels.
local function in_memory()
  for x, y in data.DataLoader(mnist(), { batch_size = images_of_mnist }) do return (x * 255):round():to(torch.uint8), y end
end
local function whole_batches()
  local images, labels = in_memory()
  return epochs(function(limit)
    local count = 0
    for _, i in ipairs(torch.randperm(limit or images_of_mnist):split(128)) do
      local x, y = (images[i]:to(torch.float32) / 255 - mean) / deviation, labels[i]
      count = count + #x + #y - #y
    end
    return count
  end)
end

-- Calls f with a folder of 10,000 JPEG files of 32 x 32 in ten folders: that of $LUTH_BENCH_JPEG, or one that is removed afterwards.
local function with_jpegs(f)
  local given = os.getenv 'LUTH_BENCH_JPEG'
  if given then return f(given) end
  local folder = string.format('%s/luth-bench-%s-jpeg', os.getenv 'TMPDIR' or '/tmp', native.process())
  local paths = make_jpegs(folder)
  local ok, samples = pcall(f, folder)
  for _, path in ipairs(paths) do os.remove(path) end
  if not ok then error(samples, 0) end
  return samples
end

local function jpegs(folder, workers)
  local t = data.transforms
  local dataset = data.ImageFolder(folder, { transform = t.Compose {
    t.RandomCrop(32, { padding = 4 }), t.RandomHorizontalFlip(), t.ToTensor(),
    t.Normalize({ 0.4914, 0.4822, 0.4465 }, { 0.2470, 0.2435, 0.2616 }),
  } })
  local function epoch(of)
    for _ in data.DataLoader(of, { batch_size = 128, shuffle = true, num_workers = workers }) do end
  end
  epoch(first(dataset, 2000))
  return timed(2, function() epoch(dataset) end)
end

local function loading(add)
  for _, workers in ipairs { 0, 2 } do
    add {
      name = 'data/mnist_dataloader_w' .. workers, unit = 'samples/s', work = images_of_mnist, cpu = true,
      runs = function()
        local dataset = mnist()
        return epochs(function(limit) return pass(dataset, workers, limit) end)
      end,
    }
  end
  add { name = 'data/mnist_tensor_batches', unit = 'samples/s', work = images_of_mnist, cpu = true, runs = whole_batches }
  for _, workers in ipairs { 0, 2 } do
    add {
      name = 'data/jpeg_folder_w' .. workers, unit = 'images/s', work = 10000, cpu = true,
      runs = function() return with_jpegs(function(folder) return jpegs(folder, workers) end) end,
    }
  end
  add { name = 'data/read_mnist_gz', unit = 'ms', work = 1, cpu = true, at_least = 5, make = function() return mnist end }
end

-- ---- checkpoints ----------------------------------------------------------------------------------------------------

-- Six calls, of which the first does not count, of f(path, state); the file is removed at the end. `saved`: f loads it.
local function with_file(extension, saved, f)
  local path = string.format('%s/luth-bench-%s.%s', os.getenv 'TMPDIR' or '/tmp', native.process(), extension)
  local state = trunk.state()
  if saved then torch.save(state, path) end
  local ok, samples = pcall(timed, 6, function() f(path, state) end)
  os.remove(path)
  if not ok then error(samples, 0) end
  table.remove(samples, 1)
  return samples
end

-- The peer's formats: luth answers torch.save's and h5py's with its own, which is HDF5. Its files are always synced. The
-- peer maps .safetensors files, and so does luth.
local function checkpoints(add)
  local bytes = 4 * trunk.elements / 1e6
  local function put(name, format, saved, f)
    add {
      name = 'io/' .. name, unit = 'MB/s', work = bytes, cpu = true,
      runs = function() return with_file(format == 'safetensors' and format or 'h5', saved, f) end,
    }
  end
  local function save(path, state) torch.save(state, path) end
  local function load(path) return torch.load(path, { mmap = path:find '%.safetensors$' ~= nil }) end
  local function last_elements(path)
    local sum = 0
    for _, tensor in pairs(load(path)) do sum = sum + tensor:view(-1)[-1]:item() end
    return sum
  end
  local function sums(path)
    for _, tensor in pairs(load(path)) do tensor:sum() end
  end
  for _, format in ipairs { 'torch', 'safetensors', 'h5py' } do
    put('save_' .. format, format, false, save)
    put('save_' .. format .. '_fsync', format, false, save)
    put('load_' .. format, format, true, last_elements)
    put('load_' .. format .. '_touched', format, true, sums)
  end
end

return function(add)
  loading(add)
  checkpoints(add)
end
