-- What decoders of text share: causal attention with a cache of keys and values, and sampling. Tokens count from 1.
local arguments = require 'luth.torch.arguments'
local M = {}

-- Attention of q to k and v (batch, heads, time, features); each token sees itself and those before it. `cache` keeps
-- the keys and values of earlier calls, and gets these ones; it may be nil. k and v may have fewer heads.
function M.attend(q, k, v, cache, dropout)
  if cache then
    if cache.k then k, v = torch.cat({ cache.k, k }, 3), torch.cat({ cache.v, v }, 3) end
    cache.k, cache.v = k, v
  end
  local now, all = q:size(3), k:size(3)
  local mask = now > 1 and now < all and torch.ones(now, all, { dtype = 'bool', device = q.device }):tril(all - now) or nil
  return F.scaled_dot_product_attention(q, k, v, {
    attn_mask = mask, is_causal = now > 1 and now == all, dropout_p = dropout, enable_gqa = q:size(2) ~= k:size(2),
  })
end

-- The cache of layer i, and how many tokens it has.
function M.layer_cache(cache, i)
  if not cache then return nil end
  cache[i] = cache[i] or {}
  return cache[i]
end
function M.past(cache) return cache and cache[1] and cache[1].k and cache[1].k:size(3) or 0 end

-- The logits without those of tokens beyond the k likeliest, and beyond those that together have probability p (the
-- likeliest always stays).
function M.filtered(logits, k, p)
  if k and k < logits:size(-1) then
    local least = logits:topk(k, -1):narrow(-1, k, 1)
    logits = logits:masked_fill(logits:lt(least), -math.huge)
  end
  if p and p < 1 then
    local sorted, order = logits:sort(-1, true)
    local chances = sorted:softmax(-1)
    local cut = (chances:cumsum(-1) - chances):ge(p)
    logits = logits:masked_fill(torch.zeros_like(cut):scatter(-1, order, cut), -math.huge)
  end
  return logits
end

local function next_tokens(logits, a)
  if not a.do_sample then return logits:argmax(-1, true) end
  logits = M.filtered(logits / (a.temperature or 1), a.top_k, a.top_p)
  return logits:softmax(-1):multinomial(1, { replacement = false, generator = a.generator })
end

local function check(a)
  local function need(ok, text, value)
    if not ok then arguments.fail('generate', text .. ', not %s', tostring(value)) end
  end
  need(torch.is_tensor(a.ids) and a.ids:dim() == 2 and a.ids:size(2) > 0, 'ids must be a tensor of tokens, batch by time', a.ids)
  need(math.type(a.max_new_tokens) == 'integer' and a.max_new_tokens >= 0, 'max_new_tokens must be an integer from 0', a.max_new_tokens)
  need(a.temperature == nil or type(a.temperature) == 'number' and a.temperature > 0, 'temperature must be above 0', a.temperature)
  need(a.top_k == nil or math.type(a.top_k) == 'integer' and a.top_k > 0, 'top_k must be an integer from 1', a.top_k)
  need(a.top_p == nil or type(a.top_p) == 'number' and a.top_p > 0 and a.top_p <= 1, 'top_p must be above 0 and at most 1', a.top_p)
end

local names = { 'ids', 'max_new_tokens', 'do_sample', 'temperature', 'top_k', 'top_p', 'eos_token_id', 'generator' }

-- model:generate(ids, {max_new_tokens = 20, do_sample, temperature = 1, top_k, top_p, eos_token_id, generator}): ids with
-- what follows them, the likeliest token each time, or a random one with do_sample, which temperature, top_k and top_p
-- imply. After eos_token_id a row has only that.
function M.generate(model, ...)
  local a = arguments.read('generate', names, 1, ...)
  a.max_new_tokens = a.max_new_tokens or 20
  check(a)
  if a.do_sample == nil then a.do_sample = (a.temperature or a.top_k or a.top_p) ~= nil end
  local training = model.training
  model:eval()
  local ids, now, cache, ended = a.ids, a.ids, {}, nil
  local ok, message = pcall(torch.no_grad, function()
    for _ = 1, a.max_new_tokens do
      now = next_tokens(model(now, cache):select(2, -1), a)
      if a.eos_token_id then
        if ended then now = now:masked_fill(ended, a.eos_token_id) end
        ended = now:eq(a.eos_token_id)
      end
      ids = torch.cat({ ids, now }, 2)
      if ended and ended:all() then break end
    end
  end)
  model:train(training)
  if not ok then error(message, 0) end
  return ids
end

return M
