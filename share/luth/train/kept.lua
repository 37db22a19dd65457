-- What a recipe makes once and a run keeps, such as the vocabulary of its text: kept(name, make). It goes into the checkpoints;
-- a run that goes on, an evaluation and predictions have it from there.
local errors = require 'luth.train.errors'
local ranks = require 'luth.train.ranks'

local M = {}
local values, source, found = {}, nil, nil
local mark = 'luth.tokenizer'  -- a field of the table that stands for a tokenizer

--- The checkpoint that holds what was kept; nil for a run that begins.
function M.from(path) source, found = path, nil end

local function is_tokenizer(value) return type(value) == 'userdata' and getmetatable(value) == 'data.Tokenizer' end

-- What the checkpoint keeps. One that cannot be read is reported when its weights are loaded.
local function of_checkpoint(name)
  if not source then return nil end
  if not found then
    found = ranks.of_first(function()
      local ok, state = pcall(torch.load, source)
      return ok and type(state) == 'table' and type(state.kept) == 'table' and state.kept or {}
    end)
  end
  local value = found[name]
  if type(value) ~= 'table' or value[mark] == nil then return value end
  return errors.attempt(5, string.format("%s: kept '%s': ", source, name), data.Tokenizer.from_str, value.text)
end

--- The word `kept` of recipes.
function M.take(name, make)
  if type(name) ~= 'string' or type(make) ~= 'function' then errors.usage("kept wants a name and a function: kept('tokenizer', function() return … end)") end
  if values[name] == nil then values[name] = of_checkpoint(name) end
  if values[name] == nil then values[name] = make() end
  if values[name] == nil then errors.usage("kept '%s': the function returned nothing", name) end
  if type(values[name]) == 'table' and values[name][mark] ~= nil then errors.usage("kept '%s': the field '%s' is luth's own; name it otherwise", name, mark) end
  return values[name]
end

--- What a checkpoint keeps; nil for nothing.
function M.state()
  local state = {}
  for name, value in pairs(values) do state[name] = is_tokenizer(value) and { [mark] = 1, text = value:to_str() } or value end
  return next(state) and state or nil
end

return M
