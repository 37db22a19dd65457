-- What cells of a notebook have beyond the prompt: values with pictures and HTML, display(), input().
local base64 = require 'luth.base64'

local M = {}

-- Short names of what display takes, and their types.
local kinds = { text = 'text/plain', html = 'text/html', markdown = 'text/markdown', latex = 'text/latex', svg = 'image/svg+xml',
                png = 'image/png', jpeg = 'image/jpeg', json = 'application/json' }
local binary = { ['image/png'] = true, ['image/jpeg'] = true }

-- A method of a value, or a field of its own, that gives its data of a kind: _repr_html_ and its like, as in IPython.
local function method(value, name)
  local kind = type(value)
  if kind ~= 'table' and kind ~= 'userdata' then return nil end
  local ok, f = pcall(function() return value[name] end)
  return ok and type(f) == 'function' and f or nil
end

-- The data of a value by type. `text`: what the prompt prints.
local function bundle(value, text)
  local out = { ['text/plain'] = text }
  for short, kind in pairs(kinds) do
    local f = method(value, '_repr_' .. short .. '_')
    local data = f and f(value)
    if data and type(data) ~= 'string' then error(('_repr_%s_ gives a %s, where a string belongs'):format(short, type(data)), 0) end
    if data then out[kind] = binary[kind] and base64.encode(data) or data end
  end
  return out
end

-- The data that a table {html = …, png = …} gives, nil for other tables.
local function given(value)
  if type(value) ~= 'table' or getmetatable(value) or next(value) == nil then return nil end
  local out = {}
  for name, data in pairs(value) do
    local kind = kinds[name]
    if not kind or type(data) ~= 'string' then return nil end
    out[kind] = binary[kind] and base64.encode(data) or data
  end
  out['text/plain'] = out['text/plain'] or '<' .. table.concat({ (next(value)) }) .. '>'
  return out
end

--- Gives cells display() and input(), shows plots as pictures, and returns what prints the values of a cell: a function of
--- a list of values and a list of what they print as. M.data(value) is what a front end gets for a value, by type.
--- publish(kind, data), ask(prompt, password) and shown(value) are the kernel's.
function M.start(publish, ask, shown)
  function M.data(value) return given(value) or bundle(value, shown(value)) end
  function _G.display(value) publish('display_data', M.data(value)) end
  function _G.input(prompt) return ask(prompt or '', false) end
  local read = io.read
  function io.read(format, ...)  -- stdin has nothing: a line is asked for
    format = type(format) == 'string' and format:gsub('^%*', '') or format
    if format == nil or format == 'l' or format == 'L' then return ask('', false) .. (format == 'L' and '\n' or '') end
    if format == 'n' then return tonumber(ask('', false)) end
    return read(format, ...)
  end
  local native = require 'luth.native'
  native.document(_G.display, 'display(value)\n  Shows a value in the notebook: a plot, an object with _repr_html_ or its like, or {html = …}, with one of ' ..
                           'text, html, markdown, latex, svg, png, jpeg.')
  native.document(_G.input, 'input(prompt)\n  Asks the user of the notebook for a line.')
  table.insert(require 'luth.plot'.viewers, function(draw)
    publish('display_data', { ['image/svg+xml'] = draw 'svg', ['image/png'] = base64.encode(draw 'raster'), ['text/plain'] = '<plot>' })
    return true
  end)
  return function(values, texts, n)
    for i = 1, n do texts[i] = tostring(texts[i]) end
    if n == 1 then return publish('execute_result', bundle(values[1], texts[1]), values[1]) end
    publish('execute_result', { ['text/plain'] = table.concat(texts, '\t') }, true)
  end
end

return M
