-- luth ckpt: looks into files of tensors, compares, converts and averages them. Runs nothing of the user's.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local texts = require 'luth.texts'
local trees = require 'luth.ckpt.trees'

local M = {}
local usage, unusable = errors.usage, errors.unusable

-- ---- texts ----

-- Prints one line. Names and values of a file do not begin another, and a terminal obeys nothing in them.
local function print_line(...) print(native.foreign(string.format(...))) end
-- A name in an error.
local function short(name) return native.foreign(name, 100) end

local function bytes_of(t) return t:numel() * t:element_size() end
local function kind_of(t) return string.format('%s [%s]', tostring(t.dtype):gsub('^torch%.', ''), table.concat(t:size(), ', ')) end

-- A plain value in one line.
local function shown(value)
  local text = type(value) == 'string' and string.format('%q', value):gsub('\\\n', '\\n') or tostring(value)
  return #text > 60 and text:sub(1, 57) .. '...' or text
end

-- ---- what each action does; `o` holds the options ----

local actions = {}

function actions.ls(paths, o)
  for _, path in ipairs(paths) do
    local list = trees.listed(path)
    if #paths > 1 then print_line('%s:', path) end
    local width, count, elements, bytes = 0, 0, 0, 0
    for _, entry in ipairs(list) do width = math.max(width, utf8.len(entry.name) or #entry.name) end
    for _, entry in ipairs(list) do
      local pad = (' '):rep(math.min(width, 60) - (utf8.len(entry.name) or #entry.name))
      if torch.is_tensor(entry.value) then
        count, elements, bytes = count + 1, elements + entry.value:numel(), bytes + bytes_of(entry.value)
        print_line('%s%s  %s  %s', entry.name, pad, kind_of(entry.value), texts.size(bytes_of(entry.value)))
      elseif not o.tensors then
        print_line('%s%s  %s', entry.name, pad, shown(entry.value))
      end
    end
    print_line('%s, %s element%s, %s', texts.plural(count, 'tensor'), texts.with_commas(elements), elements == 1 and '' or 's', texts.size(bytes))
  end
end

local function numbers(t)
  local x = t:to(torch.float64):flatten()
  if x:numel() == 0 then return 'no elements' end
  local finite = x:masked_select(x:isfinite())
  local rest = x:numel() - finite:numel()
  local text = finite:numel() == 0 and 'no finite elements'
    or string.format('min %.6g, max %.6g, mean %.6g, std %.6g', finite:min():item(), finite:max():item(), finite:mean():item(),
                     finite:std(nil, { correction = 0 }):item())
  return rest > 0 and string.format('%s, %d nan or infinite', text, rest) or text
end

function actions.show(words)
  local path, name = words[1], words[2]
  local list = trees.listed(path)
  if not name then
    for _, entry in ipairs(list) do
      if torch.is_tensor(entry.value) then
        print_line('%s  %s  %s', entry.name, kind_of(entry.value), numbers(entry.value))
      else
        print_line('%s  %s', entry.name, tostring(entry.value))
      end
    end
    return
  end
  local found = trees.below(list, name)
  if #found == 0 then
    local names = {}
    for i, entry in ipairs(list) do names[i] = entry.name end
    usage("%s has no '%s'%s; `luth ckpt ls %s` lists its names", path, name, errors.did_you_mean(name, names), path)
  end
  for _, entry in ipairs(found) do
    if torch.is_tensor(entry.value) then
      print_line('%s  %s  %s', entry.name, kind_of(entry.value), numbers(entry.value))
      print(entry.value)
    else
      print_line('%s  %s', entry.name, tostring(entry.value))
    end
  end
end

local function check_description(path)
  if not native.described_well(path) then unusable("cannot use '%s': its description differs from its HDF5", path) end
end

function actions.verify(paths)
  local bad = 0
  for _, path in ipairs(paths) do
    local ok, why = pcall(torch.load, path)
    local whole = native.whole(path)
    if ok and whole then ok, why = pcall(check_description, path) end
    if ok then
      print_line('%s: %s', path, whole and 'whole, its seal holds' or 'loads; it has no seal')
    else
      bad = bad + 1
      print_line('%s', (tostring(why):gsub('\n.*', '')))
    end
  end
  if bad > 0 then unusable('%d of %d files cannot be used', bad, #paths) end
end

-- How far two tensors of one shape are apart, or nil.
local function distance(a, b)
  if torch.equal(a, b) then return nil end
  local x, y = a:to(torch.float64), b:to(torch.float64)
  local same = x:eq(y):logical_or(x:isnan():logical_and(y:isnan()))
  if same:all() then return nil end
  local difference = (x - y):masked_fill(same, 0)
  local norm = x:norm():item()
  return string.format('max |a - b| %.6g, |a - b| / |a| %.6g', difference:abs():max():item(),
                       norm > 0 and difference:norm():item() / norm or 1 / 0)
end

local function difference(a, b)
  if torch.is_tensor(a) and torch.is_tensor(b) then
    if kind_of(a) ~= kind_of(b) then return kind_of(a) .. ' and ' .. kind_of(b) end
    return distance(a, b)
  end
  if a == b and math.type(a) == math.type(b) then return nil end
  local function text(v) return torch.is_tensor(v) and kind_of(v) or shown(v) end
  return text(a) .. ' and ' .. text(b)
end

function actions.diff(words)
  local a, b = trees.listed(words[1]), trees.listed(words[2])
  local of_b, of_a, found = {}, {}, 0
  for _, entry in ipairs(a) do of_a[entry.name] = true end
  for _, entry in ipairs(b) do of_b[entry.name] = entry end
  local function say(...) found = found + 1 print_line(...) end
  for _, entry in ipairs(a) do
    local other = of_b[entry.name]
    local text = other and difference(entry.value, other.value)
    if not other then say('%s  only in %s', entry.name, words[1]) elseif text then say('%s  %s', entry.name, text) end
  end
  for _, entry in ipairs(b) do
    if not of_a[entry.name] then say('%s  only in %s', entry.name, words[2]) end
  end
  if found == 0 then print_line('no difference in %s', #a == 1 and '1 entry' or #a .. ' entries') end
  return found
end

-- ---- those that write ----

local function check_target(path, o)
  if native.exists(path .. '/.') then usage("'%s' is a folder; the last word is the file to write", path) end
  if native.exists(path) and not o.force then
    usage("'%s' exists, and nothing was written; the last word is the file to write, and --force replaces one", path)
  end
end

local function suffix_of(path) return path:lower():match('%.(%w+)$') end

local function is_flat(path)
  local suffix = suffix_of(path)
  return suffix == 'safetensors' or suffix == 'npz'
end

-- The texts that all files have alike.
local function shared_metadata(paths)
  local texts = native.metadata(paths[1])
  for i = 2, #paths do
    local other = native.metadata(paths[i])
    for key, text in pairs(texts) do
      if other[key] ~= text then texts[key] = nil end
    end
  end
  return texts
end

-- Writes the tree, with the texts where the format has a place for them.
local function write(tree, to, texts)
  if next(texts) and suffix_of(to) ~= 'safetensors' then
    io.stderr:write(native.foreign(string.format('luth: %s holds no metadata; __metadata__ was left out', to)), '\n')
    texts = {}
  end
  native.save(tree, to, texts)
end

function actions.convert(words, o)
  local from, to = words[1], words[2]
  check_target(to, o)
  local tree = trees.load(from, true)
  if is_flat(to) then tree = trees.tensors_only(tree, from, to) end
  write(tree, to, native.metadata(from))
  print_line('wrote %s', to)
end

function actions.export(words, o)
  local from, to = words[1], words[2]
  check_target(to, o)
  local weights, part = trees.weights(from, o)
  write(weights, to, native.metadata(from))
  local count = 0
  for _ in pairs(weights) do count = count + 1 end
  print_line("wrote %s of %s to %s; names count positions from %d", texts.plural(count, 'tensor'), part, to, o.base)
end

-- The mean of tensors in float64; what is no float is that of the last file.
local function mean(list)
  local last = list[#list]
  if not last.dtype.is_floating_point then return last end
  local sum = list[1]:to(torch.float64)
  for i = 2, #list do sum = sum + list[i]:to(torch.float64) end
  return (sum / #list):to(last.dtype)
end

function actions.average(words, o)
  local to = table.remove(words)
  check_target(to, o)
  local parts, within = {}, nil
  for i, path in ipairs(words) do
    local weights, _, nested = trees.weights(path, { base = 1, part = o.part })
    within = within == nil and nested or within
    parts[i] = weights
  end
  local result = {}
  for name, t in pairs(parts[1]) do
    local list = {}
    for i, part in ipairs(parts) do
      local other = part[name]
      if not other or kind_of(other) ~= kind_of(t) then
        unusable("%s and %s cannot be averaged: '%s' is %s in the first and %s in the second", words[1], words[i], short(name),
                 kind_of(t), other and kind_of(other) or 'missing')
      end
      list[i] = other
    end
    result[name] = mean(list)
  end
  for i, part in ipairs(parts) do
    for name in pairs(part) do
      if not parts[1][name] then unusable("%s and %s cannot be averaged: '%s' is only in the second", words[1], words[i], short(name)) end
    end
  end
  write(within and not is_flat(to) and { model = result } or result, to, shared_metadata(words))
  print_line('wrote the mean of %d files to %s', #words, to)
end

-- ---- the command line ----

-- The least and the most words of each action.
local counts = { ls = { 1 }, show = { 1, 2 }, verify = { 1 }, diff = { 2, 2 }, convert = { 2, 2 }, export = { 2, 2 }, average = { 3 } }
local forms = {
  ls = 'ls FILE...', show = 'show FILE [NAME]', verify = 'verify FILE...', diff = 'diff FILE FILE',
  convert = 'convert FILE NEW', export = 'export FILE NEW', average = 'average FILE FILE... NEW',
}

--- The action that the first word names, on the other words. Returns the number of differences that `diff` found.
function M.run(words, options)
  local name = table.remove(words, 1)
  local action = actions[name]
  if not action then
    usage("luth ckpt has no '%s'%s; it has %s", name, errors.did_you_mean(name, errors.keys(actions)),
          table.concat(errors.keys(actions), ', '))
  end
  local least, most = counts[name][1], counts[name][2] or math.maxinteger
  if #words < least or #words > most then usage('usage: luth ckpt %s', forms[name]) end
  local base = options.base or '0'
  if base ~= '0' and base ~= '1' then usage("--base is 0 (PyTorch's names) or 1, got '%s'", base) end
  options.base = tonumber(base)
  return action(words, options)
end

return M
