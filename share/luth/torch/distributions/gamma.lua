-- Samples of the gamma distribution of rate 1, and their derivative by the concentration.
local M = {}

-- Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). Below a concentration of 1 a sample for
-- one more, times u^(1 / concentration). In float64, and at least the smallest normal number of the dtype.
local function draw(concentration)
  local c = concentration:double()
  local small = c:lt(1)
  local d = torch.where(small, c + 1, c) - 1 / 3
  local k = (9 * d):rsqrt()
  -- what is no concentration is its own sample: nan and inf
  local usable = c:ge(0) & c:isfinite()
  local out, waiting = torch.where(usable, torch.zeros_like(d), c), usable
  while waiting:any() do
    local x = torch.randn_like(d)
    local v = (1 + k * x) ^ 3
    local good = v:gt(0)
    local safe = torch.where(good, v, torch.ones_like(v))
    local now = waiting & good & torch.rand_like(d):log():lt(0.5 * x * x + d * (1 - safe + safe:log()))
    out = torch.where(now, d * v, out)
    waiting = waiting & ~now
  end
  -- 1 - u is never 0
  out = torch.where(small, out * (torch.log1p(-torch.rand_like(c)) / c):exp(), out)
  return out:to(concentration.dtype):clamp_min(torch.finfo(concentration.dtype).tiny)
end

-- dz/dc of a sample z of concentration c at a fixed probability: -(dP/dc) / (dP/dz), where P(c, z) is the distribution
-- function (Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients", 2018). dP/dc is a difference of five
-- points; the smaller one of P and 1 - P keeps its digits.
function M.derivative(concentration, sample)
  local c, z = concentration:double(), sample:double()
  local h = 1e-3 * torch.minimum(c, c:sqrt())
  local function slope(f)
    return (8 * (f(c + h, z) - f(c - h, z)) - (f(c + 2 * h, z) - f(c - 2 * h, z))) / (12 * h)
  end
  local by_c = torch.where(torch.igamma(c, z):lt(0.5), slope(torch.igamma), -slope(torch.igammac))
  local by_z = ((c - 1) * z:log() - z - c:lgamma()):exp()
  return (-by_c / by_z):to(sample.dtype)
end

local Sample = torch.autograd.Function('StandardGamma')
function Sample.forward(ctx, concentration)
  local z = draw(concentration)
  ctx:save_for_backward(concentration, z)
  return z
end
function Sample.backward(ctx, gradient)
  local c, z = table.unpack(ctx.saved_tensors)
  return gradient * M.derivative(c:detach(), z:detach())
end

function M.standard(concentration) return Sample.apply(concentration) end

return M
