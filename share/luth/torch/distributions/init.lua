-- torch.distributions: all classes and functions in one table.
local M = {}
for _, part in ipairs { 'continuous', 'discrete', 'transforms', 'kl' } do
  for name, value in pairs(require('luth.torch.distributions.' .. part)) do M[name] = value end
end
return M
