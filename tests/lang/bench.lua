-- The workloads of luth bench: each is complete, and each runs, on the device that has shapes and no data.
local native = require 'luth.native'
local t, s = torch.Tester(), torch.TestSuite()

local workloads, by_name = {}, {}
require 'luth.bench.workloads' (function(w)
  t:assert(not by_name[w.name], w.name .. ' is there twice')
  workloads[#workloads + 1], by_name[w.name] = w, w
end)

local units = 'ns/op ns/elem us/step ms s GFLOP/s GB/s samples/s tokens/s images/s MB/s MB'
function s.each_is_complete()
  t:assert(#workloads > 200, 'it has seen all of them')
  for _, w in ipairs(workloads) do
    t:assert(w.name:find '^[%l%d]+/[%w_./]+$', w.name .. ' is a group and a name')
    t:assert((' ' .. units .. ' '):find(' ' .. w.unit .. ' ', 1, true), w.name .. ' has a unit')
    t:assert(w.work > 0, w.name .. ' has work')
    local ways = (w.statement and 1 or 0) + (w.make and 1 or 0) + (w.runs and 1 or 0) + (w.missing and 1 or 0)
    t:eq(ways, 1, w.name .. ' is run in one way')
  end
end

-- Networks of many layers are built in full, so shapes that do not fit are seen here and not after minutes.
function s.each_runs_without_data()
  local _ <close> = torch.device('meta'):scope()
  local count = 0
  for _, w in ipairs(workloads) do
    if w.make and w.name ~= 'index/masked_select' and not w.cpu then  -- the shape of its result depends on data
      local ok, why = pcall(function() w.make(math.min(w.work, 100))() end)
      t:assert(ok, w.name .. ': ' .. tostring(why))
      count = count + 1
    end
  end
  t:assert(count > 150, 'it has run them')
end

local function works_of(name)
  local w = by_name[name]
  return math.floor(w.work * 1e9 + 0.5)
end
function s.operations_are_counted_as_the_peer_counts_them()
  t:eq(works_of 'conv/3x3_64_56', 2 * 32 * 64 * 64 * 9 * 56 * 56)
  t:eq(works_of 'conv/3x3_64_56_fwdbwd', 6 * 32 * 64 * 64 * 9 * 56 * 56)
  t:eq(works_of 'conv/depthwise_3x3_128_56', 2 * 32 * 128 * 9 * 56 * 56)
  t:eq(works_of 'conv/stem_7x7_224', 2 * 32 * 3 * 64 * 49 * 112 * 112)
  t:eq(works_of 'conv/conv1d_64_128_k5', 2 * 32 * 64 * 128 * 5 * 1024)
  t:eq(works_of 'conv/transpose_128_64_k4s2', 2 * 32 * 128 * 64 * 16 * 14 * 14)
  t:eq(by_name['reduce/cumsum_dim1'].bytes, 8 * 4096 * 4096)
end

function s.the_trunk_has_its_parameters()
  local trunk, elements = require 'luth.bench.trunk', 0
  for _, shape in ipairs(trunk.shapes()) do
    local n = 1
    for _, extent in ipairs(shape) do n = n * extent end
    elements = elements + n
  end
  t:eq(elements, trunk.elements)
  t:eq(#trunk.shapes(), 60)
end

function s.networks_have_the_parameters_of_their_articles()
  local models = require 'luth.bench.models'
  local _ <close> = torch.device('meta'):scope()
  local function parameters(name)
    local n = 0
    for _, p in ipairs(models[name]():parameters()) do n = n + p:numel() end
    return n
  end
  t:eq(parameters 'lenet5', 61706)
  t:eq(parameters 'resnet18_cifar', 11173962)
  t:eq(parameters 'resnet56_cifar', 853018)
  t:eq(parameters 'fcn5', 784 * 2048 + 2048 + 2048 * 4096 + 4096 + 4096 * 1024 + 1024 + 10250)
end

function s.a_process_is_measured()
  local seconds, bytes, code = native.run { native.program(), '-e', 'os.exit(3)' }
  t:assert(seconds > 0 and seconds < 60 and bytes > 2 ^ 20, 'it took time and memory')
  t:eq(code, 3)
  local _, _, killed = native.run { '/bin/sh', '-c', 'kill -9 $$' }
  t:eq(killed, 128 + 9)
  t:fails(function() native.run { '/nowhere/nothing' } end, 'cannot start /nowhere/nothing')
end

function s.names_are_chosen_by_a_regular_expression()
  local names = { 'optim/adam', 'optim/adamw', 'conv/a.b' }
  t:eq(native.matching(names, '^optim/adam$'), { 'optim/adam' })
  t:eq(native.matching(names, 'adam|conv'), names)
  t:eq(native.matching(names, 'a[.]b'), { 'conv/a.b' })
  t:eq(native.matching(names, '^(?!optim)'), { 'conv/a.b' })
  t:fails(function() native.matching(names, '(') end, "'(' is no regular expression")
end

t:add(s):run()
