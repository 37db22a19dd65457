-- The 60 parameters (11,168,832 elements) of the trunk of ResNet-18 with a 3x3 stem: convolutions, and weight and bias of
-- each batch norm, in the order of the blocks.
local M = { elements = 11168832 }

function M.shapes()
  local shapes = {}
  local function conv_bn(out, input, k)
    shapes[#shapes + 1] = { out, input, k, k }
    shapes[#shapes + 1] = { out }
    shapes[#shapes + 1] = { out }
  end
  conv_bn(64, 3, 3)
  local width = 64
  for _, out in ipairs { 64, 128, 256, 512 } do
    for block = 1, 2 do
      conv_bn(out, width, 3)
      conv_bn(out, out, 3)
      if block == 1 and out ~= width then conv_bn(out, width, 1) end
      width = out
    end
  end
  return shapes
end

-- Leaves with gradients.
function M.parameters()
  local list = {}
  for i, shape in ipairs(M.shapes()) do
    list[i] = torch.randn(shape):requires_grad_()
    list[i].grad = torch.randn(shape) * 1e-3
  end
  return list
end

function M.state()
  local state = {}
  for i, shape in ipairs(M.shapes()) do state['p' .. i - 1] = torch.randn(shape) end
  return state
end

return M
