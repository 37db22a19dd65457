-- Images: files and transforms beside Pillow's and torchvision's answers (tests/golden/images), datasets of files, bad files.
local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
local here = root .. '/tests/golden/images/'
local T = data.transforms
local ok, why = pcall(data.read_image, here .. 'rgb.png')
if not ok and why:find('libturbojpeg', 1, true) then
  print(why)
  os.exit(77)
end
local answers, image = torch.load(here .. 'answers.npz'), data.read_image(here .. 'rgb.png')
local left = {}
for name in pairs(answers) do left[name] = true end

-- `most`: how far values may be apart.
local function check(name, found, most)
  left[name] = nil
  local expected = answers[name]
  assert(tostring(found:size()) == tostring(expected:size()), name)
  assert(found.dtype == torch.uint8, name)
  local far = (found:long() - expected:long()):abs():max():item()
  assert(far <= (most or 0), string.format('%s is off by %d', name, far))
end

for name in pairs(answers) do
  if name:find '%.' and not name:find '_' then check(name, data.read_image(here .. name), name == 'cmyk.jpg' and 1 or 0) end
end
for _, size in ipairs { { 10, 14 }, { 50, 70 }, { 24, 13 }, { 9, 31 }, { 8, 56 }, { 14, 50 } } do
  for _, how in ipairs { 'nearest', 'bilinear', 'bicubic' } do
    local name = string.format('%s_%d_%d', how, size[1], size[2])
    if answers[name] then check(name, T.Resize(size, { interpolation = how })(image)) end
  end
end
check('shorter_16', T.Resize(16)(image))
check('center_18', T.CenterCrop(18)(image))
check('center_40', T.CenterCrop(40)(image))
check('grey', T.Grayscale()(image))
for _, f in ipairs { 0, 0.4, 1.7 } do
  for _, what in ipairs { 'brightness', 'contrast', 'saturation' } do
    check(string.format('%s_%g', what, f), T.ColorJitter { [what] = { f, f } }(image), 1)
  end
  check(string.format('sharpness_%g', f), T.RandomAdjustSharpness(f, { p = 1 })(image), 1)
end
for _, h in ipairs { -0.3, 0.2 } do check(string.format('hue_%g', h), T.ColorJitter { hue = { h, h } }(image)) end
check('rotated_30', T.RandomRotation { 30, 30 }(image))
check('rotated_25', T.RandomRotation { 25, 25 }(T.Resize({ 240, 310 }, { interpolation = 'nearest' })(image)))
check('rotated_-20', T.RandomRotation({ -20, -20 }, { interpolation = 'bilinear' })(image), 1)
for _, s in ipairs { 0.7, 1.25 } do check('scaled_' .. s, T.RandomAffine({ 0, 0 }, { scale = { s, s } })(image)) end
check('equalized', T.RandomEqualize { p = 1 }(image))
check('autocontrast', T.RandomAutocontrast { p = 1 }(image), 1)
check('posterized', T.RandomPosterize(3, { p = 1 })(image))
check('solarized', T.RandomSolarize(100, { p = 1 })(image))
check('inverted', T.RandomInvert { p = 1 }(image))
for _, mode in ipairs { 'reflect', 'symmetric', 'edge' } do check(mode, T.Pad({ 3, 5, 7, 2 }, { padding_mode = mode })(image)) end
check('blurred', T.GaussianBlur({ 5, 7 }, { sigma = 1.3 })(image), 1)
assert(next(left) == nil, next(left))

-- ---- files ----
assert(data.read_image(here .. 'grey.png', { channels = 0 }):size(1) == 1)
assert(data.read_image(here .. 'rgba.png', { channels = 0 }):size(1) == 3)
local deep = data.read_image(here .. 'grey16.png', { channels = 1 })
assert(deep[{ 1, 1, 2 }]:item() == 0 and deep[{ 1, 24, 31 }]:item() == 254)  -- 88 and 65384 of 65535
local folder = os.tmpname()
os.remove(folder)
os.execute("mkdir -p '" .. folder .. "/ant' '" .. folder .. "/bee'")
for i = 1, 3 do
  data.write_image(image, folder .. '/ant/' .. i .. '.png')
  data.write_image(T.Grayscale()(image), folder .. '/bee/' .. i .. '.jpg', { quality = 95 })
