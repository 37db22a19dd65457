-- Hooks for DistributedDataParallel's register_comm_hook: each averages a bucket over the ranks.
local M = {}
local native = require 'luth.dist'

-- The mean of t over the ranks, which it replaces: a function that waits for it.
local function mean(group, t)
  local work = native.all_reduce(group, t:div_(group:size()), torch.distributed.ReduceOp.SUM)
  return function()
    work:wait()
    return t
  end
end

function M.allreduce_hook(group, bucket) return mean(group or bucket.process_group, bucket:buffer()) end

for name, dtype in pairs { fp16 = torch.float16, bf16 = torch.bfloat16 } do
  -- Divided before: sums of ranks may not fit into the narrow dtype.
  M[name .. '_compress_hook'] = function(group, bucket)
    group = group or bucket.process_group
    local narrow = bucket:buffer():div_(group:size()):to(dtype)
    local work = native.all_reduce(group, narrow, torch.distributed.ReduceOp.SUM)
    return function()
      work:wait()
      return narrow
    end
  end
  M[name .. '_compress_wrapper'] = function(hook)
    return function(state, bucket)
      bucket:set_buffer(bucket:buffer():to(dtype))
      return hook(state, bucket)
    end
  end
end

return M
