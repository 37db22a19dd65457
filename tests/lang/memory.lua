-- The collector knows of tensors: memory stays bounded without collectgarbage; close and free let go at once.
local t, s = torch.Tester(), torch.TestSuite()

local function resident()  -- bytes
  for line in io.lines('/proc/self/status') do
    local kb = line:match('^VmRSS:%s+(%d+)')
    if kb then return tonumber(kb) * 1024 end
  end
end
local function allocated() return torch.memory_stats().allocated end

function s.a_loop_stays_small()
  local x = torch.ones(10000)
  local function loop(n) for _ = 1, n do x = x * 1.0001 + 0.1 end end
  loop(20000)
  local before = resident()
  torch.reset_peak_memory_stats()
  local live = allocated()
  loop(20000)
  t:lt(math.abs(resident() - before), 5 << 20)
  t:lt(torch.memory_stats().peak - live, 64 << 20)  -- a collection is put off to 32 MB at most, and a little on a busy machine
end

function s.freed_within_an_operator()
  local x = torch.ones(1):expand(1 << 44)
  setmetatable({}, { __gc = function() x:free() end })  -- runs where the result finds no memory
  local ok, message = pcall(function() return x + 1 end)
  t:eq(ok, false)
  t:assert(message:find('float32[17592186044416]', 1, true), message)
  t:eq(tostring(x), 'tensor(freed)')
end

function s.large_temporaries()
  collectgarbage()
  torch.reset_peak_memory_stats()
  local x = torch.zeros(1024, 1024)
  for _ = 1, 300 do local _ = x + 1 end
  t:lt(torch.memory_stats().peak, 100 << 20)
end

