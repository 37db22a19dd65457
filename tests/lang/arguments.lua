-- Names, order, defaults and keyword-only arguments of every operator, as PyTorch has them (tests/golden/arguments.txt).
local registry = require 'luth.registry'
local t, s = torch.Tester(), torch.TestSuite()

-- What is not as in PyTorch, and why: a call as arguments.txt writes it, or the name of an operator, or an argument.
local allowed = {
  -- luth has one function where PyTorch's torch and torch.nn.functional differ, with the arguments of the latter
  ['alpha_dropout_(input, p, train)'] = "F's argument is training",
  ['dropout_(input, p, train)'] = "F's argument is training",
  ['feature_alpha_dropout_(input, p, train)'] = "F's argument is training",
  ['alpha_dropout_ training'] = "F's argument", ['feature_alpha_dropout_ training'] = "F's argument",
  ['dropout_ training'] = "F's argument",
  ['elu_(input, alpha=1, scale=1, input_scale=1)'] = 'undocumented',
  ['max_pool2d_with_indices'] = 'return_indices does nothing there',
  ['max_pool3d_with_indices'] = 'return_indices does nothing there',
  -- no default where PyTorch's is out of use or a guess
  ['log_softmax(input, dim=None, dtype=None)'] = 'the dim is wanted, as PyTorch warns',
  ['softmax(input, dim=None, dtype=None)'] = 'the dim is wanted, as PyTorch warns',
  ['softmin(input, dim=None, dtype=None)'] = 'the dim is wanted, as PyTorch warns',
  -- another text for the same default
  ['ctc_loss blank'] = 'labels count from 1',
  ['meshgrid indexing'] = "None means 'ij' and warns",
  ['norm p'] = "'fro' is 2",
  ['norm dtype'] = 'its place is behind out',
  ['normal std'] = 'nil is 1',
  ['std unbiased'] = 'nil is true', ['var unbiased'] = 'nil is true',
  ['std_mean unbiased'] = 'nil is true', ['var_mean unbiased'] = 'nil is true',
  ['roll dims'] = 'an empty list is one',
  ['conv1d padding'] = 'the form for words', ['conv2d padding'] = 'the form for words',
  ['conv3d padding'] = 'the form for words',
  -- for what luth does not have
  ['gather sparse_grad'] = 'sparse gradients',
  ['mm out_dtype'] = 'on GPUs alone', ['bmm out_dtype'] = 'on GPUs alone',
  ['addmm out_dtype'] = 'on GPUs alone', ['baddbmm out_dtype'] = 'on GPUs alone',
  ['expand implicit'] = 'undocumented',
  -- older ways, which PyTorch does not document
  ['linalg.matrix_rank(input, tol, hermitian=False)'] = 'atol, by name',
  ['linalg.pinv(input, rcond, hermitian=False)'] = 'rtol, by name',
  -- one form of luth serves ways that differ in what may be given by position
  ['sort dim'] = 'by position without stable', ['sort descending'] = 'by position without stable',
  ['argsort dim'] = 'by position without stable', ['argsort descending'] = 'by position without stable',
  ['std keepdim'] = 'by position without correction', ['var keepdim'] = 'by position without correction',
  ['std_mean keepdim'] = 'by position without correction', ['var_mean keepdim'] = 'by position without correction',
  ['rsub alpha'] = 'by position where other is a number', ['sub alpha'] = 'by position where other is a number',
  ['subtract alpha'] = 'by position where other is a number', ['sub_ alpha'] = 'by position where other is a number',
  ['subtract_ alpha'] = 'by position where other is a number',
  ['add alpha'] = 'by position where other is a number', ['add_ alpha'] = 'by position where other is a number',
  ['einsum(*args)'] = 'equation and operands',
  ['einsum operands'] = 'args', ['einsum equation'] = 'args',
  ['lu A'] = 'written in Python',
  ['special.log_softmax dtype'] = 'by position in F.log_softmax',
  ['view dtype'] = 'the form for a dtype needs it',
}
local faces = {}
for _, face in ipairs(registry.faces()) do faces[face.name] = face end
local used = {}
local function allow(...)
  for _, key in ipairs { ... } do
    if allowed[key] then
      used[key] = true
      return true
    end
  end
end

