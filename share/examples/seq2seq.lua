-- Sequence to sequence: an encoder and a decoder, LSTMs, learn to write digits backwards. The encoder reads sequences of
-- different lengths as one packed sequence.
--   luth seq2seq.lua [steps = 600] [hidden = 128]
local given = { ... }
local steps, hidden = tonumber(given[1] or 600), tonumber(given[2] or 128)
torch.manual_seed(0)

-- Tokens: digits are 1 to 10, then the padding, the start and the end of a sequence.
local padding, start, stop = 11, 12, 13
local vocabulary = 13
local longest, batch = 8, 64

local rnn = nn.utils.rnn

-- ---- The network ----------------------------------------------------------------------------------------------------

local Encoder = nn.class('ExampleEncoder')
function Encoder:init()
  self.embedding = nn.Embedding(vocabulary, 32, { padding_idx = padding })
  self.lstm = nn.LSTM(32, hidden, { batch_first = true, bidirectional = true })
  self.join = nn.Linear(2 * hidden, hidden)
end
-- The last states of both directions as one: h and c, each [1, batch, hidden].
function Encoder:forward(tokens, lengths)
  local packed = rnn.pack_padded_sequence(self.embedding(tokens), lengths, { batch_first = true, enforce_sorted = false })
  local _, state = self.lstm(packed)
  local function joined(s) return self.join(s:rearrange('d b h -> 1 b (d h)')):tanh() end
  return joined(state[1]), joined(state[2])
end

local Decoder = nn.class('ExampleDecoder')
function Decoder:init()
  self.embedding = nn.Embedding(vocabulary, 32)
  self.lstm = nn.LSTM(32, hidden, { batch_first = true })
  self.head = nn.Linear(hidden, vocabulary)
end
function Decoder:forward(tokens, h, c)
  local y, state = self.lstm(self.embedding(tokens), { h, c })
  return self.head(y), state[1], state[2]
end

local Seq2Seq = nn.class('ExampleSeq2Seq')
function Seq2Seq:init()
  self.encoder = Encoder()
  self.decoder = Decoder()
end
function Seq2Seq:forward(source, lengths, target)
  local h, c = self.encoder(source, lengths)
  return (self.decoder(target, h, c))
end
-- The likeliest token each time, until every sequence has ended.
function Seq2Seq:translate(source, lengths)
  local h, c = self.encoder(source, lengths)
  local token, out = torch.full({ #source, 1 }, start, { dtype = 'int64' }), {}
  for i = 1, longest + 1 do
    local logits
    logits, h, c = self.decoder(token, h, c)
    token = logits:argmax(3)
    out[i] = token
  end
  return torch.cat(out, 2)
end

-- ---- Data -----------------------------------------------------------------------------------------------------------

-- Random sequences, their lengths, what the decoder sees, and what it is to say.
local function draw()
  local sources, inputs, targets, lengths = {}, {}, {}, torch.randint(2, longest + 1, { batch })
  for i = 1, batch do
    local digits = torch.randint(1, 11, { lengths[i]:item() })
    local backwards = digits:flip { 1 }
    sources[i] = digits
    inputs[i] = torch.cat { torch.tensor { start }, backwards }
    targets[i] = torch.cat { backwards, torch.tensor { stop } }
  end
  local function padded(list) return rnn.pad_sequence(list, { batch_first = true, padding_value = padding }) end
  return padded(sources), lengths, padded(inputs), padded(targets)
end

-- ---- Training -------------------------------------------------------------------------------------------------------

local net = Seq2Seq()
local loss_of = nn.CrossEntropyLoss { ignore_index = padding }
local opt = optim.Adam(net:parameters(), { lr = 3e-3 })

local last_loss
for step = 1, steps do
  local source, lengths, input, target = draw()
  local loss = loss_of(net(source, lengths, input):flatten(1, 2), target:flatten())
  opt:zero_grad()
  loss:backward()
  nn.utils.clip_grad_norm_(net:parameters(), 1)
  opt:step()
  last_loss = loss:item()
  if step % 100 == 0 or step == steps then print(('step %d  loss %.4f'):format(step, last_loss)) end
end

net:eval()
local source, lengths, _, target = draw()
local said = torch.no_grad(function() return net:translate(source, lengths) end):narrow(2, 1, target:size(2))
local right = (said:eq(target) | target:eq(padding)):all(2):float():mean():item()
print(('%.1f %% of the sequences are right'):format(100 * right))
return right, last_loss
