-- The content of the reference: the operators of the registry, sorted into pages, and the tables of names with functions
-- that are written by hand. Everything is in a fixed order.
local registry = require 'luth.registry'

local M = {}

-- ---- operators ----

-- The name that the operator behind a form has in scripts: "max.dim" is max, "linalg_solve" linalg.solve.
local prefixes = { 'linalg_', 'special_', 'signal_windows_', 'nn_functional_' }
local function own_name(form)
  local name = form.operator:match('^[^.]+')
  for _, prefix in ipairs(prefixes) do
    if name:sub(1, #prefix) == prefix then
      local space = prefix == 'linalg_' and 'linalg' or prefix == 'special_' and 'special' or
        prefix == 'signal_windows_' and 'signal.windows' or 'nn.functional'
      return space .. '.' .. name:sub(#prefix + 1)
    end
  end
  return name
end

local titles = {
  { 'creation', 'Creation', 'Operators that make tensors.' },
  { 'random', 'Random numbers', 'Operators that draw random numbers; torch.manual_seed(n) seeds them.' },
  { 'elementwise', 'Elementwise', 'Operators on each element; several inputs broadcast.' },
  { 'reductions', 'Reductions', 'Operators that reduce many elements to one, over all elements or along dims.' },
  { 'views', 'Views', 'Operators whose results share memory with their input.' },
  { 'networks', 'Networks', 'Operators for networks; most are also in nn.functional, which is F.' },
  { 'linalg', 'torch.linalg', 'Linear algebra; all operators take batches of matrices.' },
  { 'special', 'torch.special', 'Special functions of each element.' },
  { 'windows', 'torch.signal.windows', 'Window functions of signal processing.' },
  { 'others', 'Other operators', 'Indexing, joining, sorting, products and the rest.' },
}

local function has_param(form, name)
  for _, p in ipairs(form.params) do
    if p.name == name then return true end
  end
  return false
end

local function page_of(face)
  local form = face.forms[1]
  for prefix, page in pairs { linalg = 'linalg', special = 'special', signal = 'windows', nn = 'networks' } do
    if face.name:sub(1, #prefix + 1) == prefix .. '.' then return page end
  end
  if form.random then return 'random' end
  if form.factory then return 'creation' end
  if form.view then return 'views' end
  if form.elementwise then return face.is_method and 'elementwise' or 'networks' end
  for _, f in ipairs(face.forms) do
    if has_param(f, 'keepdim') then return 'reductions' end
  end
  return face.is_method and 'others' or 'networks'
end

-- Has `face` an operator that `entry` does not show?
local function adds(face, entry)
  local shown = {}
  for _, form in ipairs(entry.forms) do shown[form.operator] = true end
  for _, form in ipairs(face.forms) do
    if not shown[form.operator] then return true end
  end
  return false
end

--- Pages {name, title, brief, faces}; a face gets `inplace_face` and `other_names`, so that each operator has one entry.
function M.operator_pages()
  local by_name, pages, by_page = {}, {}, {}
  for _, face in ipairs(registry.faces()) do by_name[face.name] = face end
  for i, t in ipairs(titles) do
    pages[i] = { name = t[1], title = t[2], brief = t[3], faces = {} }
    by_page[t[1]] = pages[i]
  end
  for _, face in ipairs(registry.faces()) do
    face = by_name[face.name]
    local base = face.inplace and by_name[face.name:gsub('_$', '')]
    local own = own_name(face.forms[1]) .. (face.inplace and '_' or '')
    if own ~= face.name and by_name[own] and not adds(face, by_name[own]) then
      local of = by_name[own]
      of.other_names = of.other_names or {}
      table.insert(of.other_names, face.name)
    elseif base and not adds(face, base) then
      base.inplace_face = face
    else
      table.insert(by_page[page_of(face)].faces, face)
    end
  end
  return pages
end

-- ---- functions written by hand ----

local function value_at(path)
  local at = _G
  for part in path:gmatch('[^.]+') do
    at = type(at) == 'table' and rawget(at, part) or nil
  end
  return at
end

local function sorted_names(t)
  local names = {}
  for key in pairs(t) do
    if type(key) == 'string' and key:sub(1, 2) ~= '__' then names[#names + 1] = key end
  end
  table.sort(names)
  return names
end

-- The table of a space is listed under its own path; torch.nn is nn.
local function is_space(value, spaces)
  for _, space in ipairs(spaces) do
    if value_at(space.path) == value then return true end
  end
  return false
end

-- Tables of names that are small, or of few users.
local small = {
  ['torch.backends'] = 'Settings of the libraries that devices use.',
  ['torch.backends.cudnn'] = 'The library of convolutions on GPUs.', ['torch.ops'] = 'Operators of libraries of yours.',
  ['nn.utils.rnn'] = 'Sequences of different lengths: padded, packed, and in lists.',
  ['nn.modules.module'] = 'Hooks of all modules.', ['nn.modules.utils'] = 'Functions on state dicts.',
  ['optim.optimizer'] = 'Hooks of all optimizers.',
}

--- Tables {path, brief, entries = {{name, help, value, operator}}}, entries in order of name.
function M.tables()
  local spaces, list = registry.spaces(), {}
  for _, path in ipairs(sorted_names(small)) do spaces[#spaces + 1] = { path = path, brief = small[path] } end
  for _, space in ipairs(spaces) do
    local names = value_at(space.path)
    if type(names) == 'table' then
      local t = { path = space.path, brief = space.brief, entries = {} }
      for _, name in ipairs(sorted_names(names)) do
        local value = rawget(names, name)
        local help = registry.help_of(value)
        if help ~= '' and not is_space(value, spaces) then
          table.insert(t.entries, { name = name, help = help, value = value, operator = registry.operator_name(value) })
        end
      end
      list[#list + 1] = t
    end
  end
  return list
end

-- What constructors and calls of a class are is in the help of the class.
local of_class = { init = true, forward = true, extra_repr = true }

--- The same for classes of objects that are not tensors: streams, optimizers, loaders, … and modules. Of what several classes of
--- modules share, the first in order of names has it, but Sequential comes before all.
function M.classes()
  local classes, list = registry.classes(), {}
  classes['torch.Tensor'] = nil
  classes['nn.Module'] = nn.Module
  for _, name in ipairs(sorted_names(classes)) do
    local t = { path = name, entries = {} }
    for _, method in ipairs(sorted_names(classes[name])) do
      local value = classes[name][method]
      local help = registry.help_of(value)
      if help ~= '' then table.insert(t.entries, { name = method, help = help, value = value }) end
    end
    if #t.entries > 0 then list[#list + 1] = t end
  end
  local told = {}
  for _, name in ipairs { 'Sequential', table.unpack(sorted_names(nn)) } do
    local t = { path = 'nn.' .. name, entries = {} }
    for _, method in ipairs(name:find '^%u' and name ~= 'Module' and type(nn[name]) == 'table' and sorted_names(nn[name]) or {}) do
      local value = rawget(nn[name], method)
      local help = registry.help_of(value)
      if type(value) == 'function' and help ~= '' and not of_class[method] and not told[help] then
        told[help] = true
        table.insert(t.entries, { name = method, help = help, value = value })
      end
    end
    if #t.entries > 0 then list[#list + 1] = t end
  end
  return list
end

--- The fields of tensors: name and help.
function M.tensor_fields()
  local list = {}
  for _, name in ipairs {
    'shape', 'dtype', 'device', 'grad', 'grad_fn', 'is_leaf', 'requires_grad', 'data', 'T', 'mT', 'H', 'mH', 'real', 'is_cuda', 'ndim',
    '_base', 'output_nr', 'retains_grad', 'layout', 'itemsize', 'nbytes', 'names', 'is_sparse', 'is_quantized', 'is_meta', 'is_cpu',
  } do
    local help = registry.help_of_name('x.' .. name)
    if help:sub(1, #name + 3) == 'x.' .. name .. '\n' then list[#list + 1] = { name = name, help = help } end
  end
  return list
end

--- Signature, brief and the lines after it of a help text.
function M.parts(help)
  local signature, rest = help:match('^([^\n]*)\n?(.*)$')
  local lines = {}
  for line in (rest .. '\n'):gmatch('(.-)\n') do
    if line:find('%S') then lines[#lines + 1] = (line:gsub('^%s+', '')) end
  end
  local brief = table.remove(lines, 1) or ''
  return signature, brief, lines
end

return M
