-- luth help --search and the topics.
local search = require 'luth.help.search'

-- Is the name among the first ones found for the words?
local function finds(words, name, among)
  local found = search.find(words, among or 8)
  for _, entry in ipairs(found) do
    if entry.name == name then return end
  end
  local names = {}
  for i, entry in ipairs(found) do names[i] = entry.name end
  error(words .. ': ' .. name .. ' is not among ' .. table.concat(names, ' '))
end

finds('largest elements', 'torch.topk')
finds('k greatest', 'torch.topk')
finds('numpy concatenate', 'torch.cat')
finds('average', 'torch.mean')
finds('cosine similarities', 'torch.cosine_similarity')
finds('learning rate schedule', 'optim.lr_scheduler.StepLR', 30)
finds('resume training', 'recipes')
finds('counting from 1', 'counting-from-1')
finds('save checkpoint', 'checkpoints')
finds('notebook', 'luth kernel')
finds('dataloader collate', 'data.DataLoader')
finds('dataloader collate', 'data.PadCollate')
finds('draw a line', 'plot.plot', 15)
for _, name in ipairs { 'tqdm', 'numpy', 'pandas', 'matplotlib', 'sklearn', 'scipy', 'argparse', 'pickle', 'PIL', 'ndarray', 'DataFrame', 'wandb' } do
  finds(name, 'global.' .. name .. ' (elsewhere)', 2)
end
finds('DataLoader', 'data.DataLoader', 1)
finds('no_grad', 'torch.no_grad', 1)
finds('argsort', 'torch.argsort', 1)
assert(#search.find('', 5) == 0 and #search.find('xyzzy', 5) == 0 and #search.find('the of', 5) == 0)
for _, words in ipairs { '', ' ', 'how to' } do
  local ok, why = pcall(search.run, words)
  assert(not ok and tostring(why):find('--search needs words', 1, true), why)
end

-- Topics: pages of share/doc; names of luth come first.
local print, text = print, nil
_G.print = function(t) text = t end
for _, topic in ipairs(search.topics()) do
  help(topic.name)
  assert(text:find '^#' or not topic.path:find('/topics/', 1, true), topic.name)  -- names of luth come before other pages
end
help 'distributed'  -- a page has another name where it is a name of luth, too
assert(text:find '^torch%.distributed\n' and text:find '\n\nThe page: luth help distributed%.md$', text)
help 'distributed.md'
assert(text:find '^# Several processes', text)
help 'nn.Linear'
assert(text:find('Example\n  local m = nn.Linear(4, 3)', 1, true) and text:find('See also F.linear', 1, true), text)
help 'softmax'
assert(text:find('Example\n  local', 1, true) and text:find 'nn.Softmax', text)
assert(text:find '^torch%.softmax')
_G.print = print
assert(#search.topics() > 12)
