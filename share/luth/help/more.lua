-- What help adds to a text: an example, which the reference has (so nothing runs at the prompt), and names to look at next.
local native = require 'luth.native'
local registry = require 'luth.registry'

local M = {}

local faces
local function face_of(name)
  if not faces then
    faces = {}
    for _, face in ipairs(registry.faces()) do faces[face.name] = face end
  end
  return faces[name]
end

-- "nn.BatchNorm2d" -> "batch_norm2d", as functions are named.
local function snake(name) return (name:gsub('(%l)(%u)', '%1_%2'):gsub('(%u)(%u%l)', '%1_%2'):lower()) end

-- The class of nn that computes as the function F.name does.
local function class_of(name)
  local plain = name:gsub('_', '')
  for class in pairs(nn) do
    if type(class) == 'string' and class:find '^%u' and class:lower() == plain then return 'nn.' .. class end
    if type(class) == 'string' and class:lower() == plain .. 'loss' then return 'nn.' .. class end
  end
end

-- Pages of share/doc/topics by names that they explain.
local topics = {
  indexing = 'index_select gather scatter take masked_select narrow select slice where nonzero masked_fill index_put',
  gradients = 'backward grad no_grad enable_grad detach requires_grad_ Function gradcheck',
  devices = 'to cuda cpu device set_default_device autocast synchronize', checkpoints = 'save load state_dict load_state_dict', plots = 'plot scatter hist imshow heatmap',
}

local function see_also(name)
  local last, list = name:match '[%w_]+$', {}
  if name:find '^nn%.%u' then
    for _, f in ipairs { snake(last), (snake(last):gsub('_loss$', '')), (snake(last):gsub('_', '')) } do
      if rawget(F, f) ~= nil and not list[1] then list[1] = 'F.' .. f end
    end
  elseif face_of(last) or name:find '^nn%.functional' then
    list[1] = class_of(last)
    local other = last:find '_$' and last:sub(1, -2) or last .. '_'
    if face_of(other) and face_of(other).is_method then list[#list + 1] = 'x:' .. other end
  end
  for topic, names in pairs(topics) do
    if (' ' .. names .. ' '):find(' ' .. last .. ' ', 1, true) then list[#list + 1] = 'the topic ' .. topic end
  end
  table.sort(list)
  return list
end

-- The example under the heading of a name in the pages that the build made; nil where none has one.
local function example_of(name)
  local folder = native.share_dir() .. '/reference/'
  local heading = '\n##+ ' .. name:gsub('%p', '%%%0') .. '\n()'
  for _, page in ipairs(native.entries(folder)) do
    local text = native.read(folder .. page, 1 << 24, 1)
    local at = text:match(heading)
    if at then
      local stop = text:find('\n##', at, true) or #text
      return text:sub(at, stop):match '```lua\n(.-)\n```'
    end
  end
end

--- Lines to print behind the help text of a name: "", or an example and names.
function M.text(help)
  local name = help:match '^[%w_.:]+'
  if not name then return '' end
  local path, out = name:gsub('^x:', 'torch.Tensor.'):gsub('[.:]$', ''), {}
  local example = example_of(path) or path:find '^torch%.Tensor%.' and example_of('torch.' .. path:match '[%w_]+$')
  if example then out[1] = '\n\nExample\n  ' .. example:gsub('\n', '\n  ') end
  local also = see_also(path)
  if #also > 0 then out[#out + 1] = '\n\nSee also ' .. table.concat(also, ', ') end
  return table.concat(out)
end

return M
