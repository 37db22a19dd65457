-- Command-line options of recipes: what a recipe declares, and what the command line says.
local native = require 'luth.native'
local errors = require 'luth.train.errors'

local M = {}
local usage = errors.usage

-- Names that luth train and luth eval own; a recipe may not declare them.
local reserved = {
  dir = 'the folder of the run', resume = 'to go on with a run', device = 'where to compute',
  amp = 'the precision to compute in', checkpoint = 'the checkpoint to evaluate',
  threads = 'the threads to compute with', help = 'the list of options',
}

-- The words after the recipe's name as a table of name -> {text (nil for a bare flag), at}.
-- `--name value`, `--name=value`, `--flag`, `--no-flag`; a dash in a name may be an underscore. `-h` is --help.
function M.parse(words)
  local given = {}
  local i = 1
  while i <= #words do
    local word = words[i] == '-h' and '--help' or words[i]
    local name, value = word:match('^%-%-([%w_%-%.]+)=(.*)$')
    if not name then
      name = word:match('^%-%-([%w_%-%.]+)$')
      if not name then usage("unexpected argument '%s'; options look like --name value", word) end
      local following = words[i + 1]
      if following and not following:match('^%-%-%a') and following ~= '-h' then
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

-- The other way: words in their order.
function M.words(given)
  local names = errors.keys(given)
  table.sort(names, function(a, b) return given[a].at < given[b].at end)
  local words = {}
  for i, name in ipairs(names) do
    local text = given[name].text
    words[i] = '--' .. name .. (text and '=' .. text or '')
  end
  return words
end

-- The options of an earlier command line, and those of a later one, which count.
function M.merge(earlier, later)
  local all, last = {}, 0
  for name, entry in pairs(earlier) do
    all[name] = { text = entry.text, used = false, at = entry.at, kept = true }
    last = math.max(last, entry.at)
  end
  for name in pairs(later) do
    all['no_' .. name] = nil
    all[name:match('^no_(.*)$') or name] = nil
  end
  for name, entry in pairs(later) do
    all[name] = { text = entry.text, used = entry.used, at = last + entry.at }
  end
  return all
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

-- Takes an option that luth itself owns out of the words: its text, or nil where it was not given.
function M.take_text(given, name)
  local text = given[name] and M.take(given, name, '')
  if text == '' then usage("--%s needs a value that is not empty, got ''", name) end
  given[name] = nil
  return text
end

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

-- Fills a declaration `{ lr = {1e-3, 'learning rate'}, batch = 128 }` that stands at `place`; remembers it in `declared`
-- for help and checks.
function M.declare(declaration, given, declared, place)
  if type(declaration) ~= 'table' then
    usage("%s: options wants a table: options { lr = {1e-3, 'learning rate'} }, got %s", place, native.kind(declaration))
  end
  local values = {}
  for name, what in pairs(declaration) do
    local default, help = check_declared(name, what, place)
    values[name] = M.take(given, name, default)
    declared[name] = { default = default, help = help }
  end
  return values
end

-- An option that nobody took is an error with the nearest name.
function M.check(given, known, subcommand)
  local names = errors.keys(known)
  for _, name in ipairs(errors.keys(given)) do
    local entry = given[name]
    if not entry.used then
      usage("unknown option '--%s'%s%s; 'luth %s --help' lists them", (name:gsub('_', '-')),
            entry.kept and ', with which the run was started' or '',
            errors.did_you_mean(name, names, '--%s'):gsub('_', '-'), subcommand)
    end
  end
end

return M
