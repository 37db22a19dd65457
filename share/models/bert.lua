-- BERT (Devlin and others, 2018), with the names of Hugging Face's BertModel.
local common = require 'models.common'
local M = {}

local function linear(inputs, outputs, o)
  local m = nn.Linear(inputs, outputs)
  nn.init.normal_(m.weight, 0, o.initializer_range)
  nn.init.zeros_(m.bias)
  return m
end
local function norm(o) return nn.LayerNorm({ o.hidden_size }, { eps = o.layer_norm_eps }) end

local Embeddings = nn.class('models.BertEmbeddings')
function Embeddings:init(o)
  self.word_embeddings = nn.Embedding(o.vocab_size, o.hidden_size)
  self.position_embeddings = nn.Embedding(o.max_position_embeddings, o.hidden_size)
  self.token_type_embeddings = nn.Embedding(o.type_vocab_size, o.hidden_size)
  for _, e in ipairs(self:children()) do nn.init.normal_(e.weight, 0, o.initializer_range) end
  self.LayerNorm = norm(o)
  self.dropout = nn.Dropout(o.hidden_dropout_prob)
end
function Embeddings:forward(ids, types)
  local length, most = ids:size(2), self.position_embeddings.num_embeddings
  if length > most then error(('%d tokens are more than the %d positions of the model'):format(length, most), 0) end
  local x = self.word_embeddings(ids) + self.token_type_embeddings(types or torch.ones_like(ids))
  return self.dropout(self.LayerNorm(x + self.position_embeddings(torch.arange(1, length + 1, { device = ids.device }))))
end

local SelfAttention = nn.class('models.BertSelfAttention')
function SelfAttention:init(o)
  self.heads = o.num_attention_heads
  self.p = o.attention_probs_dropout_prob
  for _, name in ipairs { 'query', 'key', 'value' } do self[name] = linear(o.hidden_size, o.hidden_size, o) end
end
function SelfAttention:forward(x, mask)
  local function heads(y) return y:rearrange('b t (h d) -> b h t d', { h = self.heads }) end
  local y = F.scaled_dot_product_attention(heads(self.query(x)), heads(self.key(x)), heads(self.value(x)),
    { attn_mask = mask, dropout_p = self.training and self.p or 0. })
  return y:rearrange('b h t d -> b t (h d)')
end

-- A linear layer whose result is added to the input of the block, then normalised.
local Output = nn.class('models.BertOutput')
function Output:init(inputs, o)
  self.dense = linear(inputs, o.hidden_size, o)
  self.LayerNorm = norm(o)
  self.dropout = nn.Dropout(o.hidden_dropout_prob)
end
function Output:forward(y, x) return self.LayerNorm(self.dropout(self.dense(y)) + x) end

local Layer = nn.class('models.BertLayer')
function Layer:init(o)
  self.attention = nn.Module()
  self.intermediate = nn.Module()
  self.attention:add_module('self', SelfAttention(o))
  self.attention.output = Output(o.hidden_size, o)
  self.intermediate.dense = linear(o.hidden_size, o.intermediate_size, o)
  self.output = Output(o.intermediate_size, o)
end
function Layer:forward(x, mask)
  x = self.attention.output(self.attention:get_submodule('self')(x, mask), x)
  return self.output(F.gelu(self.intermediate.dense(x)), x)
end

-- The last hidden states, and that of the first token through a layer with tanh.
local Bert = nn.class('models.Bert')
function Bert:init(o)
  if o.hidden_size % o.num_attention_heads ~= 0 then
    common.fail('models.bert', 'hidden_size %d does not divide by num_attention_heads %d', o.hidden_size, o.num_attention_heads)
  end
  if o.hidden_act ~= 'gelu' then common.fail('models.bert', "hidden_act '%s' is not there, gelu is", o.hidden_act) end
  self.embeddings = Embeddings(o)
  self.encoder = nn.Module()
  self.encoder.layer = nn.ModuleList()
  for _ = 1, o.num_hidden_layers do self.encoder.layer:append(Layer(o)) end
  if o.add_pooling_layer then
    self.pooler = nn.Module()
    self.pooler.dense = linear(o.hidden_size, o.hidden_size, o)
  end
end
function Bert:forward(ids, attention_mask, token_type_ids)
  local x = self.embeddings(ids, token_type_ids)
  local mask = attention_mask and attention_mask:bool():rearrange('b t -> b 1 1 t') or nil
  for _, layer in ipairs(self.encoder.layer) do x = layer(x, mask) end
  return x, self.pooler and self.pooler.dense(x:select(2, 1)):tanh() or nil
end

common.define(M, 'bert', {
  vocab_size = 30522, hidden_size = 768, num_hidden_layers = 12, num_attention_heads = 12, intermediate_size = 3072,
  max_position_embeddings = 512, type_vocab_size = 2, layer_norm_eps = 1e-12, hidden_dropout_prob = 0.1,
  attention_probs_dropout_prob = 0.1, hidden_act = 'gelu', initializer_range = 0.02, add_pooling_layer = true,
}, Bert, [[An encoder as BERT's: bert(ids, attention_mask = nil, token_type_ids = nil) gives the last hidden states and the pooled one.
  Tokens and their types count from 1; the mask is 0 where a token is to be ignored. Options and weights are those of Hugging Face:
  weights is a folder with config.json and .safetensors, or one file.]], function(name, model)
  name = name:gsub('^bert%.', ''):gsub('LayerNorm%.gamma$', 'LayerNorm.weight'):gsub('LayerNorm%.beta$', 'LayerNorm.bias')
  if name:find('^cls%.') or name == 'embeddings.position_ids' or name:find('^pooler%.') and not model.pooler then return nil end
  return name
end)

return M
