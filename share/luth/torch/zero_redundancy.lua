-- optim.ZeroRedundancyOptimizer: any optimizer, of whose state each rank has that of its share of the parameters.
-- Rajbhandari, Rasley, Ruwase and He, "ZeRO: memory optimizations toward training trillion parameter models", stage 1.
local M = {}
local native = require 'luth.dist'
local fail = require('luth.torch.arguments').fail
local call = 'ZeroRedundancyOptimizer'

local function parameters_of(self)
  local list = {}
  for _, group in ipairs(self.param_groups) do
    for _, p in ipairs(group.params) do list[#list + 1] = p end
  end
  return list
end

-- The owner of each parameter, a rank of the group from 1, in the order of parameters_of: the largest parameters first,
-- each to the rank that has fewest elements, group by group. So a group that is added changes nothing for the others.
local function owners(self)
  local sizes, owner, at = {}, {}, 0
  for r = 1, self.ranks:size() do sizes[r] = 0 end
  for _, group in ipairs(self.param_groups) do
    local order = {}
    for i, p in ipairs(group.params) do order[i] = { at = at + i, n = p:numel() } end
    at = at + #order
    table.sort(order, function(a, b) return a.n > b.n or a.n == b.n and a.at < b.at end)
    for _, entry in ipairs(order) do
      local least = 1
      for r = 2, #sizes do
        if sizes[r] < sizes[least] then least = r end
      end
      owner[entry.at] = least
      sizes[least] = sizes[least] + entry.n
    end
  end
  return owner
end

-- ---- The class of optimizers over another one ------------------------------------------------------------------------

local function methods(Zero, Base)
  function Zero:init(params, group, settings)
    self.ranks = group
    Base.init(self, params, next(settings) and settings or nil)
  end

  -- The base sees the gradients of this rank's parameters alone, so it keeps state for them alone.
  function Zero:step(closure)
    local loss = closure and closure()
    local list, owner, hidden, parts = parameters_of(self), owners(self), {}, {}
    for i, p in ipairs(list) do
      local r = owner[i]
      parts[r] = parts[r] or {}
      table.insert(parts[r], p)
      if r ~= self.ranks:rank() + 1 then hidden[i], p.grad = p.grad, nil end
    end
    do
      local _ <close> = setmetatable({}, { __close = function() for i, grad in pairs(hidden) do list[i].grad = grad end end })
      Base.step(self)
    end
    self.whole = nil
    for r, rank in ipairs(native.ranks(self.ranks)) do
      if parts[r] then native.broadcast_all(self.ranks, parts[r], rank) end
    end
    return loss
  end

  -- Brings the states of all ranks to rank `to` of the run, whose state_dict() then is that of the base.
  function Zero:consolidate_state_dict(to)
    to = to or 0
    local ranks, state = native.ranks(self.ranks), Base.state_dict(self)
    local here = ranks[self.ranks:rank() + 1]
    if here ~= to then
      torch.distributed.send_object_list({ state.state }, to, self.ranks)
      return
    end
    for _, rank in ipairs(ranks) do
      local part = { {} }
      if rank ~= to then torch.distributed.recv_object_list(part, rank, self.ranks) end
      for i, own in pairs(part[1]) do state.state[i] = own end
    end
    self.whole = state
  end

  function Zero:state_dict()
    return self.whole or fail(call, 'this rank has not the state of all: every rank calls opt:consolidate_state_dict(rank) first, after the last step')
  end

  -- Each rank takes its part of a state dict of the base.
  function Zero:load_state_dict(dict)
    local owner, own = owners(self), {}
    for key, value in pairs(dict) do own[key] = value end
    own.state = {}
    for i, r in ipairs(owner) do
      if r == self.ranks:rank() + 1 then own.state[i] = dict.state[i] end
    end
    self.whole = nil
    Base.load_state_dict(self, own)
  end
end

local classes = setmetatable({}, { __mode = 'k' })
local function class_over(Base)
  if not classes[Base] then
    classes[Base] = optim.class(call, Base)
    methods(classes[Base], Base)
  end
  return classes[Base]
end

function M.ZeroRedundancyOptimizer(params, options)
  local settings = {}
  for key, value in pairs(options or {}) do settings[key] = value end
  local Base, group = settings.optimizer_class, settings.process_group
  settings.optimizer_class, settings.process_group = nil, nil
  if type(Base) ~= 'table' then fail(call, 'optimizer_class is a class of optimizers, such as optim.Adam') end
  if not native.initialized() then
    fail(call, 'there is no process group yet: call torch.distributed.init_process_group first')
  end
  return class_over(Base)(params, group or native.world(), settings)
end

return M
