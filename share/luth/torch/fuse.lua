-- nn.utils.fuse_conv_bn_eval and its kind: a layer and the batch norm behind it as one layer.
local arguments = require 'luth.torch.arguments'
local M = {}

-- Weight and bias with the norm's scale and shift; the outputs are along `dim` of the weight.
local function fused(weight, bias, mean, var, eps, gain, shift, dim)
  local scale = (var + eps):rsqrt()
  if gain then scale = scale * gain end
  local shape = {}
  for d = 1, weight:dim() do shape[d] = d == dim and -1 or 1 end
  local moved = ((bias or torch.zeros_like(mean)) - mean) * scale
  if shift then moved = moved + shift end
  return nn.Parameter(weight * scale:reshape(shape):to(weight.dtype)), nn.Parameter(moved:to(weight.dtype))
end

local function fuse(name, layer, bn, dim)
  for _, m in ipairs { layer, bn } do
    if not torch.isinstance(m, nn.Module) then arguments.fail(name, 'expects two modules, got %s', torch.typename(m) or type(m)) end
    if m.training then arguments.fail(name, 'both modules must be in eval mode; call eval()') end
  end
  if not bn.running_var then arguments.fail(name, 'the norm has no running statistics') end
  local new = layer:clone()
  local _ <close> = torch.no_grad()
  if layer.weight:size(dim) ~= bn.running_mean:size(1) then
    arguments.fail(name, 'the layer has %d outputs, the norm %d channels', layer.weight:size(dim), bn.running_mean:size(1))
  end
  new.weight, new.bias = fused(layer.weight, layer.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, dim)
  return new
end

function M.fuse_conv_bn_eval(...)
  local a = arguments.read('fuse_conv_bn_eval', { 'conv', 'bn', 'transpose' }, 2, ...)
  return fuse('fuse_conv_bn_eval', a.conv, a.bn, a.transpose and 2 or 1)
end
function M.fuse_linear_bn_eval(...)
  local a = arguments.read('fuse_linear_bn_eval', { 'linear', 'bn' }, 2, ...)
  return fuse('fuse_linear_bn_eval', a.linear, a.bn, 1)
end

-- The tensors themselves: weight and bias of the layer, then what the norm has.
local function fuse_weights(name, layer, dim, a)
  local w, b = layer .. '_w', layer .. '_b'
  for _, key in ipairs { w, b, 'bn_rm', 'bn_rv', 'bn_w', 'bn_b' } do
    if not torch.is_tensor(a[key]) and (a[key] ~= nil or key == w or key == 'bn_rm' or key == 'bn_rv') then
      arguments.fail(name, '%s must be a tensor, got %s', key, torch.typename(a[key]) or type(a[key]))
    end
  end
  if type(a.bn_eps) ~= 'number' then arguments.fail(name, 'bn_eps must be a number, got %s', torch.typename(a.bn_eps) or type(a.bn_eps)) end
  return fused(a[w], a[b], a.bn_rm, a.bn_rv, a.bn_eps, a.bn_w, a.bn_b, dim)
end
function M.fuse_conv_bn_weights(...)
  local name = 'fuse_conv_bn_weights'
  local a = arguments.read(name, { 'conv_w', 'conv_b', 'bn_rm', 'bn_rv', 'bn_eps', 'bn_w', 'bn_b', 'transpose' }, 1, ...)
  return fuse_weights(name, 'conv', a.transpose and 2 or 1, a)
end
function M.fuse_linear_bn_weights(...)
  local name = 'fuse_linear_bn_weights'
  local a = arguments.read(name, { 'linear_w', 'linear_b', 'bn_rm', 'bn_rv', 'bn_eps', 'bn_w', 'bn_b' }, 1, ...)
  return fuse_weights(name, 'linear', 1, a)
end

return M
