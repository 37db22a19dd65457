-- The shapes that help states (share/luth/reference/shapes.lua) are those of the samples of operators and of the examples of modules.
local examples = require 'luth.reference.examples'
local registry = require 'luth.registry'
local shapes = require 'luth.reference.shapes'
local uses = require 'luth.reference.uses'
local t, s = torch.Tester(), torch.TestSuite()

-- "input [N, C], target [N]" -> {{name, dims = {'N', 'C'}}, …}; dims is nil for any shape, and parts has those of {…}.
local function items_of(side)
  local items, depth, from = {}, 0, 1
  side = side .. ','
  for at = 1, #side do
    local c = side:sub(at, at)
    if c == '[' or c == '{' then depth = depth + 1 elseif c == ']' or c == '}' then depth = depth - 1 end
    if c == ',' and depth == 0 then
      local text = side:sub(from, at - 1)
      local item = { name = text:match '^%s*([%w_]+)' }
      local dims, inner = text:match '%[(.*)%]%s*$', text:match '^%s*{(.*)}%s*$'
      if inner then item.parts = items_of(inner)
      elseif dims and not dims:find '…' then
        item.dims = {}
        for dim in dims:gmatch '[^,]+' do item.dims[#item.dims + 1] = dim:match '^%s*(.-)%s*$' end
      end
      items[#items + 1], from = item, at + 1
    end
  end
  return items
end

local function broadcast(a, b)
  if not a then return b end
  local out = {}
  for i = 1, math.max(#a, #b) do
    local m, n = a[#a + 1 - i] or 1, b[#b + 1 - i] or 1
    if m ~= n and m ~= 1 and n ~= 1 then return nil end
    table.insert(out, 1, m == 1 and n or m)
  end
  return out
end

-- Does a shape fit the dims, with what letters have meant before? `result`: leading dims are those to which the inputs' broadcast.
local function fits(dims, shape, known, result)
  local star
  for i, dim in ipairs(dims) do star = dim == '*' and i or star end
  local rest = #shape - #dims + (star and 1 or 0)
  if rest < 0 or not star and rest > 0 then return false end
  local at = 1
  for _, dim in ipairs(dims) do
    if dim == '*' then
      local these = table.move(shape, at, at + rest - 1, 1, {})
      local all = broadcast(known['*'], these)
      if not all or result and table.concat(all, ' ') ~= table.concat(these, ' ') then return false end
      known['*'], at = all, at + rest
    else
      local value = tonumber(dim) or known[dim]
      if not value and not dim:find '^[%a_][%w_]*$' then value = assert(load('return ' .. dim, dim, 't', known))() end
      if value and value ~= shape[at] then return false end
      known[dim], at = shape[at], at + 1
    end
  end
  return true
end

local function check(items, values, known, result)
  for i, item in ipairs(items) do
    local v = values[item.name or i]
    if v == nil then v = values[i] end
    if item.parts and v then
      if not check(item.parts, v, known, result) then return false end
    elseif item.dims and v then
      local shape = type(v) == 'number' and {} or torch.is_tensor(v) and v:size()
      if not shape or not fits(item.dims, shape, known, result) then return false end
    end
  end
  return true
end

-- Is one of the ways that of these inputs and results?
local function found(ways, inputs, results)
  for _, way in ipairs(ways) do
    local left, right = way:match '^(.-) %-> (.*)$'
    local known = {}
    if check(items_of(left), inputs, known) and check(items_of(right), results, known, true) then return true end
  end
  return false
end

local function told(values)
  local list = {}
  for i = 1, values.n or #values do list[i] = torch.is_tensor(values[i]) and tostring(values[i]:size()) or tostring(values[i]) end
  return table.concat(list, ', ')
end

-- The inputs of a sample, by name and by number; its results.
local function run(face, form, sample)
  for _, way in ipairs(form.counts_positions and { { 1 }, { 0 } } or { { 0 }, { 0, true }, { 1 } }) do
    local lines, _, call = examples.code(face, form, sample, way[1], way[2])
    local results = table.pack(pcall(assert(load(table.concat(lines, '\n') .. '\nreturn ' .. call))))
    if results[1] then return table.move(results, 2, results.n, 1, {}) end
  end
end

local seen = {}
function s.operators()
  local runs = 0
  for _, face in ipairs(registry.faces()) do
    for number, form in ipairs(face.inplace and {} or face.forms) do
      local ways = not seen[form.operator] and shapes.ways[form.operator]
      seen[form.operator] = true
      for _, sample in ipairs(ways and registry.samples(face.name, number) or {}) do
        local results = run(face, form, sample)
        local inputs, i = {}, 0
        for _, p in ipairs(form.params) do
          local v = p.input and sample.inputs[p.at]
          if type(v) == 'table' then v = torch.empty(v.shape) end
          if p.input then i = i + 1 end
          if v and not p.list then inputs[p.name], inputs[i] = v, v end
        end
        runs = runs + (results and 1 or 0)
        t:assert(not results or found(ways, inputs, results),
          ('%s: (%s) -> %s is none of %s'):format(form.operator, told(inputs), results and told(results), table.concat(ways, ' | ')))
      end
    end
  end
  t:assert(runs > 600, runs)
end

function s.modules()
  local count = 0
  for name, ways in pairs(shapes.ways) do
    local lines = name:find '^nn%.' and uses.code(name, name)
    t:assert(lines or seen[name], name .. ' is neither a module nor an operator')
    if lines and #lines == 2 and lines[2]:find '^m%(' then
      local make, inputs = lines[1]:match '= (.*)$', lines[2]:match '^m%((.*)%)$'
      local m, values = load('return ' .. make)(), table.pack(load('return ' .. inputs)())
      local results = table.pack(m(table.unpack(values, 1, values.n)))
      t:assert(found(ways, values, results), ('%s: (%s) -> %s is none of %s'):format(name, told(values), told(results), table.concat(ways, ' | ')))
      count = count + 1
    end
  end
  t:assert(count > 100, count)
end

-- An example of another name of an operator calls it by that name, and runs.
function s.other_names()
  local more = require 'luth.help.more'
  local count = 0
  for _, page in ipairs(require('luth.reference.model').operator_pages()) do
    for _, face in ipairs(page.faces) do
      for _, other in ipairs(face.other_names or {}) do
        local name = (face.is_function and 'torch.' or 'x:') .. other
        local code = more.text(registry.help_of_name(name)):match '\n\nExample\n(.-)\n\n' or ''
        t:assert(code:find('[.:]' .. other:match '[%w_]+$' .. '%(') and pcall(load(code) or error), name .. code)
        count = count + 1
      end
    end
  end
  t:assert(count > 50, count)
end

-- Each name that computes with modules or windows states its shapes, and help shows them.
function s.in_help()
  local more = require 'luth.help.more'
  local text = more.text(registry.help_of_name 'nn.Conv2d')
  t:assert(text:find('\n\nShapes (* any dims, … any shape)\n  [N, C_in, H, W] -> [N, C_out, H_out, W_out]\n', 1, true), text)
  text = more.text(registry.help_of_name 'torch.gather')
  t:assert(text:find('\n  input […], index […] -> index\n', 1, true), text)
  t:assert(more.text(registry.help_of_name 'torch.sum'):find('extent 1 with keepdim. Without dim all are.', 1, true))
  t:assert(more.text(registry.help_of_name 'F.cross_entropy'):find('target [N, *]', 1, true))
  t:assert(more.text(registry.help_of_name 'x:add_'):find('broadcast', 1, true))
  for _, help in ipairs { registry.help_of_name 'plot.scatter', registry.help_of_name 'torch.distributed.gather', 'seq:add(module)\n  Adds it.' } do
    t:assert(#more.text(help) > 0 and not more.text(help):find 'Shapes', help)  -- no operators, though some have these names
  end
  for name in pairs(nn) do
    local lines = name:find '^%u' and uses.code('nn.' .. name, 'nn.' .. name)
    local of_modules = name:find 'Table$' or name == 'Concat' or name == 'DataParallel' or name == 'Sequential'
    if lines and lines[2] and lines[2]:find '^m%(' and not of_modules then t:assert(shapes.ways['nn.' .. name], name) end
  end
end

t:add(s):run()
