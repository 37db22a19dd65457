-- The copies of a model on the ranks of a run. They begin equal and stay so: gradients are averaged before each step of
-- an optimizer, weighted by the samples that they are of.
local native = require 'luth.dist'
local ranks = require 'luth.train.ranks'

local Replicas = {}
Replicas.__index = Replicas

-- Copies those of rank 0 to all ranks.
local function share(tensors)
  if tensors[1] then native.broadcast_all(native.world(), tensors, 0) end
end

-- `averaged`: the gradients are averages already. `returns_loss`: the trainer itself calls backward, for the loss that a
-- step returns.
function Replicas.new(model, returns_loss)
  local self = setmetatable({ model = model, weight = 1, averaged = false }, Replicas)
  if returns_loss then
    self.ddp = nn.parallel.DistributedDataParallel(model, { find_unused_parameters = true })
  else
    share(model:parameters())
  end
  optim.optimizer.register_optimizer_step_pre_hook(function(o)
    if not self.averaged then self:average(o) end
  end)
  return self
end

-- Buffers are statistics of the samples that a rank has seen; those of rank 0 count.
function Replicas:share_buffers(model) share((model or self.model):buffers()) end

-- Before the forward of a batch, in whose mean that of this rank's samples has the weight; all ranks' add up to 1.
function Replicas:begin(weight)
  self.weight = weight
  self:share_buffers()
end

-- The loss of this rank's samples, of which the mean over the ranks is that of all samples.
function Replicas:weigh(loss)
  local factor = self.weight * ranks.size
  return factor == 1 and loss or loss * factor
end

-- Gradients are averaged, or with `sync` false added to those that a later backward averages.
function Replicas:backward(loss, sync)
  if sync then self.ddp.reducer:prepare { loss } else self.ddp.reducer:rest() end
  self:weigh(loss):backward()
end

-- Averages the gradients of an optimizer that the recipe steps by itself. A parameter that no rank has used keeps none.
function Replicas:average(o)
  local _ <close> = torch.no_grad()
  local list, grads, used = {}, {}, {}
  for _, group in ipairs(o.param_groups) do
    for _, p in ipairs(group.params) do
      list[#list + 1], grads[#list + 1] = p, (p.grad or torch.zeros_like(p)):reshape(-1)
      used[#list] = p.grad and 1 or 0
    end
  end
  local flat, at = torch.cat(grads):mul(self.weight), 1
  torch.distributed.all_reduce(flat)
  used = ranks.sums(used)
  for i, p in ipairs(list) do
    if used[i] > 0 then p.grad = flat:narrow(1, at, p:numel()):view_as(p):to(p.dtype) end
    at = at + p:numel()
  end
end

-- Ends a run whose copies are not equal, which a recipe can bring about: by an optimizer that calls a closure, or a callback.
function Replicas:check_equal()
  local sum = 0
  for _, p in ipairs(self.model:parameters()) do sum = sum + p:detach():double():sum() end
  for i, s in ipairs(ranks.numbers { torch.is_tensor(sum) and sum:item() or sum }) do
    if i == 1 then sum = s[1] end
    if s[1] ~= sum and (s[1] == s[1] or sum == sum) then
      error(string.format('the parameters of rank %d are no longer those of rank 0: the recipe has changed them with '
                          .. 'gradients that are not averages, or not on all ranks', i - 1), 0)
    end
  end
end

return Replicas
