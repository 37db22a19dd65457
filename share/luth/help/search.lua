-- luth help --search: finds names, topics and pages by words.
local model = require 'luth.reference.model'
local native = require 'luth.native'
local registry = require 'luth.registry'

local M = {}

-- Words that mean the same to who searches: a line of each kind. The names that others have (Torch7's, numpy's, Python's) come from
-- the hints of errors.
local alike = {
  'average mean', 'absolute abs magnitude', 'multiply mul product times dot matmul', 'add plus sum total', 'subtract sub minus difference',
  'divide div quotient', 'power pow exponent', 'largest max maximum greatest highest topk', 'smallest min minimum least lowest',
  'sort order rank', 'random rand draw sample', 'normal gaussian randn', 'shape size dims dimension', 'reshape view flatten resize',
  'transpose permute swap', 'join cat concatenate stack merge', 'split chunk divide', 'select index pick slice', 'filter mask where',
  'copy clone duplicate', 'zero zeros empty', 'save write store dump', 'load read open', 'plot draw picture chart graph', 'image picture photo',
  'train fit learn', 'evaluate eval test', 'predict infer inference', 'loss criterion objective cost', 'optimizer solver', 'schedule scheduler annealing', 'learning lr', 'rate lr',
  'gradient grad derivative slope backward', 'dataset data', 'batch loader', 'dataloader collate', 'gpu cuda device', 'threads parallel cores', 'convolution conv filter',
  'recurrent rnn lstm gru', 'attention transformer', 'dropout drop', 'normalize norm normalization', 'clip clamp', 'round floor ceil',
  'equal eq compare', 'nan missing invalid', 'variance var', 'deviation std', 'distance dist', 'determinant det', 'inverse inv', 'solve equation',
  'eigenvalue eig', 'singular svd', 'resume continue', 'checkpoint weights', 'pretrained transfer', 'tokenizer text words', 'time clock benchmark',
}

-- "gradients" -> "gradient": words lose the ends that grammar gives them.
local function stem(word)
  word = word:lower()
  for _, ending in ipairs { 'ations', 'ation', 'izing', 'ising', 'ings', 'ing', 'ies', 'ers', 'er', 'ed', 'es', 's', 'e' } do
    if #word > #ending + 2 and word:sub(-#ending) == ending then
      return (word:sub(1, -#ending - 1):gsub('([bdgmnprt])%1$', '%1'))  -- clipping: clip
    end
  end
  return word
end

local same = {}  -- stem -> set of stems
for _, line in ipairs(alike) do
  local group = {}
  for word in line:gmatch '%S+' do group[#group + 1] = stem(word) end
  for _, word in ipairs(group) do
    same[word] = same[word] or {}
    for _, other in ipairs(group) do same[word][other] = true end
  end
end

local function stems_of(text)
  local list = {}
  for word in text:gsub('(%l)(%u)', '%1 %2'):gmatch '[%w]+' do list[#list + 1] = stem(word) end
  return list
end

-- ---- what there is to find -------------------------------------------------------------------------------------------

-- Entries {name, brief, text}: names of all tables with their help, topics and pages with theirs, subcommands.
local function add(entries, seen, name, brief, text)
  if seen[name] then return end
  seen[name] = true
  entries[#entries + 1] = { name = name, brief = brief, text = text or brief }
end

local function add_page(entries, seen, name, path)
  local text = native.read(path, 1 << 20, 1)
  add(entries, seen, name, text:match '^#%s*([^\n]*)' or name, text)
end

local function entries_of()
  local entries, seen = {}, {}
  for _, t in ipairs(model.tables()) do
    for _, entry in ipairs(t.entries) do
      local signature, brief, lines = model.parts(entry.help)
      local name = t.path == 'torch.Tensor' and 'x:' .. entry.name or t.path .. '.' .. entry.name
      if not (t.path == 'torch.Tensor' and seen['torch.' .. entry.name]) then add(entries, seen, name, brief, brief .. ' ' .. table.concat(lines, ' ') .. ' ' .. signature) end
    end
  end
  for _, topic in ipairs(M.topics()) do add_page(entries, seen, topic.name, topic.path) end
  for name, brief in pairs(require 'luth.command_line'.subcommands()) do add(entries, seen, 'luth ' .. name, brief) end
  for _, hint in ipairs(registry.foreign_names()) do add(entries, seen, hint.owner .. '.' .. hint.name .. ' (elsewhere)', hint.instead) end
  return entries
end

--- The topics {name, path} that help explains: pages of share/doc/topics, then those of share/doc.
function M.topics()
  local list, root = {}, native.share_dir() .. '/doc'
  for _, folder in ipairs { root .. '/topics', root } do
    for _, name in ipairs(native.entries(folder)) do
      local topic = name:match '^(.+)%.md$'
      if topic then list[#list + 1] = { name = topic, path = folder .. '/' .. name } end
    end
  end
  return list
end

-- ---- the search ------------------------------------------------------------------------------------------------------

-- How well an entry fits the stems: names count most, then the first line, then the rest; words alike count half.
local function score(entry, wanted)
  entry.stems = entry.stems or { stems_of(entry.name), stems_of(entry.brief), stems_of(entry.text) }
  local sum = 0
  entry.letters = entry.letters or entry.name:lower():gsub('%W', '')
  for _, word in ipairs(wanted) do
    local best = #word > 4 and entry.letters:find(word, 1, true) and 4 or 0  -- dataloader
    for level, stems in ipairs(entry.stems) do
      local weight = ({ 8, 3, 1 })[level]
      for _, there in ipairs(stems) do
        if there == word then best = math.max(best, weight)
        elseif same[word] and same[word][there] then best = math.max(best, weight / 2)
        elseif level == 1 and #word > 3 and there:find(word, 1, true) then best = math.max(best, weight / 2) end
      end
    end
    if best == 0 and #word > 4 and entry.text:lower():find(word, 1, true) then best = 0.5 end  -- of DataLoader, in a text
    if best == 0 then return 0 end
    sum = sum + best
  end
  return sum - #entry.stems[1] / 10
end

-- Words that say nothing of what is looked for.
local plain = {}
for word in ('a an the of in on to for with by from how do i is numpy np pytorch torch torch7 python lua luth'):gmatch '%S+' do plain[stem(word)] = true end

-- The stems of the words that say something.
local function wanted_of(text)
  local wanted = {}
  local all = stems_of(text)
  for _, word in ipairs(all) do
    if not plain[word] then wanted[#wanted + 1] = word end
  end
  return #all == 1 and all or wanted
end

local all  -- entries, with their stems from the first search on

--- Entries that fit all words, best first, at most `most`.
function M.find(text, most)
  local wanted, found = wanted_of(text), {}
  if #wanted == 0 then return found end
  all = all or entries_of()
  for i, entry in ipairs(all) do
    local points = score(entry, wanted)
    if points > 0 then found[#found + 1] = { name = entry.name, brief = entry.brief, points = points, order = i } end
  end
  table.sort(found, function(a, b)
    if a.points ~= b.points then return a.points > b.points end
    return a.order < b.order
  end)
  return table.move(found, 1, math.min(#found, most), 1, {})
end

--- Prints what fits; returns 0, or 1 where nothing does.
function M.run(text)
  if #wanted_of(text) == 0 then
    native.fail(2, ("--search needs words that say what is looked for, got '%s': luth help --search largest elements"):format(native.foreign(text, 100)))
  end
  local found = M.find(text, 15)
  for _, entry in ipairs(found) do print(('%-28s %s'):format(entry.name, entry.brief)) end
  if #found == 0 then print("nothing fits all of '" .. native.foreign(text, 100) .. "'; fewer words find more") end
  return #found == 0 and 1 or 0
end

return M
