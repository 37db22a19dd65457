-- All workloads of luth bench, in order, under the names that a peer's benchmark can share: calls add(workload) for each.
-- luth.bench.groups says what a workload is.
local files = { 'overhead', 'elements', 'products', 'layers', 'optimizers', 'gpu', 'training', 'files', 'processes' }

return function(add)
  for _, name in ipairs(files) do require('luth.bench.' .. name)(add) end
end
