-- luth new --kind text: a language model of a text file, or classes of lines.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local template = require 'luth.new.template'

local model_of_text = [==[
-- A language model, which learns to continue the text: luth train {{path}}
--   {{file}} has {{tokens}} tokens of {{vocabulary}} kinds.
-- share/doc/recipes.md describes all that a recipe may say; `luth train {{path}} --help` lists the options.
local o = options {
  path = { {{file}}, 'the text' },
  tokens = { {{kind}}, "what a token is: 'characters', 'bytes' or 'words'" },
  context = { {{context}}, 'how many tokens the model looks back' },
  width = { 128, 'size of the vectors' },
  layers = { 2, 'recurrent layers' },
  dropout = { 0.1, 'share of units that are left out in each step' },
  lr = { 3e-3, 'the largest learning rate' },
}

-- The last tenth of the text is for validation.
local all = data.TextDataset(o.path, { tokenizer = o.tokens, context = o.context })
local tokenizer = all:tokenizer()

-- Tokens [N, T] to scores of the next one, [N, tokens, T].
local Net = nn.class('Net')
function Net:init()
  self.embed = nn.Embedding(#tokenizer, o.width)
  self.rnn = nn.GRU(o.width, o.width, { num_layers = o.layers, batch_first = true, dropout = o.dropout })
  self.head = nn.Linear(o.width, #tokenizer)
end
function Net:forward(tokens)
  local hidden = self.rnn(self.embed(tokens))
  return self.head(hidden):transpose(2, 3)
end
local net = Net()

-- After each epoch the model writes on from the beginning of the text.
local function write()
  local ids = all:get(1)[{ { 1, 16 } }]
  net:eval()
  local _ <close> = torch.no_grad()
  for _ = 1, 100 do
    local recent = ids[{ { math.max(1, #ids - o.context + 1), #ids } }]
    local scores = net(recent:unsqueeze(1))[1]
    ids = torch.cat { ids, torch.multinomial(torch.softmax(scores[{ {}, -1 }] / 0.8, 1), 1) }
  end
  io.stderr:write('  ', (tokenizer:decode(ids):gsub('%s+', ' ')), '\n')
end

return recipe {
  data = { train = all:part(0, 0.9), val = all:part(0.9, 1) },
  model = net,
  loss = nn.CrossEntropyLoss(),
  optim = optim.AdamW { lr = o.lr },
  schedule = optim.lr_scheduler.OneCycleLR { max_lr = o.lr },
  clip = 1.0,
  batch = {{batch}},
  epochs = 10,
  metrics = { 'perplexity' },  -- of each token
  callbacks = { write },
}
]==]

-- Characters where the text has few kinds of them, else words.
local function tokens_of(path)
  local sample = native.read(path, 1 << 32, 2)
  local kinds, seen = 0, {}
  if not utf8.len(sample) then return 'bytes' end
  for _, code in utf8.codes(sample:sub(1, utf8.offset(sample, math.min(100000, utf8.len(sample)) + 1) - 1)) do
    if not seen[code] then seen[code], kinds = true, kinds + 1 end
  end
  return kinds <= 512 and 'characters' or 'words'
end

--- The text of a recipe, and what it is, in words. `path`: of the recipe.
return function(path, o)
  local kind = tokens_of(o.data)
  local ds = data.TextDataset(o.data, { tokenizer = kind, context = 16 })
  local count = ds:tokens()
  if count < 400 then errors.usage('%s has %d tokens; at least 400 are needed', o.data, count) end
  local context = count > 20000 and 128 or count > 4000 and 64 or 16
  local values = { path = path, file = template.quote(o.data), tokens = count, vocabulary = #ds:tokenizer(), kind = template.quote(kind),
                   context = context, batch = math.max(2, math.min(32, count // context // 20)) }
  return template.fill(model_of_text, values), 'a language model of ' .. kind
end
