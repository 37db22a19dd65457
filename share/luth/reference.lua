-- The generated descriptions of the program: pages for people (luth/reference/*.md) and definitions for editors
-- (luth/types/torch.lua), made from the registry of operators and the help of everything else, and the manual page
-- (man/man1/luth.1). The build writes them into its folder share.
local command_line = require 'luth.command_line'
local native = require 'luth.native'

local M = {}

--- Path below the folder share -> text, of all files.
function M.files()
  local files = {
    ['luth/types/torch.lua'] = require('luth.reference.types').text(), ['man/man1/luth.1'] = command_line.manual(),
  }
  for name, text in pairs(require('luth.reference.pages').all()) do files['luth/reference/' .. name] = text end
  return files
end

local function read(path)
  local file = io.open(path, 'rb')
  local text = file and file:read('a')
  if file then file:close() end
  return text
end

--- The names of files below `share` that are out of date, sorted.
function M.outdated(share)
  local list = {}
  for name, text in pairs(M.files()) do
    if read(share .. '/' .. name) ~= text then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

--- Writes the files that are out of date; returns their names.
function M.write(share)
  local files, list = M.files(), M.outdated(share)
  for _, name in ipairs(list) do
    local path = share .. '/' .. name
    native.mkdirs(path:match('^(.*)/'))
    native.replace(path, files[name])
  end
  return list
end

--- The pieces of Lua in the pages below `share`, {page, line, code}.
function M.examples(share)
  local list = {}
  for name in pairs(M.files()) do
    local text = name:find('%.md$') and read(share .. '/' .. name) or ''
    local number, code, first = 0, nil, nil
    for line in text:gmatch('(.-)\n') do
      number = number + 1
      if line == '```lua' then
        code, first = {}, number
      elseif code and line == '```' then
        list[#list + 1] = { page = name, line = first, code = table.concat(code, '\n') }
        code = nil
      elseif code then
        code[#code + 1] = line
      end
    end
  end
  return list
end

return M