end
assert(torch.equal(data.read_image(folder .. '/ant/1.png'), image))
assert((data.read_image(folder .. '/bee/2.jpg', { channels = 1 }):double() - T.Grayscale()(image):double()):abs():mean():item() < 3)

-- ---- datasets ----
local T1 = T.Compose { T.RandomResizedCrop(16), T.RandomHorizontalFlip(), T.ColorJitter { brightness = 0.3, hue = 0.1 }, T.ToTensor(),
                       T.Normalize({ 0.5, 0.5, 0.5 }, { 0.25 }) }
local ds = data.ImageFolder(folder, { transform = T1 })
assert(#ds == 6 and table.concat(ds:classes(), ' ') == 'ant bee' and ds:path(4):match 'bee/1%.jpg$')
local x, y = ds:get(5)
assert(tostring(x:size()) == 'torch.Size([3, 16, 16])' and y == 2)

-- The same samples for any number of workers, others in another epoch; a function runs on the main thread.
local function epoch(of, workers, number)
  local loader = data.DataLoader(of, { batch_size = 4, shuffle = true, num_workers = workers, seed = 3 })
  loader:set_epoch(number)
  local list = {}
  for a, b in loader do list[#list + 1] = torch.cat { a:flatten(), b:float() } end
  return torch.cat(list)
end
local plain = epoch(ds, 0, 0)
assert(torch.equal(plain, epoch(ds, 2, 0)) and not torch.equal(plain, epoch(ds, 0, 1)))
local calls = 0
local by_hand = data.Transformed(data.ImageFolder(folder), T.Compose { T.Resize { 8, 8 }, function(i) calls = calls + 1 return i:float() / 255 end })
assert(epoch(by_hand, 2, 0):max():item() <= 2 and calls == 6)
collectgarbage()
assert(torch.equal(epoch(data.Transformed(data.TensorDataset(torch.stack { image, image }, torch.arange(2)), T.ToTensor()), 0, 0),
                   epoch(data.Transformed(data.TensorDataset(torch.stack { image, image }, torch.arange(2)), T.ToTensor()), 1, 0)))

-- One transform behind another draws numbers of its own: else two flips with a chance would undo each other.
local flip = T.RandomHorizontalFlip()
local flips, flipped = data.Transformed(data.Transformed(data.TensorDataset(torch.arange(6):to(torch.uint8):reshape(1, 1, 1, 6):expand(64, 1, 1, 6)), flip), flip), 0
for i = 1, 64 do flipped = flipped + (flips:get(i)[{ 1, 1, 1 }]:item() > 0 and 1 or 0) end
assert(flipped > 16 and flipped < 48, flipped)

-- Every transform draws and keeps the range of images; its text names its settings.
local all = T.Compose {
  T.RandomCrop({ 40, 20 }, { padding = 2, pad_if_needed = true }), T.RandomAffine(20, { translate = { 0.2, 0.1 }, scale = { 0.8, 1.2 }, shear = 8 }),
  T.RandomPerspective(), T.RandomVerticalFlip(), T.AutoAugment { policy = 'svhn' }, T.RandAugment(), T.TrivialAugmentWide(),
  T.RandomGrayscale { p = 0.5 }, T.ToTensor(), T.RandomErasing { p = 1, value = 0.5 },
}
for _ = 1, 100 do
  local out = all(image)
  assert(out:min():item() >= 0 and out:max():item() <= 1 and tostring(out:size()) == 'torch.Size([3, 40, 20])')
end
assert(tostring(all):find("RandomErasing(p=1.0", 1, true) and tostring(all):find '\n  RandAugment%(num_ops=2')
torch.manual_seed(5)
local first = all(image)
torch.manual_seed(5)
assert(torch.equal(first, all(image)))

-- ---- what is no image ----
local function fails(text, f, ...)
  local good, message = pcall(f, ...)
  assert(not good and message:find(text, 1, true), tostring(message) .. ' instead of ' .. text)
end
local file = assert(io.open(here .. 'rgb.jpg', 'rb'))
local jpeg = file:read 'a'
file:close()
fails('it is no JPEG, PNG, WebP or BMP file', data.decode_image, 'hello')
fails('the file is empty', data.decode_image, '')
fails('cannot read the image', data.decode_image, jpeg:sub(1, #jpeg // 2))
fails('No such file', data.read_image, folder .. '/none.png')
fails('has no folders', data.ImageFolder, folder .. '/ant')
fails('takes images', T.Resize(3), torch.zeros(3, 4, 4))
fails('comes after ToTensor', T.Normalize(0, 1), image)
fails('std holds 0', T.Normalize, 0, 0)
fails("got 'cubic'", T.Resize, 3, { interpolation = 'cubic' })
fails('size is at least 1', T.Resize, 0)
fails('fewer than 99 x 99', T.RandomCrop(99), image)
fails("'size'", T.Resize)
assert(torch.equal(data.decode_image(data.encode_image(image, '.PNG')), image))
fails('written as .png', data.write_image, image, folder .. '/x.gif')
os.execute("mkdir '" .. folder .. "/cow'")
fails("the class 'cow'", data.ImageFolder, folder)
local bad = assert(io.open(folder .. '/cow/broken.jpg', 'wb'))
bad:write(jpeg:sub(1, 200))
bad:close()
fails('cow/broken.jpg', function() epoch(data.ImageFolder(folder), 2, 0) end)
-- The name of a file is somebody else's: it makes no line of its own in a message.
os.rename(folder .. '/cow/broken.jpg', folder .. '/cow/a\nb.jpg')
fails('a\\x0ab.jpg', data.read_image, folder .. '/cow/a\nb.jpg')
os.rename(folder .. '/cow/a\nb.jpg', folder .. '/cow/broken.jpg')

-- A picture of 2^31 pixels in a file of 60 bytes takes no memory.
local function big(n) return string.pack('>I4', n) end
fails('', data.decode_image, '\x89PNG\r\n\x1a\n' .. big(13) .. 'IHDR' .. big(100000) .. big(100000) .. '\8\2\0\0\0' .. big(0))
fails('is none that luth takes', data.decode_image,
      'BM' .. ('\0'):rep(8) .. string.pack('<I4I4i4i4I2I2I4I4I4I4I4I4', 54, 40, 100000, 100000, 1, 24, 0, 0, 0, 0, 0, 0))

-- A palette beyond the file, at an offset that 32 bits do not hold.
fails('the file is cut short', data.decode_image,
      'BM' .. ('\0'):rep(8) .. string.pack('<I4I4i4i4I2I2I4I4I4I4I4I4', 60, 0xffffffee, 8, 1, 1, 1, 0, 0, 0, 0, 2, 0) .. ('\0'):rep(200))
-- A progressive file with 100 scans of a few bytes, for each of which a decoder goes over 169,000,000 pixels.
local scan = '\xff\xda' .. string.pack('>I2BBBBBB', 8, 1, 1, 0, 1, 1, 0)
fails('13000 x 13000 pixels in 100 scans', data.decode_image,
      '\xff\xd8\xff\xdb\0\x43\0' .. ('\1'):rep(64) .. '\xff\xc2' .. string.pack('>I2BI2I2BBBB', 11, 8, 13000, 13000, 1, 1, 0x11, 0) .. scan:rep(100))
-- A pipe would wait for ever.
if os.execute("mkfifo '" .. folder .. "/pipe.png'") then fails('a device or pipe', data.read_image, folder .. '/pipe.png') end

-- Mutants of files of every format load or are refused.
math.randomseed(1)
for _, name in ipairs { 'rgb.jpg', 'rgb.png', 'palette.png', 'rgb.webp', 'palette.bmp', 'cmyk.jpg' } do
  local f = assert(io.open(here .. name, 'rb'))
  local bytes = f:read 'a'
  f:close()
  for _ = 1, 200 do
    local mutant = bytes
    for _ = 1, math.random(1, 8) do
      local at = math.random(3, #bytes)
      mutant = mutant:sub(1, at - 1) .. string.char(math.random(0, 255)) .. mutant:sub(at + 1)
    end
    if math.random() < 0.2 then mutant = mutant:sub(1, math.random(1, #mutant)) end
    pcall(data.decode_image, mutant)
  end
end
os.execute("rm -r '" .. folder .. "'")
print 'ok'
