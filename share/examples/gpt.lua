-- A small GPT learns to write like Shakespeare, letter by letter.
--   luth gpt.lua [steps = 500] [width = 128] [layers = 4]
local given = { ... }
local steps, width, layers = tonumber(given[1] or 500), tonumber(given[2] or 128), tonumber(given[3] or 4)
local heads, context, batch = 4, 64, 32
torch.manual_seed(0)

-- ---- Data -----------------------------------------------------------------------------------------------------------

local here = debug.getinfo(1, 'S').source:match('^@(.*/)') or ''
local text = assert(io.open(here .. '../data/tinyshakespeare.txt')):read('a')
local letters, number = {}, {}
for byte = 0, 255 do
  local letter = string.char(byte)
  if text:find(letter, 1, true) then
    letters[#letters + 1] = letter
    number[letter] = #letters
  end
end
local codes = {}
for i = 1, #text do codes[i] = number[text:sub(i, i)] end
codes = torch.tensor(codes)
local last = math.floor(0.9 * #text)

-- A batch of pieces and what follows each letter, from the first nine tenths or from the rest.
local function draw(held_out)
  local from, to = held_out and last or 1, (held_out and #text or last) - context
  local xs, ys = {}, {}
  for i = 1, batch do
    local at = torch.randint(from, to, { 1 }):item()
    xs[i], ys[i] = codes:narrow(1, at, context), codes:narrow(1, at + 1, context)
  end
  return torch.stack(xs), torch.stack(ys)
end

-- ---- The network ----------------------------------------------------------------------------------------------------

local Block = nn.class('ExampleGPTBlock')
function Block:init()
  self.norm1 = nn.LayerNorm { width }
  self.qkv = nn.Linear(width, 3 * width)
  self.out = nn.Linear(width, width)
  self.norm2 = nn.LayerNorm { width }
  self.mlp = nn.Linear(width, 4 * width) .. nn.GELU() .. nn.Linear(4 * width, width)
end
function Block:forward(x)
  local parts = self.qkv(self.norm1(x)):rearrange('b t (three h d) -> three b h t d', { three = 3, h = heads })
  local y = F.scaled_dot_product_attention(parts[1], parts[2], parts[3], { is_causal = true })
  x = x + self.out(y:rearrange('b h t d -> b t (h d)'))
  return x + self.mlp(self.norm2(x))
end

local GPT = nn.class('ExampleGPT')
function GPT:init()
  self.tokens = nn.Embedding(#letters, width)
  self.positions = nn.Embedding(context, width)
  self.blocks = nn.ModuleList()
  for _ = 1, layers do self.blocks:append(Block()) end
  self.norm = nn.LayerNorm { width }
  self.head = nn.Linear(width, #letters, { bias = false })
  self:apply(function(m)
    if torch.isinstance(m, nn.Linear) or torch.isinstance(m, nn.Embedding) then nn.init.normal_(m.weight, 0, 0.02) end
  end)
  self.head.weight = self.tokens.weight  -- tied
end
function GPT:forward(ids)
  local x = self.tokens(ids) + self.positions(torch.arange(1, ids:size(2) + 1))
  for _, block in ipairs(self.blocks) do x = block(x) end
  return self.head(self.norm(x))
end

-- ---- Training -------------------------------------------------------------------------------------------------------

local net = GPT()
local decayed, others = {}, {}
for _, p in ipairs(net:parameters()) do table.insert(p:dim() > 1 and decayed or others, p) end
local opt = optim.AdamW({ { params = decayed, weight_decay = 0.1 }, { params = others, weight_decay = 0. } }, { lr = 1e-3, betas = { 0.9, 0.99 } })
local warm = math.max(1, steps // 20)
local schedule = optim.lr_scheduler.SequentialLR(opt, {
  schedulers = {
    optim.lr_scheduler.LinearLR(opt, { start_factor = 0.1, total_iters = warm }),
    optim.lr_scheduler.CosineAnnealingLR(opt, { T_max = math.max(1, steps - warm) }),
  },
  milestones = { warm },
})

local function loss_of(x, y) return F.cross_entropy(net(x):flatten(1, 2), y:flatten()) end
for step = 1, steps do
  opt:zero_grad()
  local loss = loss_of(draw())
  loss:backward()
  nn.utils.clip_grad_norm_(net:parameters(), 1)
  opt:step()
  schedule:step()
  if step % 50 == 0 or step == steps then
    local other = torch.no_grad(function() return loss_of(draw(true)):item() end)
    print(('step %d  loss %.3f  of other text %.3f'):format(step, loss:item(), other))
  end
end

-- ---- Writing --------------------------------------------------------------------------------------------------------

local ids = torch.tensor { { number['\n'] } }
torch.no_grad(function()
  for _ = 1, 200 do
    local seen = ids:narrow(2, math.max(1, ids:size(2) - context + 1), math.min(context, ids:size(2)))
    local logits = net(seen):select(2, -1) / 0.8
    ids = torch.cat({ ids, logits:softmax(2):multinomial(1) }, 2)
  end
end)
local written = {}
for i, id in ipairs(ids[1]:tolist()) do written[i] = letters[id] end
print(table.concat(written))
return torch.no_grad(function() return loss_of(draw(true)):item() end)
