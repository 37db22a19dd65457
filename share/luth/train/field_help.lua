-- luth help recipe.NAME: what share/doc/recipes.md says of a field of recipes, and of what it gets and returns.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local fields = require 'luth.train.fields'

local M = {}

-- The sections of the page that describe fields further, by their headings.
local sections = { metrics = 'Metrics', callbacks = 'Callbacks', step = 'step', collate = 'transform and collate', transform = 'transform and collate',
                   on_nan = 'A loss that is no number' }

local function page() return native.read(native.share_dir() .. '/doc/recipes.md', 1 << 24, 1) end

-- The text of a section, without its heading.
local function section(text, heading)
  local from = text:find('\n## ' .. heading .. '\n', 1, true)
  if not from then return nil end
  local start = from + #heading + 5
  local stop = text:find('\n## ', start, true)
  return text:sub(start, stop and stop - 1 or #text)
end

-- The row of a field: what it is, and its default.
local function row(name)
  local f = fields.all[name]
  local default = f.default ~= nil and string.format(' [%s]', tostring(f.default)) or ''
  return string.format('%s%s\n  %s', name, default, f.help)
end

-- What the table of the page says in the line of the field, which it has for itself.
local function row_of_page(text, name)
  for line in text:gmatch '[^\n]+' do
    local what = line:match('^| `' .. name .. '` |.-([^|]*) |$')
    if what then return '\n' .. what .. '\n' end
  end
  return ''
end

-- The field as a recipe gives it.
local function example(name)
  local f = fields.all[name]
  local option = f.default ~= nil and ('    -- or --%s%s'):format(name:gsub('_', '-'), f.default == false and '' or ' ' .. f.example) or ''
  return ('\nExample\n  %s = %s%s\n'):format(name, f.example, option)
end

--- What is said of a field, or of all ('recipe'); nil for a name that is none.
function M.text(name)
  if name == 'recipe' then
    local lines = { '\nFields (`luth help recipe.callbacks` says more of one):' }
    for _, field in ipairs(errors.keys(fields.all)) do lines[#lines + 1] = '  ' .. row(field):gsub('\n', '\n  ') end
    return table.concat(lines, '\n') .. '\n'
  end
  name = name:gsub('^recipe%.', '')
  if not fields.all[name] then return nil end
  local text = page()
  local more = sections[name] and section(text, sections[name]) or row_of_page(text, name)
  return 'field of a recipe: ' .. row(name) .. '\n' .. more .. example(name)
end

return M
