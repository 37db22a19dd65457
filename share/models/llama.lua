-- Llama (Touvron and others, 2023), with the names of Hugging Face's LlamaForCausalLM.
local common = require 'models.common'
local decoder = require 'models.decoder'
local M = {}

-- ---- Rotary positions (Su and others, "RoFormer", 2021) ------------------------------------------------------------

-- Llama 3.1 divides the low frequencies by `factor`, and those between by something between.
local function scaled(frequencies, s)
  local kind = s.rope_type or s.type or 'default'
  if kind == 'default' then return frequencies end
  if kind == 'linear' then return frequencies / s.factor end
  if kind ~= 'llama3' then common.fail('models.llama', "rope_type '%s' is not there; default, linear and llama3 are", tostring(kind)) end
  local turns = s.original_max_position_embeddings * frequencies / (2 * math.pi)
  local smooth = ((turns - s.low_freq_factor) / (s.high_freq_factor - s.low_freq_factor)):clamp { min = 0, max = 1 }
  return smooth * frequencies + (1 - smooth) * frequencies / s.factor
end

-- Cosines and sines of the positions from first to last, each angle for both halves of the features.
local function angles(o, features, first, last, like)
  local exponent = torch.arange(0, features, 2, { dtype = 'float32', device = like.device }) / features
  local settings = next(o.rope_parameters) and o.rope_parameters or o.rope_scaling
  local frequencies = scaled((settings.rope_theta or o.rope_theta) ^ -exponent, settings)
  local angle = torch.outer(torch.arange(first - 1, last, { dtype = 'float32', device = like.device }), frequencies)
  angle = torch.cat({ angle, angle }, 2)
  return angle:cos():to(like.dtype), angle:sin():to(like.dtype)
end
local function rotated(x, cos, sin)
  local halves = x:chunk(2, -1)
  return x * cos + torch.cat({ -halves[2], halves[1] }, -1) * sin
end

-- ---- Modules --------------------------------------------------------------------------------------------------------

local function linear(inputs, outputs, o, bias)
  local m = nn.Linear(inputs, outputs, { bias = bias or false })
  nn.init.normal_(m.weight, 0, o.initializer_range)
  if bias then nn.init.zeros_(m.bias) end
  return m
end

local function norm(o) return nn.RMSNorm({ o.hidden_size }, { eps = o.rms_norm_eps }) end

local Attention = nn.class('models.LlamaAttention')
function Attention:init(o)
  local width, bias = o.head_dim, o.attention_bias
  self.o = o
  self.q_proj = linear(o.hidden_size, o.num_attention_heads * width, o, bias)
  self.k_proj = linear(o.hidden_size, o.num_key_value_heads * width, o, bias)
  self.v_proj = linear(o.hidden_size, o.num_key_value_heads * width, o, bias)
  self.o_proj = linear(o.num_attention_heads * width, o.hidden_size, o, bias)
end
function Attention:forward(x, cos, sin, cache)
  local function heads(y) return y:rearrange('b t (h d) -> b h t d', { d = self.o.head_dim }) end
  local q, k = rotated(heads(self.q_proj(x)), cos, sin), rotated(heads(self.k_proj(x)), cos, sin)
  local y = decoder.attend(q, k, heads(self.v_proj(x)), cache, self.training and self.o.attention_dropout or 0.)
  return self.o_proj(y:rearrange('b h t d -> b t (h d)'))
end

-- SwiGLU (Shazeer, "GLU variants improve transformer", 2020).
local MLP = nn.class('models.LlamaMLP')
function MLP:init(o)
  self.gate_proj = linear(o.hidden_size, o.intermediate_size, o, o.mlp_bias)
  self.up_proj = linear(o.hidden_size, o.intermediate_size, o, o.mlp_bias)
  self.down_proj = linear(o.intermediate_size, o.hidden_size, o, o.mlp_bias)
end
function MLP:forward(x) return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x)) end

local Layer = nn.class('models.LlamaDecoderLayer')
function Layer:init(o)
  self.self_attn = Attention(o)
  self.mlp = MLP(o)
  self.input_layernorm = norm(o)
  self.post_attention_layernorm = norm(o)
end
function Layer:forward(x, cos, sin, cache)
  x = x + self.self_attn(self.input_layernorm(x), cos, sin, cache)
  return x + self.mlp(self.post_attention_layernorm(x))
end

local Model = nn.class('models.LlamaModel')
function Model:init(o)
  self.o = o
  self.embed_tokens = nn.Embedding(o.vocab_size, o.hidden_size)
  self.layers = nn.ModuleList()
  nn.init.normal_(self.embed_tokens.weight, 0, o.initializer_range)
  for _ = 1, o.num_hidden_layers do self.layers:append(Layer(o)) end
  self.norm = norm(o)
end
function Model:forward(ids, cache)
  local x, past = self.embed_tokens(ids), decoder.past(cache)
  local cos, sin = angles(self.o, self.o.head_dim, past + 1, past + ids:size(2), x)
  for i, layer in ipairs(self.layers) do x = layer(x, cos, sin, decoder.layer_cache(cache, i)) end
  return self.norm(x)
end

local Llama = nn.class('models.Llama')
function Llama:init(o)
  local function divides(a, b)
    if o[a] % o[b] ~= 0 then common.fail('models.llama', '%s %d does not divide by %s %d', a, o[a], b, o[b]) end
  end
  o.num_key_value_heads = o.num_key_value_heads or o.num_attention_heads
  divides('num_attention_heads', 'num_key_value_heads')
  if not o.head_dim then divides('hidden_size', 'num_attention_heads') end
  o.head_dim = o.head_dim or o.hidden_size // o.num_attention_heads
  if o.hidden_act ~= 'silu' then common.fail('models.llama', "hidden_act '%s' is not there, silu is", o.hidden_act) end
  self.model = Model(o)
  if not o.tie_word_embeddings then self.lm_head = linear(o.hidden_size, o.vocab_size, o) end
end
function Llama:forward(ids, cache)
  local x = self.model(ids, cache)
  return F.linear(x, (self.lm_head or self.model.embed_tokens).weight)
end
Llama.generate = decoder.generate

common.define(M, 'llama', {
  vocab_size = 32000, hidden_size = 4096, intermediate_size = 11008, num_hidden_layers = 32, num_attention_heads = 32,
  num_key_value_heads = torch.none, head_dim = torch.none, rms_norm_eps = 1e-6, rope_theta = 10000.0, rope_scaling = {},
  rope_parameters = {}, attention_bias = false, attention_dropout = 0.0, mlp_bias = false, tie_word_embeddings = false,
  hidden_act = 'silu', initializer_range = 0.02,
}, Llama, [[A decoder as Llama's: llama(ids, cache = nil) gives the logits of the next token; tokens count from 1. Options and weights
  are those of Hugging Face: weights is a folder with config.json and .safetensors, or one file. llama:generate(ids,
  {max_new_tokens, temperature, top_k, top_p, do_sample, eos_token_id, generator}) continues ids.]], function(name, model)
  if name:find('rotary_emb%.inv_freq$') or name == 'lm_head.weight' and not model.lm_head then return nil end
  return name
end)

return M
