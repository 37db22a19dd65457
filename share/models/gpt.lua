-- GPT-2 (Radford and others, 2019), with the names of Hugging Face's GPT2LMHeadModel.
local common = require 'models.common'
local decoder = require 'models.decoder'
local M = {}

-- A linear layer whose weight is inputs by outputs, as in GPT-2's files.
local Conv1D = nn.class('models.Conv1D')
function Conv1D:init(outputs, inputs, std)
  self.weight = nn.Parameter(nn.init.normal_(torch.empty(inputs, outputs), 0, std or 0.02))
  self.bias = nn.Parameter(torch.zeros(outputs))
end
function Conv1D:forward(x) return x:matmul(self.weight) + self.bias end

local Attention = nn.class('models.GPT2Attention')
function Attention:init(o)
  self.heads = o.n_head
  self.dropout = o.attn_pdrop
  self.c_attn = Conv1D(3 * o.n_embd, o.n_embd)
  self.c_proj = Conv1D(o.n_embd, o.n_embd, 0.02 / math.sqrt(2 * o.n_layer))
  self.resid_dropout = nn.Dropout(o.resid_pdrop)
end
function Attention:forward(x, cache)
  local parts = self.c_attn(x):rearrange('b t (three h d) -> three b h t d', { three = 3, h = self.heads })
  local y = decoder.attend(parts[1], parts[2], parts[3], cache, self.training and self.dropout or 0.)
  return self.resid_dropout(self.c_proj(y:rearrange('b h t d -> b t (h d)')))
end

local MLP = nn.class('models.GPT2MLP')
function MLP:init(o)
  local hidden = o.n_inner or 4 * o.n_embd
  self.c_fc = Conv1D(hidden, o.n_embd)
  self.c_proj = Conv1D(o.n_embd, hidden, 0.02 / math.sqrt(2 * o.n_layer))
  self.dropout = nn.Dropout(o.resid_pdrop)
end
function MLP:forward(x) return self.dropout(self.c_proj(F.gelu(self.c_fc(x), { approximate = 'tanh' }))) end

local Block = nn.class('models.GPT2Block')
function Block:init(o)
  local function norm() return nn.LayerNorm({ o.n_embd }, { eps = o.layer_norm_epsilon }) end
  self.ln_1 = norm()
  self.attn = Attention(o)
  self.ln_2 = norm()
  self.mlp = MLP(o)
end
function Block:forward(x, cache)
  x = x + self.attn(self.ln_1(x), cache)
  return x + self.mlp(self.ln_2(x))
end

local Transformer = nn.class('models.GPT2Model')
function Transformer:init(o)
  self.wte = nn.Embedding(o.vocab_size, o.n_embd)
  self.wpe = nn.Embedding(o.n_positions, o.n_embd)
  for _, e in ipairs { self.wte, self.wpe } do nn.init.normal_(e.weight, 0, 0.02) end
  self.drop = nn.Dropout(o.embd_pdrop)
  self.h = nn.ModuleList()
  for i = 1, o.n_layer do self.h:append(Block(o)) end
  self.ln_f = nn.LayerNorm({ o.n_embd }, { eps = o.layer_norm_epsilon })
end
function Transformer:forward(ids, cache)
  local first = decoder.past(cache) + 1
  local last = first + ids:size(2) - 1
  if last > self.wpe.num_embeddings then
    error(('%d tokens are more than the %d positions of the model'):format(last, self.wpe.num_embeddings), 0)
  end
  local x = self.drop(self.wte(ids) + self.wpe(torch.arange(first, last + 1, { device = ids.device })))
  for i, block in ipairs(self.h) do x = block(x, decoder.layer_cache(cache, i)) end
  return self.ln_f(x)
end

-- The logits of the next token for each position; the output layer has the weights of the embedding.
local GPT = nn.class('models.GPT')
function GPT:init(o)
  if o.n_embd % o.n_head ~= 0 then common.fail('models.gpt', 'n_embd %d does not divide by n_head %d', o.n_embd, o.n_head) end
  if o.activation_function ~= 'gelu_new' then common.fail('models.gpt', "activation_function '%s' is not there, gelu_new is", o.activation_function) end
  self.transformer = Transformer(o)
end
function GPT:forward(ids, cache) return F.linear(self.transformer(ids, cache), self.transformer.wte.weight) end
GPT.generate = decoder.generate

common.define(M, 'gpt', {
  vocab_size = 50257, n_positions = 1024, n_embd = 768, n_layer = 12, n_head = 12, n_inner = torch.none, layer_norm_epsilon = 1e-5,
  resid_pdrop = 0.1, embd_pdrop = 0.1, attn_pdrop = 0.1, activation_function = 'gelu_new',
}, GPT, [[GPT-2: gpt(ids, cache = nil) gives the logits of the next token; tokens count from 1. Options and weights are those
  of Hugging Face: weights is a folder with config.json and .safetensors, or one file. gpt:generate(ids, {max_new_tokens,
  temperature, top_k, top_p, do_sample, eos_token_id, generator}) continues ids.]], function(name)
  if name == 'lm_head.weight' or name:find('%.attn%.bias$') or name:find('%.attn%.masked_bias$') then return nil end
  return name:find('^transformer%.') and name or 'transformer.' .. name
end)

return M
