-- Tensor parallel layers: each rank of a group has a part of the weight. They begin as the undivided module does with the
-- same seed: every rank draws all of it and keeps its part.
local M = {}
local arguments = require 'luth.torch.arguments'
local fail, read = arguments.fail, arguments.read
local group_for = require('luth.torch.distributed').group_for

-- ---- Pairs of functions: the backward of each is the other ----------------------------------------------------------

local Copy = torch.autograd.Function('CopyToGroup')      -- the same tensor on all ranks; gradients are added up
local Reduce = torch.autograd.Function('ReduceOverGroup')  -- the sum of the ranks' tensors, on all
local Gather = torch.autograd.Function('GatherOverGroup')  -- parts of the last dim, joined
local Scatter = torch.autograd.Function('ScatterToGroup')  -- this rank's part of the last dim

local function pair(f, backward, forward)
  function f.forward(ctx, x, group)
    ctx.group = group
    return forward(x, group)
  end
  function f.backward(ctx, dy) return backward.apply(dy, ctx.group) end
end

pair(Copy, Reduce, function(x) return x end)
pair(Reduce, Copy, function(x, group)
  local sum = x:clone()
  torch.distributed.all_reduce(sum, { group = group })
  return sum
end)
pair(Gather, Scatter, function(x, group)
  local parts = {}
  for i = 1, group:size() do parts[i] = torch.empty_like(x) end
  torch.distributed.all_gather(parts, x, { group = group })
  return torch.cat(parts, -1)
end)
pair(Scatter, Gather, function(x, group)
  local size = x:size(-1) // group:size()
  return x:narrow(-1, group:rank() * size + 1, size):contiguous()
end)

-- ---- Layers ---------------------------------------------------------------------------------------------------------

local function share_of(name, what, extent, group)
  if extent % group:size() ~= 0 then
    fail(name, '%s is %d, which the %d ranks of the group do not divide; make it %d', what, extent, group:size(),
      (extent // group:size() + 1) * group:size())
  end
  return extent // group:size()
end

-- This rank's part of the dim of a parameter of the undivided module.
local function part_of(p, dim, group)
  local size = p:size(dim) // group:size()
  return nn.Parameter(p:detach():narrow(dim, group:rank() * size + 1, size):clone())
end

-- A class whose init reads `names` and builds from the undivided module.
local function layer(name, names, build)
  local class = nn.class(name)
  names[#names + 1] = 'process_group'
  function class:init(...)
    local a = read(name, names, 2, ...)
    self.process_group = group_for(name, a.process_group)
    build(self, a, self.process_group)
  end
  M[name] = function(...) return class(...) end
  return class
end

local function linear(name, option, divided, build)
  local class = layer(name, { 'in_features', 'out_features', 'bias', option }, function(self, a, group)
    self.in_features, self.out_features = a.in_features, a.out_features
    share_of(name, divided, a[divided], group)
    build(self, a, group, nn.Linear(a.in_features, a.out_features, { bias = a.bias ~= false }))
  end)
  function class:extra_repr()
    return ('in_features=%d, out_features=%d, bias=%s, %s=%s, ranks=%d'):format(self.in_features, self.out_features,
      self.bias ~= nil and 'True' or 'False', option, self[option] and 'True' or 'False', self.process_group:size())
  end
  return class
end

local Column = linear('ColumnParallelLinear', 'gather_output', 'out_features', function(self, a, group, whole)
  self.gather_output = a.gather_output ~= false
  self.weight = part_of(whole.weight, 1, group)
  if whole.bias then self.bias = part_of(whole.bias, 1, group) end
end)
function Column:forward(x)
  local y = F.linear(Copy.apply(x, self.process_group), self.weight, self.bias)
  return self.gather_output and Gather.apply(y, self.process_group) or y
end

local Row = linear('RowParallelLinear', 'input_is_parallel', 'in_features', function(self, a, group, whole)
  self.input_is_parallel = a.input_is_parallel or false
  self.weight = part_of(whole.weight, 2, group)
  if whole.bias then
    self.bias = whole.bias
    torch.distributed.broadcast(self.bias:detach(), torch.distributed.get_global_rank(group, 0), { group = group })
  end
end)
function Row:forward(x)
  if not self.input_is_parallel then x = Scatter.apply(x, self.process_group) end
  local y = Reduce.apply(F.linear(x, self.weight), self.process_group)
  return self.bias and y + self.bias or y
end

local Vocabulary = layer('VocabParallelEmbedding', { 'num_embeddings', 'embedding_dim' }, function(self, a, group)
  self.num_embeddings, self.embedding_dim = a.num_embeddings, a.embedding_dim
  self.first = group:rank() * share_of('VocabParallelEmbedding', 'num_embeddings', a.num_embeddings, group)
  self.weight = part_of(nn.Embedding(a.num_embeddings, a.embedding_dim).weight, 1, group)
end)
-- Rows of other ranks are zeros here, and the sum has all.
function Vocabulary:forward(indices)
  if indices:lt(1):logical_or(indices:gt(self.num_embeddings)):any() then
    fail('VocabParallelEmbedding', 'the indices lie between %s and %s, expected 1 to %d', indices:min():item(),
      indices:max():item(), self.num_embeddings)
  end
  local own = indices - self.first
  local others = own:lt(1):logical_or(own:gt(self.weight:size(1)))
  local rows = F.embedding(own:masked_fill(others, 1), self.weight)
  return Reduce.apply(rows:masked_fill(others:unsqueeze(-1), 0), self.process_group)
end
function Vocabulary:extra_repr()
  return ('%d, %d, ranks=%d'):format(self.num_embeddings, self.embedding_dim, self.process_group:size())
end

return M
