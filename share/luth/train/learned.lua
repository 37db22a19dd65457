-- What datasets have learned of the training data: means, deviations, categories. Validation and test data take it from
-- the training data, and a run that goes on, or an evaluation, from the checkpoint.
local errors = require 'luth.train.errors'

local M = {}

-- The state of a dataset; nil where it has none.
local function state_of(dataset)
  local state_dict = dataset.state_dict
  return state_dict and state_dict(dataset)
end

-- What a checkpoint keeps of the parts {train, val, test} of a run.
function M.state(parts) return state_of(parts.train) end

local function give(parts, names, state, code, place)
  for _, name in ipairs(names) do
    local part = parts[name]
    if part and state_of(part) then
      errors.attempt(code, string.format('%s does not fit the %s data: ', place, name), part.load_state_dict, part, state)
    end
  end
end

-- Gives the others what the training data have learned.
function M.share(parts)
  local state = state_of(parts.train)
  if state then give(parts, { 'val', 'test' }, state, 2, 'what the training data have learned') end
end

-- Gives all parts what the checkpoint at `path` holds.
function M.load(parts, state, path)
  if type(state) == 'table' then give(parts, { 'train', 'val', 'test' }, state, 5, path) end
end

return M
