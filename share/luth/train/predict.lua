-- luth predict: what a model says of files. They are read and transformed as the recipe's data (dataset:of_files), or by the
-- shape of its samples where those are no files.
local native = require 'luth.native'
local batches = require 'luth.train.batches'
local errors = require 'luth.train.errors'
local progress = require 'luth.train.progress'

local M = {}
local usage = errors.usage

--- The settings of the options in `given`, checked before anything is computed.
function M.settings(given)
  local top = math.tointeger(tonumber(given.top or 3))
  if not top or top < 1 then usage("--top takes a number of at least 1, got '%s'", given.top) end
  return { top = top, json = given.json == 'true' }
end

-- ---- files as datasets of inputs ----

local suffixes = { npy = 'tensors', npz = 'tensors', h5 = 'tensors', hdf5 = 'tensors', safetensors = 'tensors', pt = 'tensors',
                   pth = 'tensors', csv = 'rows', tsv = 'rows', jpg = 'image', jpeg = 'image', png = 'image', webp = 'image',
                   bmp = 'image' }
local beginnings = { { '\xff\xd8', 'image' }, { '\x89PNG', 'image' }, { 'RIFF....WEBP', 'image' }, { 'BM', 'image' },
                     { '\x89HDF', 'tensors' }, { '\x93NUMPY', 'tensors' }, { 'PK\3\4', 'tensors' } }

-- "image", "tensors", "rows" of numbers, or nil: by the suffix, else by the first bytes.
local function kind_of(path)
  local known = suffixes[(path:lower():match '%.(%w+)$')]
  if known then return known end
  local file <close> = native.is_file(path) and io.open(path, 'rb')  -- a pipe would wait for its writer
  local head = file and file:read(16) or ''
  for _, entry in ipairs(beginnings) do
    if head:find('^' .. entry[1]) then return entry[2] end
  end
end

local function shape_text(t) return '[' .. table.concat(t:size(), ', ') .. ']' end

-- What stands on standard input, as a file that is removed in the end. A part of it is none.
local function of_input()
  local path = os.tmpname()
  local file, why = io.open(path, 'wb')
  local ok = file
  if file then ok, why = file:write(io.read 'a') end
  if ok then ok, why = file:close() end
  if not ok then
    os.remove(path)
    native.fail(1, 'standard input does not fit in a file: ' .. why)
  end
  return path, setmetatable({}, { __close = function() os.remove(path) end })
end

-- Images for a model of samples [C, H, W]: resized, and from 0 to 1 where samples are floats.
local Images = data.class 'images'
function Images:init(paths, like)
  self.paths, self.channels = paths, like:size(1)
  local resize = data.transforms.Resize { like:size(2), like:size(3) }
  self.transform = like.dtype.is_floating_point and data.transforms.Compose { resize, data.transforms.ToTensor() } or resize
end
function Images:len() return #self.paths end
function Images:get(i) return self.transform(data.read_image(self.paths[i], { channels = self.channels })) end

