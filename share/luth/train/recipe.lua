-- Recipes: a Lua file that says what to train. This module runs the file with `options` and `recipe` in its reach, and
-- applies the command line.
local native = require 'luth.native'
local deferred = require 'luth.train.deferred'
local errors = require 'luth.train.errors'
local fields = require 'luth.train.fields'
local kept = require 'luth.train.kept'
local options = require 'luth.train.options'

local M = {}
local usage = errors.usage

-- Runs the file. Returns its result, the names of the options that it declared, and the file and line of its `recipe`.
local function run_file(path, line, seed)
  local declared, called, place = {}, false, path
  local own = {
    options = function(declaration) return options.declare(declaration, line, declared, place) end,
    recipe = function(r)
      if type(r) ~= 'table' then usage('%s: recipe wants a table: recipe { model = ..., data = ... }', place) end
      called = true
      return r
    end,
    optim = deferred.table(optim, 'optim'),
    kept = kept.take,
  }
  -- While the file runs, each look at `options` or `recipe` tells the place of the call: a call in `return recipe {}`
  -- itself is a tail call, which leaves no trace.
  local meta = {
    __index = function(_, name)
      if name == 'recipe' or name == 'options' then place = deferred.place(2) end
      if own[name] ~= nil then return own[name] end
      return _G[name]
    end,
    __newindex = function(_, name, value) (own[name] ~= nil and own or _G)[name] = value end,
  }
  local env = setmetatable({}, meta)
  torch.manual_seed(seed)
  local chunk, message = loadfile(path, 't', env)
  if not chunk and message:find('^attempt to load a') then message = path .. ': it is bytecode; a recipe is text' end
  if not chunk then native.fail(message:find('^cannot ') and 2 or 1, message) end
  local result = chunk()
  if not called or type(result) ~= 'table' then
    usage("%s is no recipe: it must end with 'return recipe { ... }'", path)
  end
  for name, value in pairs(own) do rawset(env, name, value) end
  meta.__index, meta.__newindex = _G, _G
  return result, declared, place
end

-- Runs the recipe at `path` with the options of `line` (options.line). Returns it with all fields set; its options have
-- joined the line.
function M.load(path, line)
  local given = line:add { fields.row('seed') }
  local seed = fields.of_text('seed', given.seed, 0, line)
  local r, declared, place = run_file(path, line, seed)
  if not given.seed and r.seed ~= nil and fields.value('seed', r.seed, place .. ': seed') ~= seed then
    r, declared, place = run_file(path, line, r.seed)
  end
  fields.check(r, place)
  local rows, values = {}, {}
  for _, row in ipairs(fields.rows()) do
    local name = row.name
    local value, by_recipe = r[name], r[name] ~= nil
    if value == nil then value = fields.all[name].default end
    values[name] = fields.value(name, value, place .. ': ' .. name)
    if not declared[name] then
      rows[#rows + 1] = fields.row(name, values[name])
      rows[#rows].by_recipe = by_recipe
    end
  end
  line.loaded = true
  given = line:add(rows)
  for name, value in pairs(values) do
    -- A declared option of the same name has already had its say: the recipe passed it on.
    r[name] = declared[name] and value or fields.of_text(name, given[name], value, line)
  end
  return r
end

-- The datasets {train, val, test}: a built-in dataset brings its own test part.
function M.datasets(r)
  local d = r.data
  if native.kind(d) == 'dataset' then return { train = d, test = d.test_part and d:test_part() or nil } end
  return { train = d.train, val = d.val, test = d.test }
end

return M
