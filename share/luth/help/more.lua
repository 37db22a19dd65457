-- What help adds to a text: an example, which the reference has (so nothing runs at the prompt), and names to look at next.
local native = require 'luth.native'
local registry = require 'luth.registry'
local shapes = require 'luth.reference.shapes'
local uses = require 'luth.reference.uses'

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

-- The pages that the build made, one after the other.
local function pages()
  local folder, texts = native.share_dir() .. '/reference/', {}
  for i, page in ipairs(native.entries(folder)) do texts[i] = native.read(folder .. page, 1 << 24, 1) end
  return table.concat(texts)
end

-- The example of the entry that begins at a place; nil where there is none.
local function example_at(text, at)
  return at and text:sub(at, (text:find('\n##', at, true) or #text)):match '```lua\n(.-)\n```'
end

-- An example of `from`, "torch.div" or "x:div_", with another name of it.
local function renamed(example, from, to)
  local function plain(path) return (path:gsub('^torch%.nn%.functional', 'F'):gsub('^x', ''):gsub('%p', '%%%0')) end
  local with, count = example:gsub(plain(from) .. '%(', to:gsub('^x', ''):gsub('%%', '%%%%') .. '(')
  if count > 0 then return with end
  return (example:gsub(':' .. plain(from:match '[%w_]+$') .. '%(', ':' .. to:match '[%w_]+$' .. '('))
end

-- The example of the entry that has the name as heading or as another name, or the signature of the help, if that is given.
local function example_of(text, name, signature)
  local plain = name:gsub('%p', '%%%0')
  for at in text:gmatch('\n##+ ' .. plain .. '\n()') do
    local example = example_at(text, at)
    if example then return example end
  end
  local found = signature and example_at(text, text:find('```\n' .. signature .. '\n```', 1, true))
  local other = not found and text:match('\n()[^\n]*Also called [^\n]*`' .. plain:gsub('^torch%%%.', '') .. '`')
  if not other then return found end
  local at, heading = text:sub(1, other):match '.*\n## ()([^\n]*)\n'
  return renamed(example_at(text, at), heading:gsub('\\', ''), name)
end

-- The example of an operator that writes into its tensor: behind the line of the operator's entry that names it.
local function example_in_place(text, name)
  local first, example = text:match('In place: `x:([%w_]+)%([^\n]*`x:' .. name .. '%(…%)`[^\n]*\n\n```lua\n(.-)\n```')
  if first then return renamed(example, 'x:' .. first, 'x:' .. name) end
  return text:match('In place: `x:' .. name .. '%(…%)`[^\n]*\n\n```lua\n(.-)\n```')
end

-- What help says of shapes.
local function shapes_of(path)
  if path:find '^nn%.%u' then return shapes.lines(path) end
  local name = path:gsub('^torch%.Tensor%.', ''):gsub('^torch%.', '')
  local face = face_of(name:gsub('_$', '')) or face_of(name:gsub('^nn%.functional%.', ''))
  local lines, seen = {}, {}
  for _, form in ipairs(face and face.forms or {}) do
    for _, line in ipairs(shapes.lines(form.operator, form) or {}) do
      if not seen[line] then lines[#lines + 1] = line end
      seen[line] = true
    end
  end
  return lines[1] and lines
end

-- Names in most examples, which say nothing of what is looked at.
local common = {}
for name in ('torch.ones torch.zeros torch.tensor torch.randn torch.rand torch.arange nn.Linear nn.Sequential nn.Parameter optim.SGD ' ..
    'data.TensorDataset data.Tokenizer.bytes torch.empty'):gmatch '%S+' do common[name] = true end

-- What the receivers of methods are, in help texts.
local receivers = { m = 'nn.Module', Base = 'nn.class', opt = 'optim.Optimizer', tokenizer = 'data.Tokenizer', dataset = 'data.DataLoader', loader = 'data.DataLoader',
                    node = 'torch.autograd', scope = 'torch.no_grad', schedule = 'optim.lr_scheduler', g = 'torch.Generator', ctx = 'torch.autograd.Function',
                    p = 'nn.utils.rnn', reducer = 'nn.parallel.DistributedDataParallel', handle = 'x:register_hook', e = 'torch.cuda.Event', s = 'torch.cuda.Stream' }

-- Names that the example uses, else the table that has the name, or what the method is of.
local function around(path, example)
  local list, seen = {}, { [path] = true }
  for name in (example or ''):gmatch '%f[%w][%l_]+%.[%w_.]+%f[^%w_.]' do
    local known = #list < 4 and not seen[name] and not common[name] and registry.help_of_name(name):match '^[%w_.]+'
    if known == name then list[#list + 1] = name end
    seen[name] = true
  end
  local owner = path:match '^(.*)[.:][^.:]*$'
  if #list == 0 then list[1] = receivers[owner] or owner and registry.help_of_name(owner) ~= '' and owner or nil end
  return list
end

--- Lines to print behind the help text of a name: "", or an example and names.
function M.text(help)
  local name = uses.called(help)
  if name == '' then return '' end
  local path, out = name:gsub('^x:', 'torch.Tensor.'):gsub('[.:]$', ''), {}
  local text, last = pages(), path:match '[%w_]+$'
  local example = example_of(text, path, help:match '^[^\n]*')
  if not example and face_of(last) then example = example_in_place(text, last) or example_of(text, 'torch.' .. last) end
  local lines = shapes_of(path)
  if lines then out[1] = '\n\nShapes (* any dims, … any shape)\n  ' .. table.concat(lines, '\n  ') end
  if example then out[#out + 1] = '\n\nExample\n  ' .. example:gsub('\n', '\n  ') end
  local also = see_also(path)
  if #also == 0 then also = around(path, example) end
  if #also > 0 then out[#out + 1] = '\n\nSee also ' .. table.concat(also, ', ') end
  return table.concat(out)
end

return M
