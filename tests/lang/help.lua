-- Help: every function of every table, every method of every class, fields of objects and switches.
local registry = require 'luth.registry'
local t, s = torch.Tester(), torch.TestSuite()

-- Calls visit(path, value) for what the tables of names hold, tables within them too, each once.
local function walk(path, names, seen, visit)
  if seen[names] then return end
  seen[names] = true
  for key, value in next, names do
    if type(key) == 'string' and key:sub(1, 1) ~= '_' then
      visit(path .. '.' .. key, value)
      if type(value) == 'table' then walk(path .. '.' .. key, value, seen, visit) end
    end
  end
end

function s.everything_has_help()
  local seen, count = {}, 0
  local function visit(path, value)
    if type(value) == 'function' or type(value) == 'table' or type(value) == 'userdata' then
      count = count + 1
      t:assert(registry.help_of(value) ~= '', path .. ' has no help')
    end
  end
  for _, root in ipairs { 'torch', 'nn', 'optim', 'data' } do
    visit(root, _G[root])
    walk(root, _G[root], seen, visit)
  end
  for name, methods in pairs(registry.classes()) do walk(name, methods, seen, visit) end
  t:assert(count > 700, 'it has seen all of them: ' .. count)
end

-- Classes of objects have no table of their own: help knows them by name, as the reference has them.
function s.classes_by_name()
  local print_before, said = print, {}
  for _, name in ipairs { 'data.Dataset', 'torch.autograd.Node', 'torch.autograd.function.ctx', 'torch.distributed.ProcessGroup',
                          'torch.distributed.Reducer', 'torch.distributed.Store', 'torch.distributed.Work' } do
    t:assert(registry.classes()[name], name)
    rawset(_G, 'print', function(text) said[name] = text end)
    local ok, why = pcall(help, name)
    rawset(_G, 'print', print_before)
    t:assert(ok, why)
  end
  t:assert(said['data.Dataset']:find('\n  classes +The names of the classes'), said['data.Dataset'])
  t:assert(said['torch.distributed.Reducer']:find('\n  bucket +The numbers of the parameters'), said['torch.distributed.Reducer'])
  t:fails(function() help('data.nothing') end, "no help on 'data.nothing'")
end

-- An operator with fewer settings, which is tried first, is no form of its own for the reader.
function s.forms_that_others_include()
  local text = registry.help_of(F.embedding)
  t:eq(select(2, text:gsub('torch%.embedding%(', '')), 1, text)
  t:assert(text:find('max_norm', 1, true))
  t:eq(select(2, registry.help_of(torch.max):gsub('torch%.max%(', '')), 3)
  t:fails(function() help('torch.sofmx') end, "did you mean 'torch.softmax'?")
  t:fails(function() help('F.mse_los') end, "did you mean 'F.mse_loss'?")
  t:fails(function() help('nn.SpatialConvolution') end, 'luth has nn.Conv2d(')
end

function s.names_find_it()
  for _, face in ipairs(registry.faces()) do
    local name = face.is_function and 'torch.' .. face.name or 'x:' .. face.name
    t:assert(registry.help_of_name(name):find(face.name, 1, true), name)
    t:assert(registry.help_of_name(face.name) ~= '', face.name)
  end
  for _, name in ipairs { 'topk', 'torch.topk', 'x:topk', 'shape', 'zero_grad', 'nn.Linear', 'Linear', 'optim.SGD' } do
    t:assert(registry.help_of_name(name):find(name:match('[%w_]+$'), 1, true), name)
  end
  t:eq(registry.help_of_name('no_such_name'), '')
end

function s.objects_and_switches()
  local function has(text, ...)
    for _, part in ipairs { ... } do t:assert(text:find(part, 1, true), part .. ' in ' .. text) end
  end
  has(registry.help_of(torch.device('cpu')), 'torch.device', 'type', 'index', 'scope')
  has(registry.help_of(torch.cuda.Event()), 'torch.cuda.Event', 'elapsed_time', 'Milliseconds')
  has(registry.help_of(optim.SGD({ torch.ones(1, { requires_grad = true }) }, { lr = 1 })), 'param_groups', 'step')
  has(registry.help_of(torch.backends.cudnn), 'benchmark', 'quickest')
  local enabled = registry.help_of_name('torch.backends.cudnn.enabled')
  has(enabled, 'cuDNN')
  t:assert(not enabled:find('cuBLAS', 1, true), 'the other switch of that name is not shown')
  has(registry.help_of_name('enabled'), 'cuDNN', 'cuBLASLt')
  has(registry.help_of_name('torch.device.type'), "'cpu', 'cuda'")
end

-- Functions that do the same have help of their own.
function s.own_names()
  for _, name in ipairs { 'conj', 'resolve_neg', 'is_conj', 'is_complex', 'is_neg', 'real', 'numel', 'adjoint' } do
    local heading = 'torch.' .. name .. '('
    t:eq(registry.help_of(torch[name]):sub(1, #heading), heading)
  end
  for _, name in ipairs { 'dim', 'ndimension', 'numel', 'nelement', 'conj', 'is_complex', 'is_shared', 'item' } do
    local heading = 'x:' .. name .. '('
    t:eq(registry.help_of(torch.Tensor[name]):sub(1, #heading), heading)
  end
end

function s.headings()
  for name, heading in pairs {
    ['torch.nn.functional.cross_entropy'] = 'torch.nn.functional.cross_entropy(input, target', ['F.mse_loss'] = 'torch.nn.functional.mse_loss(',
    ['F.conv2d'] = 'torch.conv2d(input', ['F.unfold'] = 'torch.nn.functional.unfold(input', ['torch.mul'] = 'torch.mul(input, other)',
    ['torch.mul_'] = 'x:mul_(other)', ['torch.Tensor.mul_'] = 'x:mul_(other)', ['torch.Tensor.polygamma_'] = 'x:polygamma_(n)',
    ['torch.Tensor.view'] = 'x:view(size)', ['torch.cholesky_solve'] = 'torch.cholesky_solve(B, L, upper = false)',
  } do
    local text = registry.help_of_name(name)
    t:eq(text:sub(1, #heading), heading)
    t:eq(registry.help_of(load('return ' .. name)()), text)
  end
end

t:add(s):run()