-- "input, dim=[0,1], *, dtype=None" as a list of {name, default, named}.
local function parse(text)
  local list, named = {}, false
  for part in (text:gsub('%b[]', function(inner) return (inner:gsub(',', ';')) end) .. ','):gmatch('%s*(.-),') do
    local star, name, default = part:match('^(%*?)([%w_]*)=?(.*)$')
    if star == '*' and name == '' then named = true end
    if name ~= '' then
      list[#list + 1] = { name = name, default = default ~= '' and default:gsub(';', ',') or nil, named = named }
    end
  end
  return list
end

local function param_of(form, name)
  for i, p in ipairs(form.params) do
    if p.name == name or p.also == name then return i, p end
  end
end

-- Do PyTorch's default and luth's mean the same? Dims count from 1; a number stands for as many as are needed.
local function same_default(p, default)
  local own = p.input and 'nil' or p.default
  local words = { None = 'nil', True = 'true', False = 'false', ['[]'] = 'nil' }
  local function plain(text) return (text:gsub('[%s{}%[%]]', '')) end
  local function shifted(text) return (text:gsub('%f[%d-]%d+', function(n) return n + 1 end)) end
  own, default = plain(own), plain(words[default] or default)
  if own == default or tonumber(own) and tonumber(own) == tonumber(default) then return true end
  if p.name:find('dim') and shifted(default) == own then return true end
  for each in default:gmatch('[^,]+') do
    if each ~= own then return false end
  end
  return default ~= ''
end

-- What of a way to call it the form does not take.
local function differences(face, form, way, method)
  local name = face.name
  local list, position = {}, method and 1 or 0
  local function differs(argument, ...)
    if not allow(name .. ' ' .. argument) then
      list[#list + 1] = argument .. ' ' .. string.format(...)
    end
  end
  for _, a in ipairs(way) do
    local i, p = param_of(form, a.name)
    local missing = not p and not (a.name == 'inplace' and faces[name .. '_'])
    if not a.named then position = position + 1 end
    if missing then
      differs(a.name, 'is missing')
    elseif p then
      if not a.named and i ~= position then differs(a.name, 'has place %d, not %d', i, position) end
      if not a.named and p.named then differs(a.name, 'is given by name alone') end
      if a.named and not p.named then differs(a.name, 'may be given by position') end
      if a.default and p.required then differs(a.name, 'is required') end
      if a.default and not p.required and not same_default(p, a.default) then
        differs(a.name, 'is %s, not %s', p.input and 'nil' or p.default, a.default)
      end
    end
  end
  return list
end

-- The lines of arguments.txt, as {line, documented, where, name, text}.
local function ways()
  local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
  local list = {}
  for line in io.lines(root .. '/tests/golden/arguments.txt') do
    local documented, where, name, text = line:match('^(d?o?c? ?)(%a+)[.:]([%w_.]+)%((.*)%)$')
    list[#list + 1] = { line = line, documented = documented ~= '', where = where, name = name, text = text }
  end
  return list
end

function s.calls_are_as_in_pytorch()
  local count = 0
  for _, way in ipairs(ways()) do
    local face = faces[way.name]
    t:assert(face, way.line .. ': there is no such operator')
    if face and not way.documented and not allow((way.line:gsub('^%a+[.:]', '', 1)), way.name) then
      local least
      for _, form in ipairs(face.forms) do
        local list = differences(face, form, parse(way.text), way.where == 'x')
        if not least or #list < #least then least = list end
      end
      t:assert(#least == 0, way.line .. '\n  ' .. table.concat(least, ', '))
      count = count + 1
    end
  end
  t:assert(count > 600, count)
end

function s.documented_names_are_taken()
  for _, way in ipairs(ways()) do
    for _, a in ipairs(way.documented and parse(way.text) or {}) do
      local known = allow(way.name .. ' ' .. a.name)
      for _, form in ipairs(faces[way.name].forms) do known = known or param_of(form, a.name) ~= nil end
      t:assert(known, way.line .. ': ' .. a.name)
    end
  end
end

function s.functions_stand_where_pytorch_has_them()
  local where = {}
  for _, way in ipairs(ways()) do
    if way.where ~= 'x' then where[way.name] = way.where end
  end
  for name, place in pairs(where) do
    local prefix = faces[name].prefix
    t:assert((prefix == 'torch.nn.functional.') == (place == 'F'), prefix .. name)
  end
end

-- No argument has a name that PyTorch does not know.
function s.no_names_of_luths_own()
  local known = {}
  for _, way in ipairs(ways()) do
    local names = known[way.name] or {}
    known[way.name] = names
    for _, a in ipairs(parse(way.text)) do names[a.name] = true end
  end
  local common = { device = true, memory_format = true }
  for name, names in pairs(known) do
    for _, form in ipairs(faces[name].forms) do
      for _, p in ipairs(form.params) do
        local is_self = p.input and p.at == 1 and p.name == 'input'
        t:assert(names[p.name] or names[p.also or ''] or common[p.name] or is_self or allow(name .. ' ' .. p.name), name .. ' ' .. p.name)
      end
    end
  end
end

-- The last test: every reason is still one.
function s.zz_nothing_is_allowed_in_vain()
  for key, reason in pairs(allowed) do t:assert(used[key], key .. ': ' .. reason) end
end

t:add(s):run()