function s.old_tensors_are_found()
  local kept = {}
  for round = 1, 12 do  -- each round's 100 MB grows old in a table and is then dropped
    kept = {}
    for i = 1, 100 do kept[i] = torch.zeros(1 << 18) end
  end
  t:lt(allocated(), 700 << 20)
  t:eq(#kept, 100)
end

-- The collector rests while a tree of tensors is made, and what it brought counts afterwards.
function s.loaded_trees()
  local path = os.tmpname()
  local state = {}
  for i = 1, 40 do state[i] = torch.zeros(1 << 18) end
  torch.save(state, path)
  state = nil
  collectgarbage()
  torch.reset_peak_memory_stats()
  for _ = 1, 8 do torch.load(path) end
  os.remove(path)
  t:lt(torch.memory_stats().peak, 200 << 20)  -- of 336
end

-- Lua sees no tensor of what a dataset has read.
function s.datasets()
  collectgarbage()
  torch.reset_peak_memory_stats()
  local live = allocated()
  for _ = 1, 12 do data.mnist { train = false } end
  t:lt(torch.memory_stats().peak - live, 64 << 20)  -- of 94
end

-- What a round keeps for a while is old when it dies, and a full collection costs little where there are few values.
function s.short_lived_lists()
  if os.getenv 'LUTH_BUILD_TYPE' == 'Asan' then return end  -- collections that take long come late
  collectgarbage()
  local live = allocated()
  torch.reset_peak_memory_stats()
  local x = torch.ones(1 << 16)
  for _ = 1, 200 do
    local list = {}
    for i = 1, 40 do list[i] = x + i end
  end
  t:lt(torch.memory_stats().peak - live, 128 << 20)
end

-- Pages that the system has mapped for this process at their first use.
local function page_faults()
  local file <close> = assert(io.open '/proc/self/stat')
  local i = 0
  for word in file:read('a'):gsub('^.*%) ', ''):gmatch '%S+' do
    i = i + 1
    if i == 8 then return tonumber(word) end
  end
end

-- A step takes some 50 MB, and after a few it takes what the steps before gave back.
function s.steady_training_asks_the_system_for_nothing()
  if os.getenv 'LUTH_TEST_SAMPLES' then return end  -- under sanitizers every tensor has memory of its own
  local model = nn.Conv2d(3, 64, 3, {padding = 1}) .. nn.BatchNorm2d(64) .. nn.ReLU() .. nn.Conv2d(64, 64, 3, {padding = 1})
    .. nn.ReLU() .. nn.AdaptiveAvgPool2d(1) .. nn.Flatten() .. nn.Linear(64, 10)
  local opt = optim.SGD(model:parameters(), {lr = 0.001, momentum = 0.9})
  local x, y = torch.randn(32, 3, 32, 32), torch.randint(1, 11, {32})
  local function steps(n)
    for _ = 1, n do
      opt:zero_grad()
      F.cross_entropy(model(x), y):backward()
      opt:step()
    end
  end
  steps(5)
  local reserved, faults = torch.memory_stats().reserved, page_faults()
  steps(5)
  t:lt(torch.memory_stats().reserved - reserved, 1 << 20)
  t:lt(page_faults() - faults, 200)
end

-- The output of a recurrent layer is a view of memory that Lua never had, and its graph holds as much again three times.
function s.views_of_results_count()
  local layer, x = nn.LSTM(256, 64), torch.ones(64, 32, 256)
  collectgarbage()
  torch.reset_peak_memory_stats()
  local live = allocated()
  for _ = 1, 60 do local y = layer(x) end
  t:lt(torch.memory_stats().peak - live, 64 << 20)
end

-- oneDNN's 1x1 convolutions with a stride write whole vectors of channels also where there are fewer.
function s.gradients_of_narrow_filters_write_nowhere_else()
  math.randomseed(1)
  local near, changed = {}, 0
  for _ = 1, 3 do
    while #near < 400 do near[#near + 1] = torch.zeros(math.floor(2 ^ (math.random() * 9 + 9))) end
    for _ = 1, 150 do table.remove(near, math.random(#near)) end  -- leaves rooms between them
    collectgarbage() collectgarbage()
    local w = torch.randn(20, 4, 1, 1):requires_grad_()
    F.conv2d(torch.randn(2, 4, 162, 70), w, nil, {stride = {2, 1}}):sum():backward()
    for _, x in ipairs(near) do changed = changed + x:count_nonzero():item() end
  end
  t:eq(changed, 0)
end

function s.close_and_free()
  collectgarbage() collectgarbage()
  local before = allocated()
  do
    local x <close> = torch.zeros(1 << 20)
    t:ge(allocated() - before, 4 << 20)
    t:eq(x:numel(), 1 << 20)
  end
  t:le(allocated() - before, 0)
  local y = torch.zeros(1 << 20)
  y:free()
  y:free()
  t:le(allocated() - before, 0)
  t:fails(function() return y:sum() end, 'freed')
  t:fails(function() return y + 1 end, 'freed')
  t:fails(function() return y:size() end, 'freed')
  t:eq(tostring(y), 'tensor(freed)')
end

function s.graphs_are_freed()
  collectgarbage() collectgarbage()
  local w = torch.ones(1000, {requires_grad = true})
  local before = allocated()
  for _ = 1, 2000 do
    local loss = (w * w + w):sum()
    loss:backward()
    w.grad = nil
  end
  collectgarbage() collectgarbage()
  t:le(allocated() - before, 64 << 10)
end

function s.one_collection_frees()
  collectgarbage()
  local before = allocated()
  local x = torch.zeros(1 << 20)
  local weak = setmetatable({x}, {__mode = 'v'})
  t:eq(#weak, 1)
  x = nil
  collectgarbage()
  t:eq(weak[1], nil)
  t:le(allocated() - before, 0)
end

function s.finalizers_see_their_tensors()
  local seen
  do
    local _ = setmetatable({x = torch.ones(3)}, {__gc = function(o) seen = o.x:sum():item() end})
  end
  collectgarbage() collectgarbage()
  t:eq(seen, 3.0)
end

-- Strings, tables and functions whose blocks have the size of a tensor's userdata, which grow and shrink and go.
function s.other_blocks_of_the_size()
  local kept, sum = {}, 0
  for i = 1, 3000 do
    local text = ('%023d'):format(i)
    local list = {i, i + 1, i + 2}
    local a, b = i, torch.full({1}, i)
    local function f() a = a + 1 return a, b end
    for k = 4, 9 do list[k] = k end
    for k = 9, 3, -1 do list[k] = nil end
    list[#list + 1] = text
    kept[i % 50 + 1] = {text, list, f}
    sum = sum + b:item()
  end
  t:eq(sum, 3000 * 3001 // 2)
  for i = 2951, 3000 do
    local text, list, f = table.unpack(kept[i % 50 + 1])
    t:eq(text, ('%023d'):format(i))
    t:eq(list, {i, i + 1, text})
    local a, b = f()
    t:eq(a, i + 1)
    t:eq(b:item(), i)
  end
end

function s.a_long_chain()
  local x = torch.ones(1, {requires_grad = true})
  local y = x
  for _ = 1, 100000 do y = y + 1 end
  y:backward()
  t:eq(x.grad:item(), 1.)
  y = x
  for _ = 1, 100000 do y = y + 1 end
  y = nil
  collectgarbage()
end

-- Time in proportion to the names: no collection visits the growing table again and again.
function s.loading_many_tensors()
  local path = os.tmpname()
  local function seconds(n)
    local many = {}
    for i = 1, n do many['a name ' .. i] = torch.zeros(0) end
    torch.save(many, path .. '.safetensors')
    local start = os.clock()
    local back = torch.load(path .. '.safetensors')
    local used = os.clock() - start
    t:assert(back['a name ' .. n], 'the last tensor')
    return used
  end
  local few, many = seconds(25000), seconds(200000)
  t:assert(many < 24 * few, ('%g and %g seconds'):format(few, many))
  t:eq(collectgarbage('isrunning'), true)
  os.remove(path)
  os.remove(path .. '.safetensors')
end

-- Lua sees a dataset as a few bytes, too.
function s.datasets_of_files()
  if os.getenv 'LUTH_BUILD_TYPE' == 'Asan' then return end  -- its heap is not the system's, and keeps what is freed
  local path = os.tmpname()
  local file = io.open(path, 'w')
  file:write 'a,b\n'
  for i = 1, 30000 do file:write(i, ',name', i, '\n') end
  file:close()
  local function loop(n) for _ = 1, n do data.CSV(path, { encode = 'codes' }) end end
  loop(10)
  local before = resident()
  loop(60)
  t:lt(resident() - before, 60 << 20)
  os.remove(path)
end

t:add(s):run()
