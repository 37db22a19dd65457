-- luth train --dry-run: once through everything that a run does, in a folder that is removed: the first batch and the last,
-- which may be smaller, validation, the end of an epoch, saving, loading.
local native = require 'luth.native'
local batches = require 'luth.train.batches'
local checkpoint = require 'luth.train.checkpoint'
local progress = require 'luth.train.progress'
local run_folder = require 'luth.train.run_folder'
local streams = require 'luth.data.streams'

local M = {}

-- The first batch and the last one of a dataset.
local function ends_of(dataset, batch)
  if streams.is_stream(dataset) then return streams.first(dataset, batch) end
  local n, few = #dataset, {}
  for i = 1, math.min(batch, n) do few[#few + 1] = i end
  for i = math.max(batch + 1, n - (n - 1) % batch), n do few[#few + 1] = i end
  return data.Subset(dataset, few)
end

local function remove(dir)
  for _, folder in ipairs { dir .. '/ckpt', dir } do
    for _, name in ipairs(native.entries(folder)) do os.remove(folder .. '/' .. name) end
    os.remove(folder)
  end
end

local function go_through(t, run)
  local held = t.parts.val and 'val' or t.parts.test and 'test'
  if held and not batches.is_empty(t.parts[held]) then t.parts[held] = ends_of(t.parts[held], t.recipe.batch) end
  t.parts.train = ends_of(t.parts.train, t.recipe.batch)
  t.loader = batches.loader(t.recipe, t.parts.train, false, t.device)
  t.batches, t.recipe.epochs, t.recipe.val_every = #t.loader, 1, 1
  t:open(run)
  t:train()
  t.saves:conclude()
  checkpoint.restore(t, run.last)
end

--- Goes through a trainer's run; its errors are those of the run.
function M.run(t)
  local dir = native.temporary_folder()
  native.mkdirs(dir .. '/ckpt')
  local ok, why = xpcall(go_through, function(text) return text end, t, run_folder.paths(dir))
  remove(dir)
  if not ok then error(why, 0) end
  progress.say('dry run: %s, validation, saving and loading went well; nothing was kept', progress.plural(t.batches, 'batch', 'es'))
end

return M
