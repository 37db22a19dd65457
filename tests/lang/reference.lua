-- The pages of the reference, the definitions for editors and the manual page: up to date, whole, and every example in them runs.
local reference = require 'luth.reference'
local registry = require 'luth.registry'
local share = require('luth.native').share_dir() .. '/..'
local t, s = torch.Tester(), torch.TestSuite()

function s.up_to_date()
  local list = reference.outdated(share)
  t:eq(table.concat(list, ', '), '', 'the build makes them: the target luth_generated')
end

function s.examples_run()
  local list = reference.examples(share)
  for _, example in ipairs(list) do
    local chunk, message = load(example.code, string.format('=%s:%d', example.page, example.line))
    t:assert(chunk, message)
    local ok, why = pcall(chunk or error)
    t:assert(ok, tostring(why) .. '\n' .. example.code)
  end
  -- one for each form of each operator: those in place and other names of one share its entry
  local forms = {}
  for _, face in ipairs(registry.faces()) do
    for _, form in ipairs(face.forms) do forms[form.operator] = true end
  end
  local count = 0
  for _ in pairs(forms) do count = count + 1 end
  t:assert(#list >= count, string.format('%d examples, %d operators', #list, count))
end

-- Each name has an example that runs, and help prints it with names to look at next. A Reducer is a part of DistributedDataParallel.
function s.names_have_examples()
  local model, examples, more = require 'luth.reference.model', require 'luth.reference.examples', require 'luth.help.more'
  local count = 0
  local function check(path, entry)
    local name = path .. '.' .. entry.name
    count = count + 1
    if not entry.operator then
      local lines, why = examples.of_name(name, entry.help)
      t:assert(lines, name .. ' has no example that runs: ' .. tostring(why))
    end
    if count % 20 == 0 then  -- it reads all pages
      local text = more.text(entry.help)
      t:assert(text:find('\n\nExample\n', 1, true) and text:find('\n\nSee also ', 1, true), name .. ': ' .. text)
    end
  end
  for _, list in ipairs { model.tables(), model.classes() } do
    for _, names in ipairs(list) do
      for _, entry in ipairs(names.path ~= 'torch.distributed.Reducer' and names.entries or {}) do check(names.path, entry) end
    end
  end
  t:assert(count > 2000, count)
end

-- Each function below these tables that has help is in the reference.
function s.nothing_is_left_out()
  local model, registry = require 'luth.reference.model', require 'luth.registry'
  local told, seen, missing = {}, {}, {}
  for _, list in ipairs { model.tables(), model.classes() } do
    for _, names in ipairs(list) do
      for _, entry in ipairs(names.entries) do told[entry.help] = true end
    end
  end
  local function walk(names, path)
    if seen[names] then return end
    seen[names] = true
    for name, value in pairs(names) do
      local help = type(value) == 'function' and registry.help_of(value) or ''
      local apart = registry.operator_name(value) or ({ init = true, forward = true, extra_repr = true })[name] or told[help]
      if help ~= '' and not apart then missing[#missing + 1] = path .. '.' .. tostring(name) end
      if type(value) == 'table' and type(name) == 'string' and not name:find '^_' then walk(value, path .. '.' .. name) end
    end
  end
  for path, names in pairs { nn = nn, optim = optim, data = data, torch = torch } do walk(names, path) end
  table.sort(missing)
  t:eq(table.concat(missing, ' '), '')
end

-- The example of an operator in place is its own, or that of one which is the same, with its name.
function s.examples_in_place()
  local registry, more = require 'luth.registry', require 'luth.help.more'
  for _, name in ipairs { 'atanh_', 'gcd_', 'unsqueeze_', 'polygamma_', 'hardtanh_', 'put_' } do
    local text = more.text(registry.help_of_name('x:' .. name))
    t:assert(text:find('[:.]' .. name .. '%(') and text:find('\n\nExample\n', 1, true), name .. ': ' .. text)
  end
  local text = more.text(registry.help_of_name 'x:arctan2_')
  t:assert(text:find(':arctan2_(', 1, true), text)
end

function s.definitions()
  local path = share .. '/luth/types/torch.lua'
  local chunk = loadfile(path, 't', setmetatable({}, { __index = { torch = {}, nn = {}, optim = {}, data = {} } }))
  t:assert(chunk, path .. ' is Lua')
  local file = assert(io.open(path))
  local text = file:read('a')
  file:close()
  for _, face in ipairs(registry.faces()) do
    local name = face.name:match('[^.]+$')
    if face.is_function and name == face.name then
      t:assert(text:find('function torch.' .. name .. '(', 1, true) or text:find('torch["' .. name .. '"]', 1, true), name)
    end
    if face.is_method then
      t:assert(text:find('function Tensor:' .. name .. '(', 1, true) or text:find('Tensor["' .. name .. '"]', 1, true), name)
    end
  end
  for _, part in ipairs { '---@class nn.Linear: nn.Module', 'function optim.SGD(', '---@field shape torch.Size', 'nn.functional' } do
    t:assert(text:find(part, 1, true), part)
  end
end

-- A page that is not what it should be is found.
function s.finds_what_is_old()
  local folder = os.tmpname()
  os.remove(folder)
  t:eq(#reference.write(folder), #reference.outdated(folder .. '/nowhere'))
  t:eq(reference.outdated(folder), {})
  local file = assert(io.open(folder .. '/luth/reference/random.md', 'a'))
  file:write('more\n')
  file:close()
  t:eq(reference.outdated(folder), { 'luth/reference/random.md' })
  os.execute("rm -rf '" .. folder .. "'")
end

t:add(s):run()
