-- torch.utils.summary: the tree of a model with shapes, parameters and multiply-adds, from a pass on the device meta, which
-- computes nothing.
local texts = require 'luth.texts'

local M = {}

-- ---- multiply-adds of a call ----

local function of_convolution(m, _, output) return output:numel() * m.weight[1]:numel() end
local function of_transposed(m, inputs) return inputs[1]:numel() * m.weight[1]:numel() end
local function of_recurrent(gates)
  return function(m, inputs)
    local positions = inputs[1]:numel() // inputs[1]:size(-1)
    local directions, sum, size = m.bidirectional and 2 or 1, 0, m.input_size
    for _ = 1, m.num_layers do
      sum = sum + directions * gates * m.hidden_size * (size + m.hidden_size)
      size = directions * m.hidden_size
    end
    return positions * sum
  end
end
local function of_attention(m, inputs)
  local query, key = inputs[1], inputs[2] or inputs[1]
  local size, source = m.embed_dim, key:size(m.batch_first and 2 or 1)
  local positions, others = query:numel() // size, key:numel() // key:size(-1)
  return positions * size * size * 2 + others * size * size * 2 + 2 * positions * source * size
end

local counted = {
  Linear = function(m, _, output) return output:numel() * m.in_features end,
  RNN = of_recurrent(1), GRU = of_recurrent(3), LSTM = of_recurrent(4), MultiheadAttention = of_attention,
}
for n = 1, 3 do
  counted['Conv' .. n .. 'd'] = of_convolution
  counted['ConvTranspose' .. n .. 'd'] = of_transposed
end

-- ---- the pass ----

local function shape_of(value)
  if torch.is_tensor(value) then return '[' .. table.concat(value:size(), ', ') .. ']' end
  if type(value) ~= 'table' then return type(value) end
  local parts = {}
  for i, part in ipairs(value) do parts[i] = shape_of(part) end
  return table.concat(parts, ', ')
end

local function bytes_of(value)
  if torch.is_tensor(value) then return value:numel() * value:element_size() end
  local sum = 0
  for _, part in ipairs(type(value) == 'table' and value or {}) do sum = sum + bytes_of(part) end
  return sum
end


-- The rows of the modules by path, filled by a call on meta.
local function rows_of(model, inputs)
  local rows, by_path, handles = {}, {}, {}
  for path, m in model:named_modules() do
    local kind = torch.typename(m):gsub('^nn%.', '')
    local row = { path = path, kind = kind, leaf = #m:children() == 0, parameters = 0, input = '', output = '', madds = 0, bytes = 0 }
    rows[#rows + 1], by_path[path] = row, row
    handles[#handles + 1] = m:register_forward_hook(function(_, given, output)
      row.input, row.output = shape_of(given), shape_of(output)
      if row.leaf or counted[kind] then row.bytes = row.bytes + bytes_of(output) end
      if counted[kind] then row.madds = row.madds + counted[kind](m, given, type(output) == 'table' and output[1] or output) end
    end)
  end
  local ok, why = pcall(function()
    local _ <close> = torch.no_grad()
    return model(table.unpack(inputs))
  end)
  for _, handle in ipairs(handles) do handle:remove() end
  if not ok then error(why, 0) end
  return rows, by_path
end

-- ---- the text ----

local Summary = { __name = 'Summary' }
Summary.__index = Summary

function Summary:__tostring()
  local lines = { { 'module', 'output', 'parameters', 'multiply-adds' } }
  for _, row in ipairs(self.rows) do
    local depth = row.path == '' and 0 or select(2, row.path:gsub('%.', '')) + 1
    local name = row.path == '' and row.kind or string.format('%s (%s)', row.path:match '[^.]*$', row.kind)
    lines[#lines + 1] = { ('  '):rep(depth) .. name, row.output, row.parameters > 0 and texts.with_commas(row.parameters) or '',
                          row.madds > 0 and texts.with_commas(row.madds) or '' }
  end
  local widths, rows = { 0, 0, 0, 0 }, {}
  for _, line in ipairs(lines) do
    for i, field in ipairs(line) do widths[i] = math.max(widths[i], utf8.len(field) or #field) end
  end
  for i, line in ipairs(lines) do
    local row = line[1] .. (' '):rep(widths[1] - #line[1] + 2) .. line[2] .. (' '):rep(widths[2] - #line[2] + 2)
      .. (' '):rep(widths[3] - #line[3]) .. line[3] .. '  ' .. (' '):rep(widths[4] - #line[4]) .. line[4]
    rows[i] = row:gsub('%s+$', '')
  end
  rows[#rows + 1] = string.format('%s parameters, %s of them to train: %s', texts.with_commas(self.parameters), texts.with_commas(self.trainable),
                                    texts.size(self.parameter_bytes))
  rows[#rows + 1] = string.format('%s multiply-adds; results of modules: %s', texts.with_commas(self.madds), texts.size(self.activation_bytes))
  rows[#rows + 1] = string.format('a step with Adam takes about %s', texts.size(self.step_bytes))
  return table.concat(rows, '\n')
end

-- A tensor, a list of sizes, or a list of tensors.
local function on_meta(input)
  if torch.is_tensor(input) then return { input:to('meta') } end
  if math.type(input[1]) == 'integer' then return { torch.empty(input, { device = 'meta' }) } end
  local list = {}
  for i, t in ipairs(input) do list[i] = torch.is_tensor(t) and t:to('meta') or t end
  return list
end

--- `input`: a tensor, its sizes {1, 3, 224, 224}, or a list of tensors. The model stays as it is.
function M.summary(model, input)
  if type(input) ~= 'table' and not torch.is_tensor(input) then
    error('summary(model, input): input is a tensor, its sizes, or a list of tensors', 2)
  end
  local meta = model:clone():to('meta')
  meta:eval()
  local rows, by_path = rows_of(meta, on_meta(input))
  local s = setmetatable({ rows = rows, parameters = 0, trainable = 0, parameter_bytes = 0, madds = 0, activation_bytes = 0 }, Summary)
  local trainable_bytes = 0
  for name, p in model:named_parameters() do
    local n, bytes = p:numel(), p:numel() * p:element_size()
    s.parameters, s.parameter_bytes = s.parameters + n, s.parameter_bytes + bytes
    if p.requires_grad then s.trainable, trainable_bytes = s.trainable + n, trainable_bytes + bytes end
    local path = name:match '^(.*)%.' or ''
    while true do  -- a module's parameters are those of all modules above it too
      if by_path[path] then by_path[path].parameters = by_path[path].parameters + n end
      if path == '' then break end
      path = path:match '^(.*)%.' or ''
    end
  end
  for _, row in ipairs(rows) do
    s.madds, s.activation_bytes = s.madds + row.madds, s.activation_bytes + row.bytes
  end
  s.step_bytes = s.parameter_bytes + 3 * trainable_bytes + s.activation_bytes
  return s
end

return M