-- The tensor in a file: the only one, or that of the name x.
local function tensor_in(path)
  local value = torch.load(path)
  if torch.is_tensor(value) then return value end
  local all = {}
  for _, t in pairs(type(value) == 'table' and value or {}) do
    if torch.is_tensor(t) then all[#all + 1] = t end
  end
  if #all == 1 then return all[1] end
  return #all > 0 and torch.is_tensor(value.x) and value.x
    or usage('%s holds %d tensors; luth predict takes one, or that of the name x', path, #all)
end

-- One sample, or one for each row where there is a dim more than those of a sample.
local function tensors(path, like, name)
  local t = tensor_in(path)
  if t:dim() == like:dim() then t = t:unsqueeze(1) end
  if t:dim() ~= like:dim() + 1 then
    usage('%s holds a tensor of shape %s; a sample of the recipe has %s', name, shape_text(t), shape_text(like))
  end
  return t:to(like.dtype)
end

-- Lines of numbers, one for each feature of a sample; a first line of names is passed over.
local function rows(path, like, name)
  local wanted, list, number = like:numel(), {}, 0
  for line in native.read(path, 1 << 32, 2):gmatch '[^\r\n]+' do
    number = number + 1
    local row = {}
    for field in line:gmatch '[^,;%s]+' do row[#row + 1] = tonumber(field) or 'text' end
    local named = number == 1 and row[1] == 'text'
    for i, value in ipairs(row) do
      if value == 'text' and not named then usage('%s:%d: field %d is no number', name, number, i) end
    end
    if not named and #row ~= wanted then
      usage('%s:%d: %d fields; a sample of the recipe has %d', name, number, #row, wanted)
    end
    if not named then list[#list + 1] = row end
  end
  if #list == 0 then usage('%s has no rows', name) end
  return torch.tensor(list, { dtype = like.dtype }):reshape(-1, table.unpack(like:size()))
end

-- ---- text ----

local Lines = data.class 'lines'
function Lines:init(list) self.list = list end
function Lines:len() return #self.list end
function Lines:get(i) return self.list[i] end

-- The lines of a file as tokens of the recipe's text; nil where its data are no text. What follows a text has the tokens as classes.
local function lines_of(held, path, name)
  local is_text, tokenizer = pcall(function() return held:tokenizer() end)
  if not is_text then return nil end
  local continues = pcall(function() return held:tokens() end)
  local list, names, number = {}, {}, 0
  for line in native.read(path, 1 << 32, 2):gmatch '[^\n]*' do
    number = number + 1
    line = line:gsub('\r$', '')
    if line ~= '' then
      list[#list + 1] = continues and tokenizer:ids(line) or tokenizer:encode(line).ids
      names[#list] = string.format('%s:%d', name, number)
    end
  end
  if #list == 0 then usage('%s has no lines', name) end
  local tokens = continues and setmetatable({}, { __index = function(_, id) return string.format('%q', tokenizer:decode { id }):gsub('\\\n', '\\n') end })
  return { dataset = Lines(list), names = names, uneven = true, classes = tokens or nil, vocabulary = continues and #tokenizer or nil }
end

-- Of scores [N, tokens, T] or [N, T, tokens], those of what follows the last token.
local function last_scores(output, vocabulary)
  if output:dim() ~= 3 then return output end
  if output:size(2) == vocabulary then return output[{ {}, {}, -1 }] end
  return output[{ {}, -1 }]
end

-- ---- what a file holds ----

local function first_value(held)
  local x = held:get(1)
  return torch.is_tensor(x) and x or nil
end

-- {dataset =, names =} of files of one kind. `held`: the recipe's data; `shown`: what each path is called.
local function of_kind(kind, held, paths, shown)
  local lines = kind == 'rows' and lines_of(held, paths[1], shown[paths[1]])
  if lines then return lines end
  local own = kind ~= 'tensors' and held.of_files and held:of_files(paths)
  if own then
    local names = {}
    for i = 1, #own do names[i] = #own == #paths and shown[paths[i]] or string.format('%s:%d', shown[paths[1]], i) end
    return { dataset = own, names = names }
  end
  local like = first_value(held)
    or usage('the samples of the recipe are no tensors, so luth predict cannot make one of %s', shown[paths[1]])
  if kind == 'image' then
    local c = like:dim() == 3 and like:size(1)
    if c ~= 1 and c ~= 3 then
      usage('%s is an image; a sample of the recipe has the shape %s', shown[paths[1]], shape_text(like))
    end
    progress.say('images become %s%s, as the recipe reads none from files', shape_text(like),
                 like.dtype.is_floating_point and ' from 0 to 1' or '')
    local names = {}
    for i, path in ipairs(paths) do names[i] = shown[path] end
    return { dataset = Images(paths, like), names = names }
  end
  local t = (kind == 'tensors' and tensors or rows)(paths[1], like, shown[paths[1]])
  local names = {}
  for i = 1, #t do names[i] = #t == 1 and shown[paths[1]] or string.format('%s:%d', shown[paths[1]], i) end
  return { dataset = data.TensorDataset(t), names = names }
end

local function of_file(kind, held, path, shown)
  if not native.exists(path) then usage("there is no file '%s'", path) end
  return of_kind(kind, held, { path }, shown)
end

local of_a_file = { [2] = true, [5] = true }  -- codes of errors that another file need not have

-- Groups of files: images together, as they fill batches, all others one by one. Those that cannot be read are named, and left out, if
-- there is one that can; returns how many, too.
local function sources(held, paths, shown, s)
  local list, images, reasons = {}, {}, {}
  local function flush()
    if #images > 0 then list[#list + 1] = of_kind('image', held, images, shown) end
    images = {}
  end
  for _, path in ipairs(paths) do
    local kind = kind_of(path) or 'rows'
    if kind == 'image' and native.exists(path) then
      images[#images + 1] = path
    else
      flush()
      local ok, found = pcall(of_file, kind, held, path, shown)
      local code = not ok and native.code(tostring(found))
      if code and not of_a_file[code] then error(found, 0) end
      table.insert(ok and list or reasons, ok and found or { code, s.named(tostring(found)) })
    end
  end
  flush()
  if #list == 0 then native.fail(table.unpack(reasons[1])) end
  for _, why in ipairs(reasons) do progress.say('luth: %s', why[2]:match '^[^\n]*') end
  return list, #reasons
end

-- ---- what is said of a sample ----

local of_classes = { ['nn.CrossEntropyLoss'] = 'softmax', ['nn.NLLLoss'] = 'exp', ['nn.BCEWithLogitsLoss'] = 'sigmoid',
                     ['nn.BCELoss'] = 'identity' }
local class_metrics = { accuracy = true, precision = true, recall = true, f1 = true, auroc = true, average_precision = true }

-- How outputs become probabilities, nil for outputs that are none.
local function scale_of(t, classes)
  local loss = t.recipe.loss
  if native.kind(loss) == 'module' and of_classes[torch.typename(loss)] then return of_classes[torch.typename(loss)] end
  if loss == F.cross_entropy then return 'softmax' end
  if loss == F.binary_cross_entropy_with_logits then return 'sigmoid' end
  for _, name in ipairs(t.recipe.metrics or {}) do
    if class_metrics[name] or type(name) == 'string' and name:match '^top%d+$' then return 'scores' end
  end
  return classes and 'scores' or nil
end

-- Probabilities [N, C] of outputs, or nil.
local function probabilities(output, scale)
  if not scale then return nil end
  local x = output:double()
  if x:dim() == 1 then x = x:unsqueeze(2) end
  if x:dim() ~= 2 then return nil end
  if x:size(2) > 1 or scale == 'softmax' or scale == 'exp' then
    if scale == 'softmax' or scale == 'scores' then return torch.softmax(x, 2) end
    return scale == 'exp' and x:exp() or nil
  end
  local p = scale == 'identity' and x or torch.sigmoid(x)
  return torch.cat({ 1 - p, p }, 2)
end

local function classes_text(name, list)
  local parts = { name }
  for _, c in ipairs(list) do parts[#parts + 1] = string.format('%s %.4f', c.class, c.probability) end
  return table.concat(parts, '  ')
end

local most_shown = 16  -- outputs in a line

local function values_text(name, values)
  local parts = { name }
  for i = 1, math.min(#values, most_shown) do parts[#parts + 1] = string.format('%.6g', values[i]) end
  if #values > most_shown then parts[#parts + 1] = string.format('... %d values', #values) end
  return table.concat(parts, '  ')
end

-- Prints what a batch of outputs says of the samples named so.
local function print_batch(names, output, scale, classes, s)
  local p = probabilities(output, scale)
  local best, order
  if p then best, order = p:topk(math.min(s.top, p:size(2)), 2) end
  for i, name in ipairs(names) do
    local object = { file = name }
    if p then
      object.classes = {}
      for k = 1, best:size(2) do
        local label = order[i][k]:item()
        object.classes[k] = { class = classes and classes[label] or tostring(label), label = label, probability = best[i][k]:item() }
      end
    else
      object.output = (s.json and output[i] or output[i]:flatten()):tolist()
      if type(object.output) ~= 'table' then object.output = { object.output } end
    end
    if s.json then
      print(native.json_encode(object))
    else
      print(p and classes_text(name, object.classes) or values_text(name, object.output))
    end
  end
end

-- ---- all of it ----

-- Calls f(names, batch) with the batches of a dataset from number `from` on; `name(i)` is that of a sample. Returns how many batches are
-- done, and the error that ended it, if there was one.
local function each_from(t, dataset, name, from, f)
  local loader, done, size = batches.loader(t.recipe, dataset, false, t.device), from, t.recipe.batch
  local ok, why = pcall(batches.each, loader, from, #loader, function(part, batch)
    local names = {}
    for i = 1, part.all do names[i] = name((part.number - 1) * size + i) end
    f(names, batch)
    done = part.number
  end)
  return done, not ok and why or nil
end

-- Does so for a source. A sample that cannot be read is named, and left out; returns how many.
local function each_batch(t, source, s, f)
  local bad, from, r, dataset, names = 0, 0, t.recipe, source.dataset, source.names
  if source.uneven and not r.collate then r.batch = 1 end
  r.on_error = 'stop'  -- what is left out is named here
  while true do
    local done, why = each_from(t, dataset, function(i) return names[i] end, from, f)
    if not why then return bad end
    local good, before = {}, bad
    for i = done * r.batch + 1, math.min((done + 1) * r.batch, #dataset) do
      local readable, reason = pcall(dataset.get, dataset, i)
      if readable then
        good[#good + 1] = i
      else
        bad = bad + 1
        progress.say('luth: %s: %s', names[i], s.named(tostring(reason)):match '^[^\n]*')
      end
    end
    if bad == before then error(why, 0) end
    if #good > 0 then
      why = select(2, each_from(t, data.Subset(dataset, good), function(i) return names[good[i]] end, 0, f))
      if why then error(why, 0) end
    end
    from = done + 1
  end
end

-- Prints what the model says of the files at the paths; returns how many files and samples could not be read.
local function say_of(t, held, paths, shown, s)
  local classes = held.classes and held:classes()
  if classes and #classes == 0 then classes = nil end
  local scale = scale_of(t, classes)
  t.model:eval()
  local _ <close> = torch.no_grad()
  local _ <close> = t:precision()
  local list, bad = sources(held, paths, shown, s)
  for _, source in ipairs(list) do
    bad = bad + each_batch(t, source, s, function(names, batch)
      local inputs = batch.n
      batch = batches.prepare(t.recipe, t.device, batch)
      local output = t.model(table.unpack(batch, 1, inputs))
      if type(output) == 'table' then output = output[1] end
      output = output:float():cpu()
      if source.vocabulary then output = last_scores(output, source.vocabulary) end
      print_batch(names, output, scale, source.classes or classes, s)
    end)
  end
  return bad
end

--- Prints what a trainer's model says of the files. `held`: the data whose way of reading counts.
function M.run(t, held, files, s)
  local paths, shown = {}, {}
  local input, remove
  for i, file in ipairs(files) do
    paths[i] = file
    if file == '-' then
      if not input then input, remove = of_input() end
      paths[i] = input
    end
    shown[paths[i]] = file == '-' and 'stdin' or file
  end
  local _ <close> = remove
  s.named = function(text) return (text:gsub("'?" .. (input or '\0'):gsub('%p', '%%%0') .. "'?", 'stdin')) end
  local bad
  if input then
    local ok, result = pcall(say_of, t, held, paths, shown, s)
    bad = ok and result or native.fail(native.code(tostring(result)), s.named(tostring(result)))
  else
    bad = say_of(t, held, paths, shown, s)
  end
  if bad > 0 then native.fail(1, string.format('%d of the samples could not be read', bad)) end
end

return M
