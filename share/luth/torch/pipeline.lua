-- nn.parallel.Pipeline: a model as stages, through which micro-batches pass. A worker is a rank, or within one process a
-- device, and has one stage or several: stage s, counted from 0, is worker s % workers's.
local M = {}
local native = require 'luth.dist'
local arguments = require 'luth.torch.arguments'
local group_for = require('luth.torch.distributed').group_for
local name = 'Pipeline'
local function fail(...) arguments.fail(name, ...) end

-- ---- Schedules: the steps of worker w, {backward = true or false, stage, chunk}, chunks from 1 ----------------------

-- All forwards, then all backwards.
local function gpipe(workers, per_worker, chunks, w)
  local steps = {}
  for v = 0, per_worker - 1 do
    for c = 1, chunks do steps[#steps + 1] = { backward = false, stage = v * workers + w, chunk = c } end
  end
  for v = per_worker - 1, 0, -1 do
    for c = 1, chunks do steps[#steps + 1] = { backward = true, stage = v * workers + w, chunk = c } end
  end
  return steps
end

-- Some forwards, then a forward and a backward in turn, then the backwards that are left. Stages of a worker take turns,
-- as many chunks at a time as there are workers.
local function one_forward_one_backward(workers, per_worker, chunks, w)
  local total = chunks * per_worker
  local ahead = workers - 1 - w
  if per_worker > 1 then ahead = 2 * ahead + (per_worker - 1) * workers end
  ahead = math.min(ahead, total)
  local function step(k, backward)
    local v = k // workers % per_worker
    if backward then v = per_worker - 1 - v end
    local chunk = per_worker == 1 and k or k // (workers * per_worker) * workers + k % workers
    return { backward = backward, stage = v * workers + w, chunk = chunk + 1 }
  end
  local steps = {}
  for k = 0, total + ahead - 1 do
    if k < total then steps[#steps + 1] = step(k, false) end
    if k >= ahead then steps[#steps + 1] = step(k - ahead, true) end
  end
  return steps
end

local schedules = { gpipe = gpipe, ['1f1b'] = one_forward_one_backward, interleaved = one_forward_one_backward }

local function check_schedule(schedule, workers, per_worker, chunks)
  if schedule == '1f1b' and per_worker > 1 then
    fail("schedule '1f1b' is for one stage on each rank, and here are %d; 'interleaved' takes several", per_worker)
  end
  if schedule == 'interleaved' and per_worker > 1 and chunks % workers ~= 0 then
    fail("schedule 'interleaved' needs chunks that the %d ranks divide, got %d", workers, chunks)
  end
end

-- ---- Messages: tensors from a stage to the next, and their gradients back -------------------------------------------

local tag, header_size = 0x0fff1000, 64
local dtypes = { torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
  torch.uint8, torch.bool }
local code_of = {}
for code, dtype in ipairs(dtypes) do code_of[tostring(dtype)] = code end

-- How many tensors, and of each: whether it wants a gradient, dtype, dims, extents.
local function header_of(tensors)
  local h = { #tensors }
  for _, x in ipairs(tensors) do
    table.move({ x.requires_grad and 1 or 0, code_of[tostring(x.dtype)], x:dim(), table.unpack(x:size()) }, 1, 3 + x:dim(), #h + 1, h)
  end
  if #h > header_size then fail('a stage gives too many tensors: %d', #tensors) end
  for i = #h + 1, header_size do h[i] = 0 end
  return torch.tensor(h, { dtype = torch.int64 })
end
-- Tensors for what the header describes.
local function rooms_of(header)
  local h, at, rooms = header:tolist(), 2, {}
  for i = 1, h[1] do
    local wants, dtype, dims = h[at] == 1, dtypes[h[at + 1]], h[at + 2]
    rooms[i] = torch.empty({ table.unpack(h, at + 3, at + 2 + dims) }, { dtype = dtype })
    if wants then rooms[i].requires_grad = true end
    at = at + 3 + dims
  end
  return rooms
end

local function post(self, worker, tensors)
  for _, x in ipairs(tensors) do
    table.insert(self.sent, native.send(self.process_group, x:detach(), native.ranks(self.process_group)[worker + 1], tag))
  end
end
local function receive(self, worker, tensors)
  for _, x in ipairs(tensors) do
    native.recv(self.process_group, x:detach(), native.ranks(self.process_group)[worker + 1], tag):wait()
  end
end

-- ---- The module -----------------------------------------------------------------------------------------------------

local Pipeline = nn.class(name)

local function device_of(stage)
  local p = stage:parameters()[1]
  return p and p.device
end

-- Within one process: as many workers as the stages have devices, or a worker for each stage.
local function count_workers(stages)
  local seen, n = {}, 0
  for _, stage in ipairs(stages) do
    local device = tostring(device_of(stage))
    if not seen[device] then n = n + 1 end
    seen[device] = true
  end
  return n > 1 and #stages % n == 0 and n or #stages
end

local function check_same(self, schedule)
  local all, own = {}, ('%d stages, chunks = %d, schedule = %s'):format(#self.stages, self.chunks, schedule)
  torch.distributed.all_gather_object(all, own, { group = self.process_group })
  for r, other in ipairs(all) do
    if other ~= all[1] then fail('the ranks differ: rank 0 of the group has %s, and rank %d %s', all[1], r - 1, other) end
  end
end

local function read_settings(stages, options)
  local a = arguments.read(name, { 'stages', 'chunks', 'schedule', 'loss_fn', 'process_group', 'in_process' }, 2, stages, options)
  a.schedule = a.schedule or 'gpipe'
  if not schedules[a.schedule] then fail("schedule is 'gpipe', '1f1b' or 'interleaved', got %s", tostring(a.schedule)) end
  if math.type(a.chunks) ~= 'integer' or a.chunks < 1 then fail('chunks is an integer of at least 1, got %s', tostring(a.chunks)) end
  if torch.isinstance(a.stages, nn.Module) and #a.stages == 0 then a.stages = { a.stages } end
  if #a.stages == 0 then fail('stages is a list of modules') end
  return a
end

function Pipeline:init(stages, options)
  local a = read_settings(stages, options)
  self.stages = nn.ModuleList()
  for _, stage in ipairs(a.stages) do self.stages:append(stage) end
  self.chunks, self.loss_fn, self.most_stored = a.chunks, a.loss_fn, 0
  -- the only rank of a run has all stages
  local no_others = not a.process_group and not (native.initialized() and native.world():size() > 1)
  if a.in_process or no_others then
    self.workers, self.first = count_workers(self.stages), 0
    self.own = self.workers
  else
    self.process_group = group_for(name, a.process_group)
    self.workers, self.first, self.own = self.process_group:size(), self.process_group:rank(), 1
    check_same(self, a.schedule)
  end
  local per_worker = #self.stages // self.own
  check_schedule(a.schedule, self.workers, per_worker, self.chunks)
  self.last = self.workers * per_worker - 1
  self.steps = {}
  for w = 0, self.workers - 1 do self.steps[w] = schedules[a.schedule](self.workers, per_worker, self.chunks, w) end
end

function Pipeline:is_own(stage)
  local w = stage % self.workers
  return w >= self.first and w < self.first + self.own
end
function Pipeline:module_of(stage)
  return self.stages[(self.own == 1 and stage // self.workers or stage) + 1]
end

local function key_of(backward, stage, chunk) return (backward and 'b' or 'f') .. stage .. ' ' .. chunk end

-- What worker w sends to this one, in its order.
local function expected_from(self, w)
  local list = {}
  for _, step in ipairs(self.steps[w]) do
    local to = step.stage + (step.backward and -1 or 1)
    if to >= 0 and to <= self.last and self:is_own(to) and (self.backward or not step.backward) then
      list[#list + 1] = { backward = step.backward, stage = to, chunk = step.chunk }
    end
  end
  return list
end

local function wanted(tensors)
  local list = {}
  for _, x in ipairs(tensors) do
    if x.requires_grad then list[#list + 1] = x end
  end
  return list
end

local function receive_next(self, w)
  self.expected[w] = self.expected[w] or expected_from(self, w)
  local m = table.remove(self.expected[w], 1)
  local tensors = {}
  if m.backward then
    for i, y in ipairs(wanted(self.stored[key_of(false, m.stage, m.chunk)].outputs)) do tensors[i] = torch.empty(y:size(), { dtype = y.dtype }) end
  else
    local header = torch.zeros(header_size, { dtype = torch.int64 })
    receive(self, w, { header })
    tensors = rooms_of(header)
  end
  receive(self, w, tensors)
  self.inbox[key_of(m.backward, m.stage, m.chunk)] = tensors
end

-- What the stage before, or for backward the one after, has given; nil where a stage of this process has not yet.
local function take(self, backward, stage, chunk)
  local key, from = key_of(backward, stage, chunk), stage + (backward and 1 or -1)
  while not self.inbox[key] and not self:is_own(from) do receive_next(self, from % self.workers) end
  local tensors = self.inbox[key]
  self.inbox[key] = nil
  return tensors
end

local function give(self, backward, stage, chunk, tensors)
  if self:is_own(stage) then
    self.inbox[key_of(backward, stage, chunk)] = tensors
    return
  end
  if not backward then post(self, stage % self.workers, { header_of(tensors) }) end
  post(self, stage % self.workers, tensors)
end

-- A tensor of another stage as a leaf on this one's device.
local function as_input(x, device)
  local leaf = x:detach()
  if device and leaf.device ~= device then leaf = leaf:to(device) end
  if x.requires_grad then leaf.requires_grad = true end
  return leaf
end

local function moved(list, device)
  local out = {}
  for i, x in ipairs(list) do out[i] = as_input(x, device) end
  return out
end

local function finish_batch(self, kept, chunk)
  if not self.backward then
    self.results[chunk] = kept.outputs
    return
  end
  local target = self.targets[chunk]:to(kept.outputs[1].device)
  local loss = self.loss_fn(table.unpack(kept.outputs), target)
  self.losses[chunk] = loss:detach()
  kept.loss = loss * (target:size(1) / self.samples)
end

local function forward(self, stage, chunk)
  local module = self:module_of(stage)
  local inputs = stage == 0 and self.inputs[chunk] or take(self, false, stage, chunk)
  if not inputs then return false end
  local kept = { inputs = moved(inputs, device_of(module)) }
  kept.outputs = { module(table.unpack(kept.inputs)) }
  for i, y in ipairs(kept.outputs) do
    if not torch.is_tensor(y) then fail('stage %d gives %s as result %d; stages give tensors', stage + 1, type(y), i) end
  end
  if self.backward then self.stored[key_of(false, stage, chunk)] = kept end
  if stage == self.last then finish_batch(self, kept, chunk) else give(self, false, stage + 1, chunk, kept.outputs) end
  return true
end

-- The gradient of a leaf; zeros where nothing reached it.
local function gradient_of(x) return x.grad or torch.zeros_like(x) end

local function backward(self, stage, chunk)
  local key = key_of(false, stage, chunk)
  local kept = self.stored[key]
  if stage == self.last then
    kept.loss:backward()
  else
    local gradients, outputs = take(self, true, stage, chunk), wanted(kept.outputs)
    if not gradients then return false end
    if outputs[1] then torch.autograd.backward(outputs, moved(gradients, outputs[1].device)) end
  end
  self.stored[key] = nil
  if stage == 0 then return true end
  local gradients = {}
  for i, x in ipairs(wanted(kept.inputs)) do gradients[i] = gradient_of(x) end
  give(self, true, stage - 1, chunk, gradients)
  return true
end

-- One step of worker w, if what it needs is there.
local function advance(self, w, at)
  local step = self.steps[w][at[w]]
  if not step then return false end
  if step.backward and not self.backward then
    at[w] = at[w] + 1
    return true
  end
  if not (step.backward and backward or forward)(self, step.stage, step.chunk) then return false end
  at[w] = at[w] + 1
  self.live[w] = self.live[w] + (step.backward and -1 or 1)
  if self.backward then self.most_stored = math.max(self.most_stored, self.live[w]) end
  return true
end

local function run(self)
  self.inbox, self.stored, self.sent, self.expected, self.live, self.most_stored = {}, {}, {}, {}, {}, 0
  local at = {}
  for w = self.first, self.first + self.own - 1 do at[w], self.live[w] = 1, 0 end
  local goes_on = true
  while goes_on do
    goes_on = false
    for w = self.first, self.first + self.own - 1 do goes_on = advance(self, w, at) or goes_on end
  end
  for _, work in ipairs(self.sent) do work:wait() end
end

-- The parts of a tensor, or of each tensor of a list: a list of lists.
local function split(self, what, value)
  local parts = {}
  for c = 1, self.chunks do parts[c] = {} end
  for i, x in ipairs(torch.is_tensor(value) and { value } or value or {}) do
    if x:size(1) < self.chunks then fail('%s has %d samples for %d chunks', what, x:size(1), self.chunks) end
    for c, part in ipairs(x:tensor_split(self.chunks)) do parts[c][i] = part end
  end
  if not parts[1][1] then fail('%s is missing on the rank of the %s stage', what, what == 'input' and 'first' or 'last') end
  return parts
end

local function begin(self, with_backward, input)
  self.backward, self.results, self.losses = with_backward, {}, {}
  self.inputs = self:is_own(0) and split(self, 'input', input)
end

-- Forgets the batch.
local function finish(self)
  self.inputs, self.targets, self.inbox, self.stored, self.sent, self.results = nil, nil, nil, nil, nil, nil
end

-- Forward alone. The output on the last stage's rank, nil on the others.
function Pipeline:forward(input)
  begin(self, false, input)
  torch.no_grad(run, self)
  local joined = {}
  for i in ipairs(self.results[1] or {}) do
    local parts = {}
    for c = 1, self.chunks do parts[c] = self.results[c][i] end
    joined[i] = torch.cat(parts, 1)
  end
  finish(self)
  return table.unpack(joined)
end

-- Forward and backward of a batch, to whose gradients each micro-batch adds by its share of the samples. On the last
-- stage's rank: the loss of the batch, and a table with those of the micro-batches.
function Pipeline:step(input, target)
  if not self.loss_fn then fail('step needs loss_fn among the settings') end
  begin(self, true, input)
  if self:is_own(self.last) then
    self.targets, self.samples = {}, torch.is_tensor(target) and target:size(1)
    for c, part in ipairs(split(self, 'target', target)) do self.targets[c] = part[1] end
  end
  run(self)
  local losses, sizes = self.losses, self.targets
  local mean = losses[1] and losses[1] * 0
  for c, loss in ipairs(losses) do mean = mean + loss * (sizes[c]:size(1) / self.samples) end
  finish(self)
  if mean then return mean, losses end
end

function M.Pipeline(...) return Pipeline(...) end

return M
