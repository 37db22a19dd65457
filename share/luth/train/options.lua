-- The command line of luth train and luth eval. The program's parser (luth.command_line) reads it by one table of
-- options: luth's own, the fields of recipes, and the options that a recipe declares. This file converts texts to types.
local command_line = require 'luth.command_line'
local native = require 'luth.native'
local errors = require 'luth.train.errors'

local M = {}
local usage = errors.usage

-- Options of luth train and luth eval, which a recipe may not declare, with their descriptions; those of `yields` are the
-- recipe's where it declares them.
local yields = { split = true, require = true, confidence = true, per_class = true, predictions = true }
local reserved = command_line.own()
for name in pairs(yields) do reserved[name] = nil end

-- ---- the words of a subcommand ----

local Line = {}
Line.__index = Line

--- `words`: what stands behind the recipe. `earlier`: the words with which the run was started; the later ones count.
function M.line(subcommand, words, earlier)
  return setmetatable({ subcommand = subcommand, own = words, earlier = earlier or {}, rows = {} }, Line)
end

local function together(a, b) return table.move(b, 1, #b, #a + 1, { table.unpack(a) }) end

-- The rows of the recipe, by name.
function Line:list()
  local list = {}
  for _, name in ipairs(errors.keys(self.rows)) do list[#list + 1] = self.rows[name] end
  return list
end

--- Adds rows {name =, value =, help =, default =}, which replace others of the same name. Returns the text of each option
--- that was given and is known so far, by name, the words that are not, and the names in order.
function Line:add(rows)
  for _, row in ipairs(rows) do self.rows[row.name] = row end
  return command_line.parse(self.subcommand, self:list(), together(self.earlier, self.own))
end

--- {name = {value =, source =}} of every option of the recipe: from the command line, from the run that goes on, or the recipe's
--- own. `values`: those that hold, by name, where the options are fields of the recipe.
function Line:sources(values)
  local now = command_line.parse(self.subcommand, self:list(), self.own)
  local before = command_line.parse(self.subcommand, self:list(), self.earlier)
  local all = {}
  for name, row in pairs(self.rows) do
    local value = values[name]
    if type(value) == 'table' or value == nil then value = now[name] or before[name] or row.default end
    all[name] = { value = tostring(value), source = now[name] and 'command line' or before[name] and 'the run before' or 'recipe' }
  end
  return all
end

--- What was given of luth's own options that no row of the recipe stands for.
function Line:own_options()
  local given = self:add {}
  for name in pairs(self.rows) do given[name] = nil end
  return given
end

--- An option that no row has is an error with the nearest name. Returns the arguments behind the recipe.
function Line:check()
  local rows = self:list()
  local _, rest = command_line.parse(self.subcommand, rows, self.earlier)
  command_line.check(self.subcommand, rows, rest, ', with which the run was started')
  _, rest = command_line.parse(self.subcommand, rows, self.own)
  return command_line.check(self.subcommand, rows, rest)
end

-- Options of luth that a run keeps.
local kept = { device = true, amp = true, sync_bn = true }

--- The words that a run keeps: all that was given of the recipe's options, and of these.
function Line:kept()
  local given, _, order = self:add {}
  local words = {}
  for _, name in ipairs(order) do
    local row, text = self.rows[name], given[name]
    if row and row.value == '[BOOL]' and (text == 'true' or text == 'false') then
      words[#words + 1] = (text == 'true' and '--' or '--no_') .. name
    elseif row and not row.transient or kept[name] then
      words[#words + 1] = string.format('--%s=%s', name, text)
    end
  end
  return words
end

--- The text of `luth train RECIPE --help`.
function Line:help(path) return command_line.help(self.subcommand, path, self:list()) end

-- ---- types ----

local values = { boolean = '[BOOL]', integer = 'N', float = 'X', string = 'TEXT' }
local function kind_of(default) return math.type(default) or type(default) end

--- The row of an option whose default says its type.
function M.row(name, default, help)
  return { name = name, value = values[kind_of(default)], help = help, default = tostring(default) }
end

--- The value of `text`, which was given for the option, as the type of its default; the default for nil.
function M.convert(name, text, default)
  if text == nil then return default end
  local kind = kind_of(default)
  name = name:gsub('_', '-')
  if kind == 'boolean' then
    if text == 'true' or text == 'yes' or text == '1' then return true end
    if text == 'false' or text == 'no' or text == '0' then return false end
    usage("--%s takes true or false, got '%s'", name, text)
  elseif kind == 'integer' then
    local n = math.tointeger(tonumber(text))
    return n or usage("--%s takes an integer, got '%s'", name, text)
  elseif kind == 'float' then
    local n = tonumber(text)
    return n and n + 0.0 or usage("--%s takes a number, got '%s'", name, text)
  end
  return text
end

-- ---- options that a recipe declares ----

local function check_declared(name, what, place)
  if type(name) ~= 'string' then usage('%s: options wants names: options { lr = {1e-3, "learning rate"} }', place) end
  if not name:match('^%a[%w_%.]*$') then
    usage("%s: option '%s' cannot be given on a command line; a name is of letters, digits and _", place, name)
  end
  if reserved[name] then
    usage("%s: the option --%s is luth's own (%s); choose another name", place, name, reserved[name])
  end
  if type(what) ~= 'table' then what = { what } end
  for key in pairs(what) do
    if key ~= 1 and key ~= 2 then
      usage("%s: option '%s' is {default, 'help'}, it has no '%s'", place, name, tostring(key))
    end
  end
  local default, help = what[1], what[2]
  if default == nil then usage("%s: option '%s' needs a default, which gives its type", place, name) end
  local kind = type(default)
  if kind ~= 'number' and kind ~= 'string' and kind ~= 'boolean' then
    usage("%s: the default of option '%s' must be a number, a string, true or false, got %s", place, name,
          native.kind(default))
  end
  if help ~= nil and type(help) ~= 'string' then
    usage("%s: the help of option '%s' must be a string, got %s", place, name, tostring(help))
  end
  return default, help or ''
end

--- The values of a declaration `{ lr = {1e-3, 'learning rate'}, batch = 128 }` that stands at `place`. Its options join
--- the line, and their names the set `declared`.
function M.declare(declaration, line, declared, place)
  if type(declaration) ~= 'table' then
    usage("%s: options wants a table: options { lr = {1e-3, 'learning rate'} }, got %s", place, native.kind(declaration))
  end
  local rows, defaults = {}, {}
  for name, what in pairs(declaration) do
    local default, help = check_declared(name, what, place)
    rows[#rows + 1], defaults[name], declared[name] = M.row(name, default, help), default, true
  end
  local given = line:add(rows)
  for name, default in pairs(defaults) do defaults[name] = M.convert(name, given[name], default) end
  return defaults
end

return M
