-- A large GPU's memory and tensor cores: float32 tensors of 256 MB; GB/s of what must be read and written, each once.
local groups = require 'luth.bench.groups'
local Ki, Mi, kernel = groups.Ki, groups.Mi, groups.kernel

return function(add)
  local function memory(name, transfers, make, f)
    add(kernel('gpu/' .. name .. '_256MB', 'GB/s', transfers * 256 * Mi / 1e9, make, f, { gpu = true }))
  end
  local wide = groups.normal(64 * Ki, Ki)
  memory('copy', 2, wide, function(x) return x:clone() end)
  memory('add', 3, function() return torch.randn(64 * Mi), torch.randn(64 * Mi) end, function(x, y) return x + y end)
  memory('gelu', 2, wide, function(x) return F.gelu(x) end)
  memory('softmax', 2, wide, function(x) return x:softmax(2) end)
  memory('layer_norm', 2, wide, function(x) return F.layer_norm(x, { Ki }) end)
  memory('sum', 1, wide, function(x) return x:sum() end)
  memory('adam', 7, function()
    local x = torch.randn(64 * Mi):requires_grad_()
    x.grad = torch.randn(64 * Mi)
    return optim.Adam({ x }, { lr = 1e-4 })
  end, function(opt) opt:step() end)
  add(kernel('gpu/bf16_8192', 'GFLOP/s', 2 * 8192 ^ 3 / 1e9, function()
    return torch.randn(8192, 8192):to(torch.bfloat16), torch.randn(8192, 8192):to(torch.bfloat16)
  end, function(a, b) return a:matmul(b) end, { gpu = true }))
end
