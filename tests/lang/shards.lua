-- Tar shards in WebDataset's layout: fields, order, workers; shards that are cut short, damaged, changed.
local t, s = torch.Tester(), torch.TestSuite()
local folder = os.tmpname()
os.remove(folder)
assert(os.execute('mkdir ' .. folder))
local function path(name) return folder .. '/' .. name end
local function write(name, bytes)
  local f <close> = io.open(path(name), 'wb')
  f:write(bytes)
end
local function read(name)
  local f <close> = io.open(name, 'rb')
  return f:read('a')
end

-- A member of a tar archive.
local function member(name, bytes, kind)
  local function header(sum)
    local head = string.pack('c100c8c8c8c12c12', name, '0000644\0', '0000000\0', '0000000\0', string.format('%011o\0', #bytes), '00000000000\0')
      .. string.format('%06o\0 ', sum) .. (kind or '0') .. ('\0'):rep(100) .. 'ustar\00000'
    return head .. ('\0'):rep(512 - #head)
  end
  local sum = 0
  for _, b in ipairs { header(0):byte(1, 512) } do sum = sum + b end
  for _, b in ipairs { ('000000\0 '):byte(1, 8) } do sum = sum - b + 32 end
  return header(sum) .. bytes .. ('\0'):rep(-#bytes % 512)
end
local final = ('\0'):rep(1024)

local picture = (torch.arange(3 * 4 * 5):reshape(3, 4, 5)):byte()
local png = data.encode_image(picture, '.png')
torch.save(torch.tensor { 1.5, 2.5 }, path 'a.npy')
local npy = read(path 'a.npy')
local function sample(k)
  local key = string.format('part%d/%04d', k % 3, k)
  return member(key .. '.png', png) .. member(key .. '.cls', k % 10 .. '\n') .. member(key .. '.txt', 'text ' .. k)
    .. member(key .. '.json', string.format('{"id": %d, "tags": ["a", "b"]}', k)) .. member(key .. '.seg.npy', npy)
end
local n = 0
for shard = 0, 3 do
  local parts = { member('__meta__.json', '{}') }
  for _ = 1, 5 + shard do
    parts[#parts + 1] = sample(n)
    n = n + 1
  end
  write(string.format('train-%02d.tar', shard), table.concat(parts) .. final)
end
local all = path 'train-{00..03}.tar'

function s.fields()
  local ds = data.WebDataset(all, { fields = { '__key__', 'jpg;png', 'cls', 'txt', 'json', 'seg.npy' } })
  t:eq(#ds, n)
  local key, image, label, text, info, mask = ds:get(8)
  t:eq(key, 'part1/0007')
  t:assert(torch.equal(image, picture))
  t:eq(label, 8)
  t:eq(text, 'text 7')
  t:eq(info.id, 7)
  t:eq(info.tags[2], 'b')
  t:assert(torch.equal(mask, torch.tensor { 1.5, 2.5 }))
  local words, infos
  for _, x, y, texts, i in data.DataLoader(ds, { batch_size = n, num_workers = 2 }) do
    t:eq(x:size(1), n)
    t:assert(torch.equal(y, torch.arange(n):remainder(10):long() + 1))
    words, infos = texts, i
  end
  t:eq(words[3], 'text 2')
  t:assert(torch.equal(infos.id, torch.arange(n)))
  local plain = data.WebDataset({ path 'train-00.tar', path 'train-01.tar' }, { transform = data.transforms.ToTensor() })
  t:eq(#plain, 11)
  t:eq(plain:get(1).dtype, torch.float32)
end

local function order_of(options, loader)
  local ds = data.WebDataset(all, options)
  local l, list = data.DataLoader(ds, loader), {}
  for x, y in l:batches() do list[#list + 1] = table.concat(y:tolist(), ' ') end
  return table.concat(list, ' ')
end

function s.order()
  local fields, seen = { '__key__', 'cls' }, {}
  local o = { fields = { 'png', 'cls' }, shuffle_buffer = 4 }
  local one = order_of(o, { shuffle = true, seed = 3, batch_size = 4 })
  t:eq(order_of(o, { shuffle = true, seed = 3, batch_size = 4, num_workers = 3 }), one)
  t:assert(order_of(o, { shuffle = true, seed = 4, batch_size = 4 }) ~= one)
  t:assert(order_of({ fields = o.fields }, { shuffle = true, seed = 3, batch_size = 4 }) ~= one)
  local count = 0
  for y in one:gmatch '%d+' do
    count = count + 1
    seen[tonumber(y)] = (seen[tonumber(y)] or 0) + 1
  end
  t:eq(count, n)
  for label = 1, 10 do t:eq(seen[label], label <= n % 10 and n // 10 + 1 or n // 10) end
  t:eq(fields[1], '__key__')
end

function s.braces()
  t:fails(function() data.WebDataset(path 'x-{000..1}.tar') end, "cannot open '" .. path 'x-000.tar')
  t:eq(#data.WebDataset(path 'train-0{0,3}.tar'), 13)
  t:fails(function() data.WebDataset(path '{5..3}') end, 'has braces from 5 to 3')
  t:fails(function() data.WebDataset(path '{a..3}') end, 'braces with no two numbers')
  t:fails(function() data.WebDataset(path '{0..9999999}') end, 'has braces from 0 to 9999999')
  t:fails(function() data.WebDataset(path '{000..999}{000..9999}') end, 'more than a million')
end

-- GNU's tar writes long names, Python's tarfile pax headers.
function s.other_writers()
  local long = ('d'):rep(90) .. '/' .. ('e'):rep(50) .. '/' .. ('f'):rep(40)
  assert(os.execute(string.format('cd %s && mkdir -p %s && cp a.npy %s/x.npy && echo 3 > %s/x.cls', folder, long, long, long)))
  for _, format in ipairs { 'gnu', 'pax', 'ustar' } do
    assert(os.execute(string.format('cd %s && tar --sort=name --format=%s -cf long.tar %s', folder, format, long:match '^[^/]*')))
    local ds = data.WebDataset(path 'long.tar', { fields = { '__key__', 'npy', 'cls' } })
    local key, x, label = ds:get(1)
    t:eq(key, long .. '/x')
    t:eq(x:size(1), 2)
    t:eq(label, 4)
  end
end

function s.damaged()
  local whole = read(path 'train-00.tar')
  local function fails(bytes, ...)
    write('bad.tar', bytes)
    for _, text in ipairs { ... } do t:fails(function() data.WebDataset(path 'bad.tar') end, text) end
  end
  fails(whole:sub(1, 1600), 'bad.tar', "(member 'part0/0000.png')", 'reaches beyond the end of the archive; it was cut short')
  fails(whole:sub(1, -1025), 'it ends without its end mark; it was cut short')
  fails(whole:sub(1, 700), 'it was cut short')
  fails('', 'it ends without its end mark')
  fails('\x1f\x8b' .. whole:sub(3), 'it is compressed by gzip')
  fails(whole:sub(1, 1030) .. 'X' .. whole:sub(1032), 'at byte 1024', 'the checksum of a header is wrong')
  fails(final, 'the shards hold no samples')
  fails(member('a.png', png) .. final, "the sample 'a' of '" .. path 'bad.tar' .. "' has no file .cls")
  fails(member('a.png', png) .. member('a.cls', '1') .. member('a.cls', '2') .. final, "holds 'a.cls' twice")
  fails(member('a.png', png, 'S') .. final, 'it is sparse')
  fails(member('././@PaxHeader', '20 path=', 'x') .. final, 'a pax header is damaged')
  fails(member('././@PaxHeader', '999999999999999999999 path=a\n', 'x') .. final, 'a pax header is damaged')
  fails(member('././@PaxHeader', '22 size=9999999999999\n', 'x') .. member('a.png', png) .. final, 'of 9999999999999 bytes reaches beyond')
  fails(member('././@LongLink', ('x'):rep(5000), 'L') .. final, 'a record of 5000 bytes is longer than 4096')

  local function get(bytes, text)
    write('bad.tar', bytes .. final)
    local ds = data.WebDataset(path 'bad.tar')
    t:fails(function() for _ in data.DataLoader(ds) do end end, text)
  end
  get(member('a.png', png:sub(1, -20)) .. member('a.cls', '1'), "batch 1 (sample 1): sample 1 of WebDataset: 'a.png' in '" .. path 'bad.tar')
  get(member('a.png', png) .. member('a.cls', 'dog'), "'a.cls' in '" .. path 'bad.tar' .. "': it is no whole number, but 'dog'")
  get(member('a.png', png) .. member('a.cls', ''), 'no whole number')
  get(member('a.png', png) .. member('a.cls', ('1'):rep(65)), 'no whole number, but 65 bytes')
  local changes = data.WebDataset(path 'train-00.tar')
  write('train-00.tar', whole .. final)
  t:fails(function() changes:get(1) end, 'the shard has changed since its samples were counted')
  write('train-00.tar', whole)
  os.remove(path 'long.tar')
  t:fails(function() data.WebDataset {} end, 'there are no shards')
  t:fails(function() data.WebDataset(path 'train-00.tar', { fields = { 3 } }) end, 'fields are suffixes, got number 3')
end

t:add(s):run()
os.execute('rm -r ' .. folder)
