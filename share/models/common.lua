-- What all models share: options with defaults, weights from files, layers that many of them use.
local native = require 'luth.native'
local arguments = require 'luth.torch.arguments'
local parameters = require 'luth.torch.parameters'

local M = {}
M.fail = arguments.fail

-- ---- Files ----------------------------------------------------------------------------------------------------------

local function read_text(path)
  local file = io.open(path, 'rb')
  if not file then return nil end
  local text = file:read('a')
  file:close()
  return text
end
local function json(path)
  local text = read_text(path)
  return text and native.json_decode(text)
end

-- f(…); its errors name the model and the line of the script.
local function attempt(name, f, ...)
  local ok, result = pcall(f, ...)
  if not ok then M.fail(name, 'weights: %s', (tostring(result):gsub('^[^:]*:%d+: ', ''))) end
  return result
end

-- The tensors by name in a file, or in a folder of Hugging Face: model.safetensors, or the files of its index.
local function tensors_of(name, path)
  if type(path) ~= 'string' then M.fail(name, 'weights must be the path of a file or a folder, not %s', type(path)) end
  local index = json(path .. '/model.safetensors.index.json')
  local files = { path }
  if index then
    local seen = {}
    files = {}
    for _, file in pairs(index.weight_map) do
      if not seen[file] then files[#files + 1] = path .. '/' .. file end
      seen[file] = true
    end
    table.sort(files)
  elseif read_text(path .. '/config.json') then
    files = { path .. '/model.safetensors' }
  end
  local all = {}
  for _, file in ipairs(files) do
    local part = attempt(name, torch.load, file)
    if type(part) ~= 'table' then M.fail(name, "weights: '%s' holds no tensors by name", file) end
    for _, key in ipairs { 'state_dict', 'model' } do
      if type(part[key]) == 'table' and not torch.is_tensor(part[key]) then part = part[key] end
    end
    for key, value in pairs(part) do all[key] = value end
  end
  return all
end

-- config.json of a folder, or nothing.
local function config_of(path) return type(path) == 'string' and json(path .. '/config.json') or {} end

-- Copies tensors by name, which have all of the model. `rename` gives the model's name for a name of the file, or nil to leave it.
local function load(name, model, tensors, rename)
  local named = {}
  for key, value in pairs(tensors) do
    if rename then key = rename(key, model) end
    if key then named[key] = value end
  end
  -- files of old versions of PyTorch do not count batches
  for key, value in pairs(model:state_dict { base = 0 }) do
    if key:find('num_batches_tracked$') and named[key] == nil then named[key] = torch.zeros_like(value) end
  end
  attempt(name, model.load_state_dict, model, named, { base = 0 })
  return model
end

-- ---- Models ---------------------------------------------------------------------------------------------------------

-- Raises an error unless an option is of the kind of its default: sizes are integers, lists of sizes have no 0.
local function check(name, key, value, default)
  local function fail(text) M.fail(name, 'option %s must be %s, not %s', key, text, type(value) == 'table' and 'a table' or tostring(value)) end
  if math.type(default) == 'integer' and (math.type(value) ~= 'integer' or value < 0) then fail('an integer from 0') end
  if math.type(default) == 'float' and type(value) ~= 'number' then fail('a number') end
  if type(default) == 'boolean' and type(value) ~= 'boolean' then fail('true or false') end
  if type(default) == 'string' and type(value) ~= 'string' then fail('a string') end
  if type(default) ~= 'table' then return end
  if type(value) ~= 'table' then fail('a table') end
  if #default > 0 and #value == 0 then fail('a list of integers') end
  for _, size in ipairs(#default > 0 and value or {}) do
    if math.type(size) ~= 'integer' or size < 1 then fail('a list of integers from 1') end
  end
end

-- A layer has a tensor at least: a number of a config.json is not to make more.
local function check_layers(name, defaults, given, tensors)
  local most = 0
  for _ in pairs(tensors) do most = most + 1 end
  for key in pairs(defaults) do
    if key:find 'layers?$' and math.type(given[key]) and given[key] > most then M.fail(name, '%s is %d, and the weights have %d tensors', key, given[key], most) end
  end
end

-- Makes M.name a function of named options: `defaults` names them all; torch.none stands for no default. What is not
-- given is read from config.json where `weights` is a folder that has one.
-- build(options) makes the model. `help` is its help.
function M.define(models, name, defaults, build, help, rename)
  local names = { 'weights' }
  for key in pairs(defaults) do names[#names + 1] = key end
  table.sort(names, function(a, b) return a < b end)
  local signature = 'models.' .. name .. '{' .. table.concat(names, ', ') .. '}'
  models[name] = function(...)
    local given = arguments.read('models.' .. name, {}, 0)
    local options = ...
    if options ~= nil and type(options) ~= 'table' then M.fail('models.' .. name, 'expects named options, got %s', type(options)) end
    for key, value in pairs(options or {}) do
      if defaults[key] == nil and key ~= 'weights' then
        M.fail('models.' .. name, "no option is named '%s'; it has %s", tostring(key), table.concat(names, ', '))
      end
      check('models.' .. name, key, value, defaults[key])
      given[key] = value
    end
    local config = config_of(given.weights)
    for key, value in pairs(defaults) do
      if given[key] == nil and config[key] ~= torch.none then
        given[key] = config[key]
        if config[key] ~= nil then check('models.' .. name, key, config[key], value) end
      end
      if given[key] == nil and value ~= torch.none then given[key] = value end
    end
    if not given.weights then return build(given) end
    local tensors = tensors_of('models.' .. name, given.weights)
    check_layers('models.' .. name, defaults, given, tensors)
    local model = parameters.undrawn(torch.get_default_device(), function() return build(given) end)
    return load('models.' .. name, model, tensors, rename)
  end
  native.document(models[name], signature .. '\n  ' .. help)
end

-- A table with the entries of several.
function M.merged(...)
  local all = {}
  for _, t in ipairs { ... } do
    for key, value in pairs(t) do all[key] = value end
  end
  return all
end

-- ---- Layers ---------------------------------------------------------------------------------------------------------

-- The multiple of `divisor` next to v, at least `divisor` and at least 0.9 v.
function M.divisible(v, divisor)
  divisor = divisor or 8
  local near = math.max(divisor, (v + divisor / 2) // divisor * divisor)
  return math.tointeger(near < 0.9 * v and near + divisor or near)
end

-- Convolution, normalisation and activation: {kernel = 3, stride, groups, dilation, norm, activation = nn.ReLU}.
-- Without `norm` it is nn.BatchNorm2d; activation = false leaves it out.
function M.conv_norm(inputs, outputs, o)
  local kernel, dilation = o.kernel or 3, o.dilation or 1
  local padding = o.padding or (kernel - 1) // 2 * dilation
  local list = {
    nn.Conv2d(inputs, outputs, kernel, { stride = o.stride or 1, padding = padding, groups = o.groups or 1, dilation = dilation, bias = o.bias or false }),
    (o.norm or nn.BatchNorm2d)(outputs),
  }
  local activation = o.activation == nil and nn.ReLU or o.activation
  if activation then list[3] = activation { inplace = true } end
  return nn.Sequential(list)
end

-- Squeeze and excitation (Hu, Shen and Sun, 2018).
M.SqueezeExcitation = nn.class('models.SqueezeExcitation')
function M.SqueezeExcitation:init(channels, squeezed, activation, scale)
  self.fc1 = nn.Conv2d(channels, squeezed, 1)
  self.fc2 = nn.Conv2d(squeezed, channels, 1)
  self.activation = activation { inplace = true }
  self.scale_activation = scale()
end
function M.SqueezeExcitation:forward(x)
  local scale = F.adaptive_avg_pool2d(x, 1)
  return x * self.scale_activation(self.fc2(self.activation(self.fc1(scale))))
end

-- Leaves out the residual of whole samples while training (Huang and others, "Deep networks with stochastic depth", 2016).
M.StochasticDepth = nn.class('models.StochasticDepth')
function M.StochasticDepth:init(p) self.p = p end
function M.StochasticDepth:forward(x)
  if not self.training or self.p == 0 then return x end
  local shape = { x:size(1) }
  for d = 2, x:dim() do shape[d] = 1 end
  local kept = torch.full(shape, 1 - self.p, { dtype = x.dtype, device = x.device }):bernoulli()
  return x * kept / (1 - self.p)
end
function M.StochasticDepth:extra_repr() return 'p=' .. self.p .. ', mode=row' end

-- Draws weights: conv(weight) and linear(weight) fill; biases become 0 where `biases`.
function M.initialise(model, o)
  for _, m in model:named_modules() do
    local fill = torch.isinstance(m, nn.Conv2d) and o.conv or torch.isinstance(m, nn.Linear) and o.linear
    if fill then
      fill(m.weight)
      if o.biases ~= false and m.bias then nn.init.zeros_(m.bias) end
    end
  end
  return model
end
function M.fan_out(w) nn.init.kaiming_normal_(w, { mode = 'fan_out', nonlinearity = 'relu' }) end
-- Also for what torchvision cuts at ±2, which is 50 standard deviations and more.
function M.normal(std) return function(w) nn.init.normal_(w, 0, std) end end

-- x averaged over its plane, then flat.
function M.pooled(x) return F.adaptive_avg_pool2d(x, 1):flatten(2) end

return M
