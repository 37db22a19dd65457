-- data.DistributedSampler: each rank of a run reads its own part of a dataset.
local M = {}
local native = require 'luth.dist'
local read = require('luth.torch.arguments').read
local fail = require('luth.torch.arguments').fail

local Sampler = { __name = 'data.DistributedSampler' }
local methods = {}
Sampler.__index = methods

function M.DistributedSampler(...)
  local a = read('DistributedSampler', { 'dataset', 'num_replicas', 'rank', 'shuffle', 'seed', 'drop_last' }, 1, ...)
  if not (a.num_replicas and a.rank) and not native.initialized() then
    fail('DistributedSampler', 'there is no process group: call torch.distributed.init_process_group first, or give '
      .. 'num_replicas and rank')
  end
  local n, rank = a.num_replicas or native.world():size(), a.rank or native.world():rank()
  if rank < 0 or rank >= n then fail('DistributedSampler', 'rank is %d, expected 0 to %d', rank, n - 1) end
  return setmetatable({ dataset = a.dataset, num_replicas = n, rank = rank, shuffle = a.shuffle ~= false,
    seed = a.seed or 0, drop_last = a.drop_last or false, epoch = 0 }, Sampler)
end

-- Another epoch is another order; all ranks set the same.
function methods:set_epoch(epoch) self.epoch = epoch end

-- Samples of each rank.
function Sampler:__len()
  local n = #self.dataset
  return self.drop_last and n // self.num_replicas or -(-n // self.num_replicas)
end

-- The positions that this rank reads: of all, those at its number, its number plus the ranks, and so on. Without drop_last the
-- first are read again at the end, so that all ranks have as many.
function Sampler:__call()
  local n, own = #self.dataset, {}
  local order = torch.arange(1, n + 1)
  if self.shuffle then
    local generator = torch.Generator()
    generator:manual_seed(self.seed + self.epoch)
    order = torch.randperm(n, { generator = generator, device = 'cpu' })
  end
  order = order:tolist()
  for i = 0, #self - 1 do own[i + 1] = order[(i * self.num_replicas + self.rank) % n + 1] end
  return own
end

return M
