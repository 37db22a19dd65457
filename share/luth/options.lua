-- Command-line options of recipes: what a recipe declares, and what the command line says.
local native = require 'luth.native'

local M = {}

local function usage(...) native.fail(2, string.format(...)) end

-- The words after the recipe's name as a table of name -> text (true for a bare flag), and their order.
-- `--name value`, `--name=value`, `--flag`, `--no-flag`; a dash in a name may be an underscore.
function M.parse(words)
  local given = {}
  local i = 1
  while i <= #words do
    local word = words[i]
    local name, value = word:match('^%-%-([%w_%-%.]+)=(.*)$')
    if not name then
      name = word:match('^%-%-([%w_%-%.]+)$')
      if not name then usage("unexpected argument '%s'; options look like --name value", word) end
      local following = words[i + 1]
      if following and not following:match('^%-%-%a') then
        value = following
        i = i + 1
      end
    end
    name = name:gsub('%-', '_')
    given[name] = { text = value, used = false, at = i }
    i = i + 1
  end
  return given
end

local function convert(name, text, default)
  local kind = math.type(default) or type(default)
  if kind == 'boolean' then
    if text == nil or text == 'true' or text == 'yes' or text == '1' then return true end
    if text == 'false' or text == 'no' or text == '0' then return false end
    usage("--%s takes true or false, got '%s'", name, text)
  end
  if text == nil then usage('--%s needs a value', name) end
  if kind == 'integer' then
    local n = math.tointeger(tonumber(text))
    return n or usage("--%s takes an integer, got '%s'", name, text)
  elseif kind == 'float' then
    local n = tonumber(text)
    return n and n + 0.0 or usage("--%s takes a number, got '%s'", name, text)
  end
  return text
end

-- The value of one option: from the command line if it is there, else the default.
function M.take(given, name, default)
  local entry = given[name]
  local negated = type(default) == 'boolean' and given['no_' .. name]
  if entry then entry.used = true end
  if negated then
    negated.used = true
    if not entry or negated.at > entry.at then return not convert('no-' .. name, negated.text, true) end
  end
  if entry then return convert(name, entry.text, default) end
  return default
end

-- Fills a declaration `{ lr = {1e-3, 'learning rate'}, batch = 128 }`; remembers it in `declared` for help and checks.
function M.declare(declaration, given, declared)
  local values = {}
  for name, what in pairs(declaration) do
    if type(name) ~= 'string' then usage('options wants names: options { lr = {1e-3, "learning rate"} }') end
    local default, help = what, ''
    if type(what) == 'table' then default, help = what[1], what[2] or '' end
    if default == nil then usage("option '%s' needs a default, which gives its type", name) end
    values[name] = M.take(given, name, default)
    declared[name] = { default = default, help = help }
  end
  return values
end

-- An option that nobody took is an error with the nearest name.
function M.check(given, known)
  local names = {}
  for name in pairs(known) do names[#names + 1] = name end
  table.sort(names)
  for name, entry in pairs(given) do
    if not entry.used then
      local near = native.nearest(name, names)
      usage("unknown option '--%s'%s; 'luth train RECIPE --help' lists them", name:gsub('_', '-'),
            near ~= '' and string.format(" (did you mean '--%s'?)", near:gsub('_', '-')) or '')
    end
  end
end

return M
