-- The largest error of elementwise functions of float32, in units in the last place, against their results in float64: over all
-- floats, or every step-th of them. Zeros, infinities and nan must be the same.
--   LUTH_CPU_ISA=v3 luth tests/bench/accuracy.lua [step] [pattern of names]
local step, pattern = math.tointeger(tonumber(arg and arg[1] or 1)), arg and arg[2] or '.'
local block = 1 << 20
torch.set_num_threads(1)

local functions = {}
for _, name in ipairs { 'exp', 'expm1', 'erf', 'erfc', 'tanh', 'sigmoid', 'log', 'log1p', 'log2', 'sin', 'cos', 'sqrt' } do
  functions[#functions + 1] = { name, torch[name], torch[name] }
end
for _, name in ipairs { 'erfinv', 'digamma', 'lgamma', 'i0' } do functions[#functions + 1] = { name, torch[name], torch[name] } end
for _, name in ipairs { 'ndtr', 'ndtri', 'log_ndtr', 'erfcx', 'i0e', 'i1', 'i1e', 'modified_bessel_k0', 'modified_bessel_k1', 'bessel_j0',
  'bessel_j1', 'bessel_y0', 'bessel_y1', 'spherical_bessel_j0', 'airy_ai' } do
  functions[#functions + 1] = { name, torch.special[name], torch.special[name] }
end
functions[#functions + 1] = { 'silu', F.silu, F.silu }
functions[#functions + 1] = { 'gelu', F.gelu, function(x) return x * torch.special.ndtr(x) end }

-- The largest distance of `got` from `want` in units in the last place of float32, and the argument there.
local function worst_of(x, got, want)
  local _, exponent = torch.frexp(want)
  local unit = torch.ldexp(torch.ones_like(want), (exponent - 24):clamp(-149))
  local rounded = want:float()
  local same = got:eq(rounded):logical_or(got:isnan():logical_and(rounded:isnan()))
  local error = torch.where(same, 0, (got:double() - want):abs() / unit)
  error = torch.where(error:isnan(), math.huge, error)
  local most, at = error:max(1)
  return most:item(), x[at:item()]:item()
end

for _, row in ipairs(functions) do
  local name, f, exact = table.unpack(row)
  if name:find(pattern) then
    local worst, where = 0, 0
    for first = -2 ^ 31 // 1 | 0, 2 ^ 31 - 1 // 1 | 0, block * step do
      local bits = torch.arange(first, math.min(first + block * step, 2 ^ 31 // 1 | 0), step, { dtype = torch.int64 }):int()
      local x = bits:view(torch.float32)
      local most, at = worst_of(x, f(x), exact(x:double()))
      if most > worst then worst, where = most, at end
    end
    print(('%-10s %10.3f at %.9g'):format(name, worst, where))
  end
end
