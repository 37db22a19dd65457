-- luth new: a recipe for data of one's own. Each kind of data is a module of luth.new: it looks at the data and gives the text.
local native = require 'luth.native'
local errors = require 'luth.train.errors'

local M = {}
local usage = errors.usage

local modules = { image = 'image', tabular = 'table', regression = 'table', table = 'table', text = 'text' }
local kinds = { 'image', 'tabular', 'regression', 'text' }

-- The kind that the data look like; of a table, what its target is decides.
local function kind_of(path)
  if native.exists(path .. '/.') then return 'image' end
  local name = path:lower():gsub('%.gz$', '')
  if name:match '%.csv$' or name:match '%.tsv$' or name:match '%.jsonl$' or name:match '%.ndjson$' then return 'table' end
  if name:match '%.txt$' or name:match '%.md$' then return 'text' end
  usage("--kind is needed for '%s': %s", path, table.concat(kinds, ', '))
end

local function is_kind(name)
  for _, kind in ipairs(kinds) do if kind == name then return true end end
  return false
end

local function check(path, o)
  if path:match '[^/]*$' == '.lua' then usage "luth new needs a name for the recipe: luth new houses --data houses.csv" end
  if not o.data or o.data == '' then usage('luth new needs --data PATH') end
  if not native.exists(o.data) then usage("--data: there is no '%s'", o.data) end
  local file <close> = native.is_file(o.data) and io.open(o.data, 'rb')  -- a pipe would wait for its writer
  if file and (file:read(15) or '') == 'SQLite format 3' then
    usage("--data: '%s' is a database, which a query makes a table; data.SQLite reads it in a recipe (luth help data.SQLite)", o.data)
  end
  if file and file:seek 'end' == 0 then usage("--data: '%s' is empty", o.data) end
  if not o.kind then return end
  if not is_kind(o.kind) then usage("--kind takes %s, got '%s'%s", table.concat(kinds, ', '), o.kind, errors.did_you_mean(o.kind, kinds)) end
  local is_folder = native.exists(o.data .. '/.')
  if is_folder ~= (o.kind == 'image') then
    usage("--kind %s takes a %s, and '%s' is a %s", o.kind, is_folder and 'file' or 'folder of images', o.data, is_folder and 'folder' or 'file')
  end
end

--- `words`: the name. `o`: kind, data, target, force.
function M.run(words, o)
  local path = words[1]:match '%.lua$' and words[1] or words[1] .. '.lua'
  check(path, o)
  if o.target and o.kind ~= 'tabular' and o.kind ~= 'regression' and kind_of(o.data) ~= 'table' then usage '--target is of tables' end
  if native.exists(path) and not o.force then usage('%s exists; --force replaces it', path) end
  local kind = o.kind or kind_of(o.data)
  local text, what = require('luth.new.' .. modules[kind])(path, o, o.kind)
  native.replace(path, text)
  io.stderr:write(string.format('wrote %s: %s\n  luth train %s --dry-run   goes once through everything\n  luth train %s\n', path, what, path, path))
end

return M
