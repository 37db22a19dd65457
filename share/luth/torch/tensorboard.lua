-- torch.utils.tensorboard: SummaryWriter, with PyTorch's methods.
local File = require 'luth.events.file'
local graph = require 'luth.events.graph'
local images = require 'luth.events.images'
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

function Writer:add_image(tag, image, step, options)
  local format = options and options.dataformats or image:dim() == 2 and 'HW' or 'CHW'
  local x = images.to_bytes(image, format) or fail('an image has 1 or 3 channels, got %s', tostring(image:size()))
  self.file:summary(step or 0, images.summary(tag, x))
end

--- Images [N, C, H, W] side by side, eight in a row.
function Writer:add_images(tag, several, step) self:add_image(tag, images.grid(several), step) end

function Writer:add_text(tag, text, step) self.file:summary(step or 0, summary.text(tag, text)) end

--- Settings of the run, and metrics, each of which becomes a scalar too.
function Writer:add_hparams(settings, metrics)
  local experiment, session, ended = summary.hparams(settings, metrics)
  for _, part in ipairs { experiment, session, ended } do self.file:summary(0, part) end
  for name, value in pairs(metrics) do self:add_scalar(name, value, 0) end
end

--- The modules of a model and what goes from one to the next when it is called with the input, a tensor or a list.
function Writer:add_graph(model, input)
  local inputs = torch.is_tensor(input) and { input } or input
  local finish = graph.watch(model, inputs)
  local ok, why = pcall(function()
    local _ <close> = torch.no_grad()
    return model(table.unpack(inputs))
  end)
  local nodes = finish()
  if not ok then error(why, 0) end
  self.file:graph(summary.graph(nodes))
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
