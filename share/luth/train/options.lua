-- The command line of luth train and luth eval. The program's parser (luth.command_line) reads it by one table of
-- options: luth's own, the fields of recipes, and the options that a recipe declares. This file converts texts to types.
local command_line = require 'luth.command_line'
local native = require 'luth.native'
local errors = require 'luth.train.errors'

local M = {}
local usage = errors.usage

-- Options that a recipe may not declare. All others of luth are the recipe's where it declares them.
local reserved = {}
for name, help in pairs(command_line.own()) do
  for _, own in ipairs { 'dir', 'resume', 'device', 'amp', 'threads', 'checkpoint', 'help', 'config', 'sweep' } do
    if name == own then reserved[name] = help end
  end
end

-- Luth's own options that are read before the recipe has declared its.
local early = { dist_timeout = true, print_recipe = true }
for name in pairs(reserved) do early[name] = true end

-- ---- the words of a subcommand ----

local Line = {}
Line.__index = Line

--- `words`: what stands behind the recipe. `earlier`: the words with which the run was started. Of several values of an option
--- the last one counts: those of the run before, of --config, of the environment, of the command line.
function M.line(subcommand, words, earlier)
  return setmetatable({ subcommand = subcommand, own = words, earlier = earlier or {}, config = {}, rows = {}, declared = {} }, Line)
end

-- Variables with other meanings.
local not_options = { share = true, threads = true, cpu_isa = true, log_placement = true, cuda_sync = true, cuda_no_cache = true,
                      device_path = true, dist_check = true, dist_timeout = true, mpi = true }

-- --name=value for each option of the recipe, and for the device, whose variable LUTH_NAME is set.
function Line:environment()
  local words, names = {}, errors.keys(self.rows)
  table.move({ 'amp', 'device' }, 1, 2, #names + 1, names)
  for _, name in ipairs(self.subcommand == 'train' and names or {}) do
    local value = not not_options[name] and os.getenv('LUTH_' .. name:upper()) or nil
    if value then words[#words + 1] = string.format('--%s=%s', name, value) end
  end
  return words
end

local function together(...)
  local all = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #all + 1, all) end
  return all
end

--- Reads the file of --config, a JSON object; nil for none.
function Line:read_config(path)
  if not path then return end
  local ok, values = pcall(native.json_decode, native.read(path, 1 << 24, 2))
  if not ok then usage('--config %s: %s', path, values) end
  if type(values) ~= 'table' or #values > 0 then usage('--config %s: it is no JSON object', path) end
  self.config_file = path
  for _, name in ipairs(errors.keys(values)) do
    local value = values[name]
    if not name:find '^%a[%w_%.%-]*$' then usage("--config %s: '%s' cannot be the name of an option", path, native.visible(name)) end
    if type(value) == 'table' then usage("--config %s: '%s' must be a number, a text, true or false", path, name) end
    if name == 'config' or name == 'resume' or name == 'sweep' then usage("--config %s: --%s is of the command line alone", path, name) end
    self.config[#self.config + 1] = string.format('--%s=%s', name, math.type(value) and native.json_encode(value) or tostring(value))
  end
end

-- The rows of the recipe, by name.
function Line:list()
  local list = {}
  for _, name in ipairs(errors.keys(self.rows)) do list[#list + 1] = self.rows[name] end
  return list
end

-- What the words give, by all rows, or before the recipe is there by those that it cannot declare.
function Line:parse(words) return command_line.parse(self.subcommand, self:list(), words, not self.loaded and early or nil) end

--- Adds rows {name =, value =, help =, default =}, which replace others of the same name. Returns the text of each option
--- that was given and is known so far, by name, the words that are not, and the names in order.
function Line:add(rows)
  for _, row in ipairs(rows) do self.rows[row.name] = row end
  return self:parse(together(self.earlier, self.config, self:environment(), self.own))
end

-- The value of an option, which the recipe has declared, or which is a field of it.
function Line:value(name, values)
  local value = self.declared[name]
  if value == nil then value = values[name] end
  return value
end

--- {name = {value =, source =}} of every option of the recipe: from the command line, the environment, the file of --config, the run
--- that goes on, the recipe, or the default. `values`: those that hold, by name, where the options are fields of the recipe.
function Line:sources(values)
  local layers = {}
  for i, layer in ipairs { { 'command line', self.own }, { 'environment', self:environment() }, { 'file', self.config },
                           { 'the run before', self.earlier } } do
    layers[i] = { source = layer[1], given = self:parse(layer[2]) }
  end
  local all = {}
  for name, row in pairs(self.rows) do
    local found = { source = row.by_recipe and 'recipe' or 'default', given = {} }
    for i = #layers, 1, -1 do if layers[i].given[name] then found = layers[i] end end
    all[name] = { value = tostring(self:value(name, values)), source = found.source }
  end
  return all
end

--- The values of the options that the recipe declares, and of those that are not at their defaults, by name.
function Line:settings(values)
  local settings = {}
  for name, option in pairs(self:sources(values)) do
    if self.declared[name] ~= nil or option.source ~= 'default' then settings[name] = self:value(name, values) end
  end
  return settings
end

--- What errors call the option whose value counts: "--lr", "LUTH_LR", or "run.json: lr".
function Line:where(name)
  if not self:parse(self.own)[name] then
    if self:parse(self:environment())[name] then return 'LUTH_' .. name:upper() end
    if self:parse(self.config)[name] then return self.config_file .. ': ' .. name end
  end
  return '--' .. name:gsub('_', '-')
end

--- The values of all options of the recipe as JSON, for --config, one in a line.
function Line:as_config(values)
  local lines = {}
  for _, name in ipairs(errors.keys(self.rows)) do
    if not self.rows[name].transient then
      local value = self:value(name, values)
      if self.rows[name].value ~= 'TEXT' and type(value) == 'string' then value = math.tointeger(tonumber(value)) or value end
      lines[#lines + 1] = string.format('  %s: %s', native.json_encode(name), native.json_encode(value))
    end
  end
  return '{\n' .. table.concat(lines, ',\n') .. '\n}\n'
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
  local function check(words, note)
    local _, rest = self:parse(words)
    return command_line.check(self.subcommand, rows, rest, note)
  end
  check(self.earlier, ', with which the run was started')
  check(self.config, string.format(' in %s', self.config_file))
  return check(self.own)
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
    elseif row and not row.transient or not row and kept[name] then
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

--- The value of `text`, which was given for the option, as the type of its default; the default for nil. `line`: that gave it.
function M.convert(name, text, default, line)
  if text == nil then return default end
  local kind, where = kind_of(default), line:where(name)
  if kind == 'boolean' then
    if text == 'true' or text == 'yes' or text == '1' then return true end
    if text == 'false' or text == 'no' or text == '0' then return false end
    usage("%s takes true or false, got '%s'", where, text)
  elseif kind == 'integer' then
    local n = math.tointeger(tonumber(text))
    return n or usage("%s takes an integer, got '%s'", where, text)
  elseif kind == 'float' then
    local n = tonumber(text)
    return n and n + 0.0 or usage("%s takes a number, got '%s'", where, text)
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
    local row = M.row(name, default, help)
    row.by_recipe = true
    rows[#rows + 1], defaults[name], declared[name] = row, default, true
  end
  local given = line:add(rows)
  for name, default in pairs(defaults) do
    defaults[name] = M.convert(name, given[name], default, line)
    line.declared[name] = defaults[name]
  end
  return defaults
end

return M
