-- The values of TensorBoard's events: a message Summary for each kind of data.
local native = require 'luth.native'
local proto = require 'luth.events.protobuf'

local M = {}

-- A field of text. Readers refuse a whole message in which one is no UTF-8.
local function text(field, s) return proto.bytes(field, utf8.len(s) and s or native.visible(s)) end

local function value(tag, content) return proto.bytes(1, text(1, tag) .. content) end
-- What a plug-in of TensorBoard reads.
local function of_plugin(name, content)
  return proto.bytes(9, proto.bytes(1, proto.bytes(1, name) .. (content and proto.bytes(2, content) or '')))
end

function M.scalar(tag, x) return value(tag, proto.float(2, x)) end

--- `image`: the bytes of a PNG file.
function M.image(tag, image, height, width, channels)
  return value(tag, proto.bytes(4, proto.integer(1, height) .. proto.integer(2, width) .. proto.integer(3, channels) .. proto.bytes(4, image)))
end

function M.text(tag, bytes)
  local string_type, shape = 7, proto.bytes(2, proto.bytes(2, proto.integer(1, 1)))
  return value(tag .. '/text_summary', of_plugin('text') .. proto.bytes(8, proto.integer(1, string_type) .. shape .. proto.bytes(8, bytes)))
end

-- Limits that grow by a tenth from 1e-12 to 1e20, on both sides of 0.
local limits, limits_tensor
local function all_limits()
  if limits then return limits, limits_tensor end
  local positive, list, x = {}, {}, 1e-12
  while x < 1e20 do
    positive[#positive + 1] = x
    x = x * 1.1
  end
  for i = #positive, 1, -1 do list[#list + 1] = -positive[i] end
  list[#list + 1] = 0
  limits = table.move(positive, 1, #positive, #list + 1, list)
  limits_tensor = torch.tensor(limits, { dtype = torch.float64 })
  return limits, limits_tensor
end

--- Of the finite values of a tensor; nil where there are none.
function M.histogram(tag, x)
  x = x:detach():cpu():double():flatten()
  x = x:masked_select(x:isfinite())
  local n = x:numel()
  if n == 0 then return nil end
  local edges, tensor = all_limits()
  local bins = torch.bucketize(x, tensor):clamp { max = #edges }
  local first = bins:min():item()
  local ends, counts = first > 1 and { edges[first - 1] } or {}, first > 1 and { 0 } or {}  -- the lower end of the first bin
  local function bin(k, count) ends[#ends + 1], counts[#counts + 1] = edges[first + k - 1], count end
  local all, last = torch.bincount(bins - first + 1), 0
  local filled = all:nonzero():flatten()
  local numbers = all:index_select(1, filled):tolist()
  for i, k in ipairs(filled:tolist()) do
    if k > last + 1 then bin(k - 1, 0) end  -- empty bins side by side are one
    bin(k, numbers[i])
    last = k
  end
  return value(tag, proto.bytes(5, proto.double(1, x:min():item()) .. proto.double(2, x:max():item()) .. proto.double(3, n)
    .. proto.double(4, x:sum():item()) .. proto.double(5, x:square():sum():item()) .. proto.doubles(6, ends) .. proto.doubles(7, counts)))
end

-- ---- hyperparameters ----

-- google.protobuf.Value
local function plain(v)
  if type(v) == 'number' then return proto.double(2, v) end
  if type(v) == 'boolean' then return proto.integer(4, v and 1 or 0) end
  return text(3, tostring(v))
end
local types = { string = 1, boolean = 2, number = 3 }

local function sorted(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

--- The three summaries of a run's settings and of the metrics that it measures.
function M.hparams(settings, metrics)
  local version = proto.integer(1, 0)
  local experiment, session = '', ''
  for _, name in ipairs(sorted(settings)) do
    local v = settings[name]
    experiment = experiment .. proto.bytes(4, text(1, name) .. proto.integer(4, types[type(v)] or 1))
    session = session .. proto.bytes(1, text(1, name) .. proto.bytes(2, plain(v)))
  end
  for _, name in ipairs(sorted(metrics)) do
    experiment = experiment .. proto.bytes(5, proto.bytes(1, text(2, name)))
  end
  local function part(tag, field, content) return value('_hparams_/' .. tag, of_plugin('hparams', version .. proto.bytes(field, content))) end
  return part('experiment', 2, experiment), part('session_start_info', 3, session), part('session_end_info', 4, proto.integer(1, 1))
end

-- ---- graphs ----

--- The bytes of a GraphDef of nodes {name, op, inputs, text}.
function M.graph(nodes)
  local parts = {}
  for i, node in ipairs(nodes) do
    local bytes = text(1, node.name) .. text(2, node.op)
    for _, input in ipairs(node.inputs) do bytes = bytes .. text(3, input) end
    if node.text then bytes = bytes .. proto.bytes(5, proto.bytes(1, 'settings') .. proto.bytes(2, proto.bytes(2, node.text))) end
    parts[i] = proto.bytes(1, bytes)
  end
  return table.concat(parts) .. proto.bytes(4, proto.integer(1, 22))
end

return M
