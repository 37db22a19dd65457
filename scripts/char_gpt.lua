-- A small GPT that writes like Shakespeare, letter by letter: luth train scripts/char_gpt.lua [--steps 1000] [--file TEXT]
-- At the end it writes a piece of text. `luth eval RUN` prints the bits per character of the last tenth of the text:
-- 2.69 after 1000 steps with seed 0; PyTorch 2.15 has 2.69 after as many of the same recipe (tests/bench/shakespeare.py gpt).
local o = options {
  file = { 'data/tinyshakespeare.txt', 'the text' }, context = { 64, 'characters of a sample' }, width = { 128, 'of the embeddings' },
  layers = { 4, 'blocks' }, heads = { 4, 'of attention' }, write = { 300, 'characters to write at the end' },
}

local letters = kept('tokenizer', function() return data.Tokenizer.characters(o.file) end)
local text = data.TextDataset(o.file, { tokenizer = letters, context = o.context, random_start = true })

local Block = nn.class('CharGPTBlock')
function Block:init()
  self.norm1, self.norm2 = nn.LayerNorm { o.width }, nn.LayerNorm { o.width }
  self.qkv, self.out = nn.Linear(o.width, 3 * o.width), nn.Linear(o.width, o.width)
  self.mlp = nn.Linear(o.width, 4 * o.width) .. nn.GELU() .. nn.Linear(4 * o.width, o.width)
end
function Block:forward(x)
  local parts = self.qkv(self.norm1(x)):rearrange('b t (three h d) -> three b h t d', { three = 3, h = o.heads })
  local y = F.scaled_dot_product_attention(parts[1], parts[2], parts[3], { is_causal = true })
  x = x + self.out(y:rearrange('b h t d -> b t (h d)'))
  return x + self.mlp(self.norm2(x))
end

local CharGPT = nn.class('CharGPT')
function CharGPT:init()
  self.tokens, self.places = nn.Embedding(#letters, o.width), nn.Embedding(o.context, o.width)
  self.blocks = nn.ModuleList()
  for _ = 1, o.layers do self.blocks:append(Block()) end
  self.norm, self.head = nn.LayerNorm { o.width }, nn.Linear(o.width, #letters)
  self:apply(function(m)
    if torch.isinstance(m, nn.Linear) or torch.isinstance(m, nn.Embedding) then nn.init.normal_(m.weight, 0, 0.02) end
  end)
end
-- Scores [N, letters, T], as losses and metrics take them.
function CharGPT:forward(ids)
  local x = self.tokens(ids) + self.places(torch.arange(1, ids:size(2) + 1, { device = ids.device }))
  for _, block in ipairs(self.blocks) do x = block(x) end
  return self.head(self.norm(x)):transpose(2, 3)
end

-- Goes on from `start`, one letter after the other.
local function write(model, start)
  local ids = letters:ids(start):to(model.head.weight.device):unsqueeze(1)
  torch.no_grad(function()
    for _ = 1, o.write do
      local n = math.min(o.context, ids:size(2))
      local scores = model(ids:narrow(2, ids:size(2) - n + 1, n)):select(3, -1) / 0.8
      ids = torch.cat({ ids, scores:softmax(2):multinomial(1) }, 2)
    end
  end)
  return letters:decode(ids[1])
end

return recipe {
  data = { train = text:part(0, 0.9), val = text:part(0.9, 1, { random_start = false }) },
  model = CharGPT(),
  loss = nn.CrossEntropyLoss(),
  optim = optim.AdamW { lr = 1e-3 },
  schedule = optim.lr_scheduler.OneCycleLR { max_lr = 1e-3 },
  batch = 32, steps = 1000, epochs = 3, clip = 1.0,
  metrics = { 'bits_per_character' },
  callbacks = { on_end = function(ctx) print(write(ctx.model, '\n')) end },
}
