-- Calls of everything that has a name in the tables of functions and among the methods of tensors, with any arguments.
local operators = require 'operators'
local registry = require 'luth.registry'
local values = require 'values'
local M = {}

-- What changes the session, reads or writes files, or asks for devices is no operator.
local others = {save = 1, load = 1, no_grad = 1, enable_grad = 1, inference_mode = 1, autocast = 1, free = 1, cuda = 1, pin_memory = 1,
  Tester = 1, TestSuite = 1, device = 1, Generator = 1, load_state_dict = 1, class = 1, register_kl = 1}
local function is_operator(name)
  return not (name:match('^set_') or name:match('^use_') or name:match('^get_') or name:match('^is_') or name:match('seed')) and not others[name]
end

local entries, by_hand = {}, {}  -- by_hand: those that the registry of operators does not have
local function add(t, method)
  local list = {}
  for name, f in pairs(t) do
    if type(name) == 'string' and type(f) == 'function' and is_operator(name) then list[#list + 1] = name end
  end
  table.sort(list)
  for _, name in ipairs(list) do
    local entry = {name = name, call = t[name], method = method, inplace = method and name:sub(-1) == '_', form = {outputs = {}}}
    entries[#entries + 1] = entry
    if not registry.operator_name(t[name]) then by_hand[#by_hand + 1] = entry end
  end
end
local utils = nn.utils
for _, t in ipairs {torch, F, torch.linalg, torch.special, torch.autograd, torch.autograd.functional, torch.distributions, torch.func,
  torch.testing, nn.init, nn.parameter, utils, utils.rnn, utils.parametrizations, utils.parametrize, utils.prune, optim.swa_utils} do
  add(t)
end
add(torch.Tensor, true)
M.entries = entries

-- What is neither a number nor a tensor.
local objects = {
  function() return nn.Linear(3, 3) end,
  function() return nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)) end,
  function() return nn.Conv2d(3, 3, 1):parameters() end,
  function() return torch.distributions.Normal(values.tensor({torch.float32, {3}}), 1) end,
  function(run) return values.callback(run.pool) end,
  function() return torch.Generator() end,
}

--- One call; `plausible`: of tensors that are likely to fit each other.
function M.step(run, entry, plausible)
  local fitting = plausible and {values.one_of(values.dtypes), values.one_of(values.shapes)} or nil
  local first = (entry.method or math.random(4) > 1) and values.tensor(fitting) or nil
  local args, n = values.arguments(fitting, first)
  if n > 0 and values.chance(4) then args[math.random(n)] = values.one_of(objects)(run) end
  operators.step(run, entry, args, n)
end

function M.program(run)
  for _ = 1, math.random(2, 6) do M.step(run, values.one_of(values.chance(8) and entries or by_hand), values.chance(2)) end
  run:backward()
end

return M
