-- Samples of any kind: strings, tables, tensors of uneven size; datasets of modules, which workers read in interpreters of their own.
local t, s = torch.Tester(), torch.TestSuite()
local folder = os.tmpname()
os.remove(folder)
assert(os.execute('mkdir ' .. folder))
package.path = folder .. '/?.lua;' .. package.path
local function write(name, text)
  local f <close> = io.open(folder .. '/' .. name, 'w')
  f:write(text)
end

local Words = data.class 'Words'
function Words:len() return 5 end
function Words:get(i) return ('x'):rep(i), { id = i, tags = { 'a' .. i, 'b' } }, torch.full({ i }, i), i end

function s.any_values_for_a_collate_fn()
  local kept
  local function join(samples)
    kept = samples
    return table.concat({ samples[1][1], samples[2] and samples[2][1] }, '-'), #samples
  end
  local texts = {}
  for text, n in data.DataLoader(Words(), { batch_size = 2, collate_fn = join }):batches() do
    texts[#texts + 1] = text .. n
    t:eq(kept[1][2].tags[2], 'b')
    t:eq(#kept[1][3], kept[1][4])
  end
  t:eq(table.concat(texts, ' '), 'x-xx2 xxx-xxxx2 xxxxx1')
  -- through parts of datasets too
  local part = data.Subset(data.ConcatDataset { Words(), Words() }, { 7, 3 })
  local text, other = part:get(1)
  t:eq(text, 'xx')
  t:eq(other.id, 2)
  for text in data.DataLoader(part, { batch_size = 2, collate_fn = join }):batches() do t:eq(text, 'xx-xxx') end
end

local Even = data.class 'Even'
function Even:len() return 4 end
function Even:get(i) return 'w' .. i, { id = i, xy = { torch.ones(2) * i, true } }, i / 2 end

function s.without_one()
  local seen = 0
  for words, info, halves in data.DataLoader(Even(), { batch_size = 3 }) do
    seen = seen + 1
    t:eq(words[1], seen == 1 and 'w1' or 'w4')
    t:assert(torch.equal(info.id, seen == 1 and torch.tensor { 1, 2, 3 } or torch.tensor { 4 }))
    t:eq(info.xy[1]:size(2), 2)
    t:eq(info.xy[2].dtype, torch.bool)
    t:eq(halves.dtype, torch.float32)
  end
  t:eq(seen, 2)
  t:fails(function() for _ in data.DataLoader(Words(), { batch_size = 2 }) do end end, 'value 3 cannot be stacked')
  local Nothing = data.class 'Nothing'
  function Nothing:len() return 1 end
  function Nothing:get() return nil, 1 end
  t:fails(function() Nothing():get(1) return data.Subset(Nothing(), { 1 }):get(1) end, 'get returned nil as value 1')
end

write('points.lua', [[
local Points = data.class 'Points'
function Points:init(n, scale) self.n, self.scale = n, scale or { 1 } end
function Points:len() return self.n end
function Points:get(i)
  if i == self.scale.bad then error('sample ' .. i .. ' is bad') end
  return torch.rand(3) * self.scale[1], math.random(1 << 30), 'text' .. i, { i, name = 'p' .. i }
end
return Points
]])

-- Every value of an epoch as a text.
local function epoch_of(ds, options)
  local lines = {}
  local loader = data.DataLoader(ds, options)
  loader:set_epoch(options.seed)
  for x, y, words, info in loader do
    lines[#lines + 1] = string.format('%s %s %s %s', table.concat(x:reshape(-1):tolist(), ' '), table.concat(y:tolist(), ' '),
                                      table.concat(words, ' '), table.concat(info.name, ' '))
  end
  return table.concat(lines, '\n')
end

function s.modules_are_read_on_workers()
  local ds = data.from_module('points', 23, { 2 })
  t:eq(#ds, 23)
  local one = epoch_of(ds, { batch_size = 4, seed = 1, shuffle = true })
  t:assert(one:find('text23', 1, true) and one:find('p23', 1, true))
  for _, workers in ipairs { 1, 2, 4 } do
    for _ = 1, 3 do t:eq(epoch_of(ds, { batch_size = 4, seed = 1, shuffle = true, num_workers = workers }), one) end
  end
  t:assert(epoch_of(ds, { batch_size = 4, seed = 2, shuffle = true }) ~= one)
  local _, _, text, info = ds:get(7)
  t:eq(text, 'text7')
  t:eq(info[1], 7)
end

function s.errors_of_modules()
  local ds = data.from_module('points', 20, { 1, bad = 9 })
  for _, workers in ipairs { 0, 2 } do
    local loader = data.DataLoader(ds, { batch_size = 4, num_workers = workers })
    local ok, why = pcall(function() for _ in loader do end end)
    t:assert(not ok and why:find('batch 3 %(samples 9, 10, 11, 12%): sample 9 of points: .*points.lua:5: sample 9 is bad'), why)
    local n = 0
    for _ in data.DataLoader(data.Subset(ds, { 1, 2, 3 }), { num_workers = workers }) do n = n + 1 end
    t:eq(n, 3)
  end
  t:fails(function() data.from_module('no_such_module') end, "module 'no_such_module' not found")
  t:fails(function() data.from_module('points', function() end) end, 'function')
  write('number.lua', 'return 3')
  t:fails(function() data.from_module('number') end, "the module 'number' returned number 3; it must return a function or class that makes a dataset")
  write('half.lua', 'return function() return {} end')
  t:fails(function() data.from_module('half') end, "'half' made a table; a dataset has a length and get(i)")
  write('broken.lua', 'return function( end')
  t:fails(function() data.from_module('broken') end, 'broken.lua:1')
end

t:add(s):run()
os.execute('rm -r ' .. folder)
