-- Indexing and copies, attention, recurrent layers.
local groups = require 'luth.bench.groups'
local normal, leaf, kernel, both = groups.normal, groups.leaf, groups.kernel, groups.both

local function indexing(add)
  local function put(name, bytes, make, f) add(kernel('index/' .. name, 'ms', 1, make, f, { bytes = bytes })) end
  local size = 4 * 4096 * 1024  -- bytes of x
  local function big() return torch.randn(4096, 1024) end
  local function positions() return torch.randint(1, 4097, { 4096 }) end
  -- n tensors of the shape, for f of a list
  local function list(n, ...)
    local shape = { ... }
    return function()
      local tensors = {}
      for i = 1, n do tensors[i] = torch.randn(shape) end
      return tensors
    end
  end
  put('gather_dim1', 4 * size, function() return big(), torch.randint(1, 1025, { 4096, 1024 }) end,
      function(x, i) return x:gather(2, i) end)
  put('index_select', 2 * size, function() return big(), positions() end, function(x, i) return x:index_select(1, i) end)
  put('index_add', 3 * size, function() return big(), positions(), big() end, function(x, i, s) return x:index_add_(1, i, s) end)
  put('masked_select', 1.75 * size, function()
    local x = big()
    return x, x:gt(0)
  end, function(x, m) return x[m] end)
  put('cat16', 2 * size, list(16, 4096, 64), function(tensors) return torch.cat(tensors, 2) end)
  put('stack16', 2 * size, list(16, 256, 1024), function(tensors) return torch.stack(tensors) end)
  put('transpose_copy_4096', 8 * 4096 ^ 2, normal(4096, 4096), function(x) return x:t():contiguous() end)
  put('permute_nchw_nhwc', 8 * 32 * 64 * 56 * 56, normal(32, 64, 56, 56), function(x) return x:permute(1, 3, 4, 2):contiguous() end)
  local function embedding(w, i) return F.embedding(i, w) end
  local function tokens() return leaf(50000, 256), torch.randint(1, 50001, { 4096 }) end
  add(both('index/embedding_fwdbwd', 'ms', 1, tokens, embedding, 'normal', { bytes = 4 * (50000 * 256 + 4 * 4096 * 256) }))
  put('embedding', 8 * 4096 * 256, tokens, embedding)
end

local function attention(add)
  local function qkv() return leaf(4, 8, 512, 64), leaf(4, 8, 512, 64), leaf(4, 8, 512, 64) end
  local function sdpa(q, k, v) return F.scaled_dot_product_attention(q, k, v, { is_causal = true }) end
  add(kernel('attention/sdpa_causal', 'ms', 1, qkv, sdpa))
  add(both('attention/sdpa_causal_fwdbwd', 'ms', 1, qkv, sdpa, 'normal'))
  add(both('attention/encoder_layer_fwdbwd', 'ms', 1, function()
    return leaf(8, 128, 512), nn.TransformerEncoderLayer(512, 8, { batch_first = true }):to(torch.get_default_device())
  end, function(x, layer) return layer(x) end, 'normal'))
end

-- A recurrent layer over `steps` of `batch` inputs of its own size.
local function recurrent(add, name, class, steps, batch, size)
  local function make() return leaf(steps, batch, size), nn[class](size, size):to(torch.get_default_device()) end
  local function run(x, layer) return (layer(x)) end
  add(kernel('rnn/' .. name, 'ms', 1, make, run))
  add(both('rnn/' .. name .. '_fwdbwd', 'ms', 1, make, run, 'normal'))
end

return function(add)
  indexing(add)
  attention(add)
  for _, class in ipairs { 'LSTM', 'GRU' } do
    recurrent(add, class:lower(), class, 64, 32, 256)
    recurrent(add, class:lower() .. '_650', class, 35, 20, 650)
  end
end
