-- luth new: a recipe for data of one's own. Each kind of data is a module of luth.new: it looks at the data and gives the text.
local native = require 'luth.native'
local errors = require 'luth.train.errors'

local M = {}
local usage = errors.usage

local modules = { image = 'image' }

-- The kind that the data look like.
local function kind_of(path)
  if native.exists(path .. '/.') then return 'image' end
  usage("--kind is needed for '%s': %s", path, table.concat(errors.keys(modules), ', '))
end

local function check(o)
  if not o.data or o.data == '' then usage('luth new needs --data PATH') end
  if not native.exists(o.data) then usage("--data: there is no '%s'", o.data) end
  if o.kind and not modules[o.kind] then
    local known = errors.keys(modules)
    usage("--kind takes %s, got '%s'%s", table.concat(known, ', '), o.kind, errors.did_you_mean(o.kind, known))
  end
end

--- `words`: the name. `o`: kind, data, target, force.
function M.run(words, o)
  local path = words[1]:match '%.lua$' and words[1] or words[1] .. '.lua'
  check(o)
  if native.exists(path) and not o.force then usage('%s exists; --force replaces it', path) end
  local kind = o.kind or kind_of(o.data)
  local text, what = require('luth.new.' .. modules[kind])(path, o, kind)
  native.replace(path, text)
  io.stderr:write(string.format('wrote %s: %s\n  luth train %s --dry-run   goes once through everything\n  luth train %s\n', path, what, path, path))
end

return M
