-- Datasets of files: lists of images, CIFAR's binaries.
local folder = os.tmpname()
os.remove(folder)
assert(os.execute('mkdir ' .. folder))
local function write(name, bytes)
  local path = folder .. '/' .. name
  local file <close> = assert(io.open(path, 'wb'))
  file:write(bytes)
  return path
end
local function fails(text, f, ...)
  local good, message = pcall(f, ...)
  assert(not good and message:find(text, 1, true), tostring(message) .. ' instead of ' .. text)
end
local function list(t) return table.concat(t, '|') end

-- ---- image lists ----
-- BMP files, for which no library is needed: 2 x 2 pixels of one colour
local function bmp(red, green, blue)
  local row = string.char(blue, green, red):rep(2) .. '\0\0'
  return string.pack('<c2I4I4I4I4i4i4I2I2I4I4i4i4I4I4', 'BM', 54 + 16, 0, 54, 40, 2, 2, 1, 24, 0, 16, 0, 0, 0, 0) .. row .. row
end
write('one.bmp', bmp(10, 20, 30))
write('two.bmp', bmp(200, 0, 0))
local path = write('list.csv', 'path,label,n\none.bmp,dog,1\ntwo.bmp,"cat, big",2\none.bmp,dog,3\n')
local ds = data.ImageList(path)
assert(#ds == 3 and list(ds:classes()) == 'cat, big|dog' and ds:path(2) == folder .. '/two.bmp')
local x, y = ds:get(3)
assert(y == 2 and list(x:reshape(3, 4):select(2, 1):tolist()) == '10|20|30')
local float = data.ImageList(path, { target = 'n', path = 'path', transform = data.transforms.ToTensor() })
assert(list(float:classes()) == '1|2|3' and float:get(1).dtype == torch.float32)
local few = data.ImageList(write('few.csv', 'a,b\none.bmp,dog\ntwo.bmp,ant\n'))
few:load_state_dict(data.ImageList(write('all.csv', 'a,b\none.bmp,dog\ntwo.bmp,ant\ntwo.bmp,bee\n')):state_dict())
assert(select(2, few:get(1)) == 3 and list(few:classes()) == 'ant|bee|dog')
fails("the class 'cat, big' is none of the training data", ds.load_state_dict, ds, few:state_dict())
fails('what was learned is of a table', ds.load_state_dict, ds,
      { features = { { name = 'x', mean = 0, std = 1 } }, target = {} })
fails("this is no state of a dataset", ds.load_state_dict, ds, { features = { { name = 'x', mean = 0, std = 0 } }, target = {} })
fails('learns nothing of its data', data.TensorDataset(x).load_state_dict, data.TensorDataset(x), few:state_dict())
fails('has one class alone', data.ImageList, write('bad.csv', 'a,b\none.bmp,dog\n'))
fails("line 3, column 'b': the value is missing", data.ImageList, write('bad.csv', 'a,b\none.bmp,dog\ntwo.bmp,\n'))
fails("has no column 'labl'; did you mean 'label'?", data.ImageList, path, { target = 'labl' })
fails('has one column', data.ImageList, write('bad.csv', 'a\none.bmp\n'))
local gone = data.ImageList(write('gone.csv', 'a,b\none.bmp,dog\nnone.bmp,cat\n'))
fails('sample 2', function() for _ in data.DataLoader(gone, { batch_size = 2 }) do end end)

-- ---- CIFAR ----
local function records(n, label) -- image i has the byte i
  local all = {}
  for i = 1, n do all[i] = label(i) .. string.char(i):rep(3072) end
  return table.concat(all)
end
os.execute('mkdir ' .. folder .. '/cifar-10-batches-bin')
for i = 1, 5 do write('cifar-10-batches-bin/data_batch_' .. i .. '.bin', records(i, function(k) return string.char(k) end)) end
write('cifar-10-batches-bin/test_batch.bin', records(3, function(k) return string.char(10 - k) end))
write('cifar-10-batches-bin/batches.meta.txt', 'airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n')
local c = data.CIFAR10 { root = folder }
assert(#c == 15 and c:classes()[10] == 'truck' and tostring(c) == 'CIFAR10 of 15 samples')
local image, label = c:get(6)  -- the third of data_batch_3
assert(label == 4 and image.dtype == torch.uint8 and tostring(image:size()) == 'torch.Size([3, 32, 32])' and image:sum():item() == 3 * 3072)
local images, labels = data.DataLoader(c, { batch_size = 15 })()
assert(torch.equal(images[6], image) and list(labels:tolist()) == '2|2|3|2|3|4|2|3|4|5|2|3|4|5|6')
local test = c:test_part()
assert(#test == 3 and select(2, test:get(1)) == 10 and test:test_part() == nil)
local T = data.transforms
local augmented = data.CIFAR10 { root = folder, transform = T.Compose { T.RandomCrop(32, { padding = 4 }), T.ToTensor() }, test_transform = T.ToTensor() }
assert(augmented:get(1).dtype == torch.float32 and augmented:test_part():get(3):max():item() == torch.tensor(3 / 255):item())
assert(data.CIFAR10 { root = folder, transform = T.ToTensor() }:test_part() == nil)
local one, two = data.DataLoader(augmented, { batch_size = 15, num_workers = 2 })(), data.DataLoader(augmented, { batch_size = 15 })()
assert(torch.equal(one, two))
write('train.bin', records(2, function(k) return string.char(k, 90 + k) end))
write('test.bin', records(1, function(k) return string.char(19, 99) end))
assert(select(2, data.CIFAR100 { root = folder }:get(2)) == 93 and select(2, data.CIFAR100 { root = folder, coarse = true }:get(2)) == 3)
assert(#data.CIFAR100 { root = folder }:classes() == 0)
if os.execute('mkfifo ' .. folder .. '/fine_label_names.txt') then  -- a pipe would wait for ever
  assert(#data.CIFAR100 { root = folder }:classes() == 0)
  os.remove(folder .. '/fine_label_names.txt')
end
write('test.bin', records(1, function() return string.char(20, 99) end))
fails('label 20 of image 1 is out of range 0 to 19', data.CIFAR100, { root = folder, train = false, coarse = true })
write('test.bin', records(1, function() return string.char(2, 9) end):sub(1, 3000))
fails('has 3000 bytes', data.CIFAR100, { root = folder, train = false })
write('test.bin', '')
fails('has 0 bytes', data.CIFAR100, { root = folder, train = false })
fails('there is no', data.CIFAR10, { root = folder .. '/none' })
fails("did you mean 'train'?", data.CIFAR10, { root = folder, trian = false })

-- ---- arrays that stay in their file ----
local here = (os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.') .. '/tests/data/'
torch.manual_seed(1)
local values = { x = torch.randn(50, 3, 2), y = torch.arange(50) % 7, mask = torch.arange(100):reshape(50, 2):gt(30), other = torch.zeros(4) }
local keys = { 'x', 'y', 'mask' }
for _, suffix in ipairs { 'npz', 'safetensors', 'h5' } do
  local file = folder .. '/a.' .. suffix
  torch.save(values, file)
  for _, workers in ipairs { 0, 2 } do
    local rows = data.ArrayFile(file, { keys = keys, labels = 'y' })
    assert(#rows == 50)
    local at = 1
    for a, b, c in data.DataLoader(rows, { batch_size = 20, num_workers = workers }) do
      local part = { { at, at + #a - 1 } }
      assert(torch.equal(a, values.x[part]) and torch.equal(b, values.y[part] + 1) and torch.equal(c, values.mask[part]))
      at = at + #a
    end
    assert(at == 51)
  end
  fails('names those that belong together', data.ArrayFile, file)
  fails("has no array 'X'; did you mean 'x'?", data.ArrayFile, file, { keys = 'X' })
  fails('labels are a list of integers', data.ArrayFile, file, { keys = 'x', labels = 'x' })
  local rows = data.ArrayFile(file, { keys = 'x' })
  rows:get(50)
  write('a.' .. suffix, '')
  fails('has become shorter', rows.get, rows, 1)
  fails('cannot use', data.ArrayFile, file)
end
for name in pairs(torch.load(here .. 'plain.npz')) do
  for _, file in ipairs { 'plain.npz', 'packed.npz' } do
    local whole = torch.load(here .. file)[name]
    if whole and whole:dim() > 0 and #whole > 0 then
      local rows = data.ArrayFile(here .. file, { keys = name })
      assert(#rows == #whole and torch.equal(rows:get(#whole), whole[#whole]))
    end
  end
end
local fortran = torch.load(here .. 'fortran.npy')
assert(torch.equal(data.ArrayFile(here .. 'fortran.npy'):get(2), fortran[2]))
for name, tensor in pairs(torch.load(here .. 'h5py.h5')) do  -- packed, big-endian, of half the usual size: as torch.load has them
  if torch.is_tensor(tensor) and tensor:dim() > 0 and #tensor > 0 then
    for _, trusted in ipairs { false, true } do
      local rows = data.ArrayFile(here .. 'h5py.h5', { keys = name, trusted = trusted })
      assert(torch.equal(rows:get(#tensor), tensor[#tensor]), name)
    end
  end
end
-- Names that are there twice.
local twice = '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}'
write('twice.safetensors', string.pack('<s8', twice) .. 'xy')
fails("a key twice: 'a'", data.ArrayFile, folder .. '/twice.safetensors')
torch.save({ a = torch.ones(2), b = torch.ones(2) }, folder .. '/ab.npz')
local ab <close> = assert(io.open(folder .. '/ab.npz', 'rb'))
write('twice.npz', (ab:read 'a':gsub('b%.npy', 'a.npy')))
fails('it is there twice', data.ArrayFile, folder .. '/twice.npz')
torch.save({ group = { x = torch.ones(3, 2) }, names = { 'a', 'b', 'c' }, note = 'text' }, folder .. '/g.h5')
assert(#data.ArrayFile(folder .. '/g.h5', { keys = 'group/x' }) == 3 and #data.ArrayFile(folder .. '/g.h5') == 3)
fails("'note' holds text, or what is no array of numbers; torch.load reads it", data.ArrayFile, folder .. '/g.h5', { keys = 'note' })
fails('No such file', data.ArrayFile, folder .. '/none.npy')
os.execute('rm -r ' .. folder)
