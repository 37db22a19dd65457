-- Templates of recipes: lines that begin with "?name " stay where the value is set, and {{name}} is the value.
local M = {}

--- A Lua string of a text.
function M.quote(text)
  return text:find "[%c'\\]" and string.format('%q', text):gsub('\\\n', '\\n') or "'" .. text .. "'"
end

--- The text of a template. A value that is false or nil leaves out the lines that ask for it; "!name " asks for that.
function M.fill(template, values)
  local lines = {}
  for line in template:gmatch '([^\n]*)\n' do
    local asked, name, rest = line:match '^([?!])(%w+) ?(.*)$'
    if not asked or (asked == '?') == (values[name] and true or false) then lines[#lines + 1] = rest or line end
  end
  return (table.concat(lines, '\n'):gsub('{{(%w+)}}', function(name) return tostring(values[name]) end)) .. '\n'
end

return M
