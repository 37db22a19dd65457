-- torch.utils.tensorboard: SummaryWriter, with PyTorch's methods.
local File = require 'luth.events.file'
local summary = require 'luth.events.summary'

local Writer = {}
Writer.__index = Writer
Writer.__name = 'SummaryWriter'

local function fail(text, ...) error('SummaryWriter: ' .. string.format(text, ...), 3) end

local function number_of(v)
  if torch.is_tensor(v) then
    if v:numel() ~= 1 then fail('a scalar has one element, got %s', tostring(v:size())) end
    v = v:item()
  end
  if type(v) ~= 'number' then fail('a scalar is a number or a tensor of one element, got a %s', type(v)) end
  return v
end

function Writer:add_scalar(tag, value, step, time)
  self.file:summary(step or 0, summary.scalar(tag, number_of(value)), time)
end

--- Each value of the table goes to a folder of its own, <dir>/<tag>_<name>, as curves of one chart.
function Writer:add_scalars(tag, values, step, time)
  for name, value in pairs(values) do
    local key = tag:gsub('/', '_') .. '_' .. name
    self.parts[key] = self.parts[key] or File.new(self.log_dir .. '/' .. key)
    self.parts[key]:summary(step or 0, summary.scalar(tag, number_of(value)), time)
  end
end

function Writer:add_histogram(tag, values, step)
  local made = summary.histogram(tag, torch.is_tensor(values) and values or torch.tensor(values))
  if made then self.file:summary(step or 0, made) end
end

-- uint8 [C, H, W] of numbers 0 to 1, or of bytes.
local function to_image(x, format)
  x = x:detach():cpu()
  if format == 'HWC' then x = x:permute(3, 1, 2) elseif format == 'HW' then x = x:unsqueeze(1)
  elseif format ~= 'CHW' then fail("dataformats is 'CHW', 'HWC' or 'HW', got '%s'", tostring(format)) end
  if x:dim() ~= 3 or (x:size(1) ~= 1 and x:size(1) ~= 3) then fail('an image has 1 or 3 channels, got %s', tostring(x:size())) end
  if x.dtype == torch.uint8 then return x end
  return (x:float() * 255):clamp(0, 255):to(torch.uint8)
end

function Writer:add_image(tag, image, step, options)
  local x = to_image(image, options and options.dataformats or image:dim() == 2 and 'HW' or 'CHW')
  self.file:summary(step or 0, summary.image(tag, data.encode_image(x, '.png'), x:size(2), x:size(3), x:size(1)))
end

--- Images [N, C, H, W] side by side, eight in a row.
function Writer:add_images(tag, images, step)
  local n, c, h, w = images:size(1), images:size(2), images:size(3), images:size(4)
  local across = math.min(n, 8)
  local grid = torch.zeros(c, (n + across - 1) // across * h, across * w, { dtype = images.dtype })
  for i = 0, n - 1 do
    local top, left = i // across * h, i % across * w
    grid[{ {}, { top + 1, top + h }, { left + 1, left + w } }] = images[i + 1]:detach():cpu()
  end
  self:add_image(tag, grid, step)
end

function Writer:add_text(tag, text, step) self.file:summary(step or 0, summary.text(tag, text)) end

--- Settings of the run, and metrics, each of which becomes a scalar too.
function Writer:add_hparams(settings, metrics)
  local experiment, session, ended = summary.hparams(settings, metrics)
  for _, part in ipairs { experiment, session, ended } do self.file:summary(0, part) end
  for name, value in pairs(metrics) do self:add_scalar(name, value, 0) end
end

-- The nodes of the modules that a call reaches, in order; their inputs are the nodes whose results they get.
local function nodes_of(model, inputs)
  local nodes, made_by, handles = { { name = 'input', op = 'Placeholder', inputs = {} } }, {}, {}
  local function key(t) return t:data_ptr() end
  for _, t in ipairs(inputs) do if torch.is_tensor(t) then made_by[key(t)] = 'input' end end
  for path, m in model:named_modules() do
    if #m:children() == 0 then
      local name = (path == '' and 'model' or path):gsub('%.', '/')
      handles[#handles + 1] = m:register_forward_hook(function(_, given, output)
        local sources, seen = {}, {}
        for _, t in ipairs(given) do
          local from = torch.is_tensor(t) and made_by[key(t)]
          if from and not seen[from] then sources[#sources + 1], seen[from] = from, true end
        end
        nodes[#nodes + 1] = { name = name, op = torch.typename(m):gsub('^nn%.', ''), inputs = sources, text = tostring(m):match '^[^\n]*' }
        if torch.is_tensor(output) then made_by[key(output)] = name end
      end)
    end
  end
  local ok, why = pcall(function()
    local _ <close> = torch.no_grad()
    return model(table.unpack(inputs))
  end)
  for _, handle in ipairs(handles) do handle:remove() end
  if not ok then error(why, 0) end
  return nodes
end

--- The modules of a model and what goes from one to the next when it is called with the input, a tensor or a list.
function Writer:add_graph(model, input)
  self.file:graph(summary.graph(nodes_of(model, torch.is_tensor(input) and { input } or input)))
end

function Writer:flush()
  self.file:flush()
  for _, part in pairs(self.parts) do part:flush() end
end
function Writer:close() self:flush() end
Writer.__close = Writer.close
Writer.__gc = function(self) if self.file then pcall(self.flush, self) end end

local M = {}

function M.SummaryWriter(dir, options)
  if type(dir) == 'table' then dir, options = dir.log_dir, dir end
  dir = dir or 'runs/' .. os.date '%b%d_%H-%M-%S'
  if type(dir) ~= 'string' then fail('log_dir is the path of a folder, got a %s', type(dir)) end
  return setmetatable({ log_dir = dir, file = File.new(dir, options and options.filename_suffix), parts = {} }, Writer)
end

return M
