-- luth check: finds mistakes in Lua files that Lua accepts silently, such as a tensor as a condition.
local native = require 'luth.native'
local registry = require 'luth.registry'
local errors = require 'luth.train.errors'
local parse = require 'luth.check.parser'
local resolve = require 'luth.check.scopes'
local rules = require 'luth.check.rules'

local M = {}
local most_bytes = 16 * 2^20  -- of a file; no source is larger, and each byte costs some hundred of memory

local function read(path)
  if native.exists(path) and not native.is_file(path) then
    errors.usage("luth check takes files, and '%s' is a %s", path, native.exists(path .. '/.') and 'folder' or 'device or pipe')
  end
  local file, message = io.open(path, 'rb')
  local text = file and (file:read(most_bytes + 1) or '')
  if file then file:close() end
  if text and #text > most_bytes then
    errors.usage("luth check takes files of %d MB at most, and '%s' has more", most_bytes // 2^20, path)
  end
  return text or errors.usage('cannot read %s', message and message:find(path, 1, true) and message or path)
end

--- The findings {line, text} in the text of a chunk, a syntax error among them; and its variables, nil where it is no chunk.
function M.text(text)
  local shown = text:gsub('^\xEF\xBB\xBF', ''):gsub('^#[^\n]*', '')
  local chunk, message = load(shown, '=chunk', 't')
  if chunk then
    local ok, findings, variables = pcall(function()
      local body = parse(shown)
      local resolved = resolve(body)
      return rules(body, resolved), resolved.variables
    end)
    if ok then return findings, variables end
    if not tostring(findings):find('stack overflow', 1, true) then error(findings, 0) end
    return { { line = 1, text = 'an expression or block has too many parts within each other to be checked' } }
  end
  local line, rest = message:match('^chunk:(%d+): ([^\n]*)')
  local hint = registry.hint(message, shown):gsub('^\nhint: ', '; ')
  return { { line = math.tointeger(line) or 1, text = (rest or message:match('^[^\n]*')) .. hint } }
end

--- Prints `file:line: message`, or with `json` an object {file, line, text}, for each finding in the files; returns how many.
function M.run(paths, json)
  local count = 0
  for _, path in ipairs(paths) do
    for _, finding in ipairs((M.text(read(path)))) do
      local line = json and native.json_encode { file = path, line = finding.line, text = finding.text }
      io.write(line or string.format('%s:%d: %s', path, finding.line, finding.text), '\n')
      count = count + 1
    end
  end
  return count
end

return M
