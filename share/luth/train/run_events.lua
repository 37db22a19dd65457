-- What the events of a run tell TensorBoard beside the numbers of metrics.csv: at the begin the recipe, the model and the settings,
-- of the first batch its pictures and the graph of the modules that it passes, and with epochs histograms of the parameters.
local files = require 'luth.train.files'
local Graph = require 'luth.events.graph'
local images = require 'luth.events.images'
local summary = require 'luth.events.summary'

local M = {}

local most_pictures = 16
local most_elements = 1 << 16  -- of a parameter's histogram

-- A text that TensorBoard, which takes it for Markdown, shows as it is.
local function as_it_is(text) return (('\n' .. text):gsub('\n', '\n    ')) end

--- At step 0, when the folder is open.
function M.begin(t)
  if not t.table or t.step > 0 then return end
  local recipe = files.read(t.dir .. '/recipe.lua', 1 << 24)
  if recipe then t.table:event(0, summary.text('recipe', as_it_is(recipe))) end
  t.table:event(0, summary.text('model', as_it_is(tostring(t.model))))
  local experiment, session = summary.hparams(t.settings or {}, t.table:tags())
  t.table:event(0, experiment)
  t.table:event(0, session)
end

-- Whether TensorBoard can show it as pictures [N, C, H, W].
local function is_pictures(x)
  return torch.is_tensor(x) and x:dim() == 4 and (x:size(2) == 1 or x:size(2) == 3) and x:size(1) > 0 and x:size(3) > 1 and x:size(4) > 1
end

-- Pictures with 0 and 1 as their least and largest value: what a model sees is normalised.
local function add_pictures(log, x)
  x = x:narrow(1, 1, math.min(most_pictures, x:size(1))):detach():cpu():float()
  local low, high = x:min():item(), x:max():item()
  if high > low and high - low < math.huge then
    log:event(0, images.summary('train/batch', images.to_bytes(images.grid((x - low) / (high - low)), 'CHW')))
  end
end

--- forward(t, batch) of a trainer's batch; of the first one of the run it notes what the batch shows.
function M.forward(t, batch, forward)
  if not t.table or t.step > 0 or t.batch > 0 then return forward(t, batch) end
  if is_pictures(batch[1]) then add_pictures(t.table, batch[1]) end
  local finish = Graph.watch(t.model, batch)
  local loss = forward(t, batch)
  t.table:graph(summary.graph(finish()))
  return loss
end

--- Histograms of the parameters at the end of an epoch: of the first 99, then of every tenth, hundredth, ….
function M.histograms(t)
  local every = math.tointeger(10 ^ math.max(0, #tostring(t.epoch) - 2))
  if not t.table or t.shards or t.epoch % every ~= 0 then return end
  for name, p in t.model:named_parameters() do
    local x = not nn.parameter.is_lazy(p) and p:detach():flatten() or torch.zeros(0)
    local apart = (x:numel() + most_elements - 1) // most_elements
    if apart > 1 then x = x[{ { 1, -1, apart } }] end
    local made = summary.histogram('parameters/' .. name, x)
    if made then t.table:event(t.step, made) end
  end
end

return M
