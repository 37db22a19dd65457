-- --fsdp: a model of which each rank keeps a part, with the same duties as Replicas. Checkpoints have the state of the
-- undivided model, so that a run goes on with any number of ranks, with --fsdp or without.
local Replicas = require 'luth.train.replicas'

local Shards = setmetatable({}, { __index = Replicas })
Shards.__index = Shards

local large = 1 << 20  -- parameters of a submodule that is gathered by itself

local function is_large(m)
  local n = 0
  for _, p in ipairs(m:parameters()) do n = n + p:numel() end
  return n >= large
end

function Shards.new(model)
  local fsdp = nn.parallel.FullyShardedDataParallel(model, { auto_wrap_policy = is_large })
  fsdp:set_state_dict_type('full', { rank0_only = true })
  return setmetatable({ model = fsdp, weight = 1 }, Shards)
end

function Shards:backward(loss, sync)
  loss = self:weigh(loss)
  if sync then return loss:backward() end
  self.model:no_sync(function() loss:backward() end)
end

function Shards:check_equal() end  -- there are no copies

function Shards:state_of(o) return self.model:optim_state_dict(o) end
function Shards:load_state(o, dict) self.model:load_optim_state_dict(o, dict) end

return Shards
