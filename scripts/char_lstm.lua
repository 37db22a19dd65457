-- An LSTM that writes like Shakespeare, letter by letter: luth train scripts/char_lstm.lua [--steps 1000] [--file TEXT]
-- At the end it writes a piece of text. `luth eval RUN` prints the bits per character of the last tenth of the text:
-- 2.52 after 1000 steps with seed 0; PyTorch 2.15 has 2.49 after as many of the same recipe (tests/bench/shakespeare.py lstm).
local o = options {
  file = { 'data/tinyshakespeare.txt', 'the text' }, context = { 64, 'characters of a sample' }, hidden = { 256, 'units of the LSTM' },
  write = { 300, 'characters to write at the end' },
}

local letters = kept('tokenizer', function() return data.Tokenizer.characters(o.file) end)
local text = data.TextDataset(o.file, { tokenizer = letters, context = o.context, random_start = true })

local CharLSTM = nn.class('CharLSTM')
function CharLSTM:init()
  self.embed = nn.Embedding(#letters, 64)
  self.lstm = nn.LSTM(64, o.hidden, { batch_first = true })
  self.head = nn.Linear(o.hidden, #letters)
end
-- Scores [N, letters, T], as losses and metrics take them; and the state, to go on from.
function CharLSTM:forward(x, state)
  local y, after = self.lstm(self.embed(x), state)
  return self.head(y):transpose(2, 3), after
end

-- Goes on from `start`, one letter after the other.
local function write(model, start)
  local ids, state, scores = letters:ids(start):to(model.head.weight.device):unsqueeze(1), nil, nil
  local all = {}
  torch.no_grad(function()
    for i = 1, o.write do
      scores, state = model(ids, state)
      ids = (scores:select(3, -1) / 0.8):softmax(2):multinomial(1)
      all[i] = ids:item()
    end
  end)
  return start .. letters:decode(all)
end

return recipe {
  data = { train = text:part(0, 0.9), val = text:part(0.9, 1, { random_start = false }) },
  model = CharLSTM(),
  loss = nn.CrossEntropyLoss(),
  optim = optim.AdamW { lr = 3e-3 },
  schedule = optim.lr_scheduler.OneCycleLR { max_lr = 3e-3 },
  batch = 32, steps = 1000, epochs = 3, clip = 1.0,
  metrics = { 'bits_per_character' },
  callbacks = { on_end = function(ctx) print(write(ctx.model, '\n')) end },
}
