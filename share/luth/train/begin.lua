-- What a run begins with: weights of another file, parameters that stay as they are, and rates.
local errors = require 'luth.train.errors'
local progress = require 'luth.train.progress'
local trees = require 'luth.ckpt.trees'

local M = {}
local say = progress.say

-- "a, b and 3 more"
local function some(names)
  local shown = table.concat(names, ', ', 1, math.min(3, #names))
  return #names > 3 and string.format('%s and %d more', shown, #names - 3) or shown
end

--- The file's weights under the names of the model: as they are, or with positions counted from 1 where more of them fit so.
function M.named_as(own, path)
  local weights = trees.weights(path, { base = 1 })
  local from_zero = trees.shifted(weights, 1)
  local function fitting(names)
    local count = 0
    for name in pairs(names) do count = count + (own[name] and 1 or 0) end
    return count
  end
  return fitting(from_zero) > fitting(weights) and from_zero or weights
end

--- Copies the weights of a file that the model has by name and shape, and says what did not fit.
function M.init_from(model, path)
  local own = model:state_dict()
  local weights, taken, rest = M.named_as(own, path), {}, {}
  for name, t in pairs(own) do
    local given = weights[name]
    if given and table.concat(given:size(), 'x') == table.concat(t:size(), 'x') then
      taken[name] = given
    else
      local why = given and string.format('%s (%s there, %s here)', name, tostring(given:size()), tostring(t:size())) or name
      rest[#rest + 1] = why
    end
  end
  if not next(taken) then errors.usage('--init-from %s: none of its tensors fits the model by name and shape', path) end
  model:load_state_dict(taken, { strict = false })
  local count, unused = 0, {}
  for _ in pairs(taken) do count = count + 1 end
  for name in pairs(weights) do if not taken[name] and not own[name] then unused[#unused + 1] = name end end
  table.sort(unused)
  say('%s: took %s of %d%s%s', path, progress.plural(count, 'tensor'), count + #rest,
      #rest > 0 and '; as the recipe makes them: ' .. some(rest) or '',
      #unused > 0 and '; not in the model: ' .. some(unused) or '')
end

--- Parameters whose names match one of the patterns get no gradients.
function M.freeze(model, patterns)
  local frozen, left = 0, 0
  for pattern in patterns:gmatch '[^,]+' do
    local found = 0
    for name, p in model:named_parameters() do
      local ok, match = pcall(string.find, name, '^' .. pattern)
      if not ok then errors.usage("--freeze: '%s' is no pattern of Lua: %s", pattern, tostring(match):gsub('^[^:]*:%d+: ', '')) end
      if match then
        found = found + 1
        p:requires_grad_(false)
      end
    end
    if found == 0 then errors.usage("--freeze: no parameter's name matches '%s'", pattern) end
  end
  for _, p in ipairs(model:parameters()) do
    if p.requires_grad then left = left + p:numel() else frozen = frozen + p:numel() end
  end
  if left == 0 then errors.usage('--freeze %s leaves nothing to train', patterns) end
  say('%d of %d parameters are frozen', frozen, frozen + left)
end

local function place(p) return nn.parameter.is_lazy(p) and 'lazy' or p:data_ptr() end

--- Refuses optimizers that have none of the model's parameters, and names those that none has.
function M.check_optimizers(model, optimizers)
  local known, common, rest = {}, false, {}
  for _, o in ipairs(optimizers) do
    for _, group in ipairs(o.param_groups) do
      for _, p in ipairs(group.params) do known[place(p)] = true end
    end
  end
  for name, p in model:named_parameters() do
    if known[place(p)] then common = true elseif p.requires_grad then rest[#rest + 1] = name end
  end
  if not common and #rest > 0 then
    errors.usage('the optimizer has none of the parameters of the model; give it without parameters: optim.SGD { lr = 0.1 }')
  end
  if #rest > 0 then say('no optimizer trains %s', some(rest)) end
end

--- Multiplies the rates of all groups so that the first one's is `lr`; returns the factor.
function M.scale_rates(groups, lr)
  local factor = lr / groups[1].lr
  for _, group in ipairs(groups) do group.lr = group.lr * factor end
  return factor
end

return M
