-- Attention and transformers as scripts call them: arguments by name, modules and functions as settings, errors.
local t, s = torch.Tester(), torch.TestSuite()
local x = torch.randn(2, 5, 8)
local causal = torch.ones(5, 5):triu(1):bool()

local function names(list)
  local all = {}
  for name in list do all[#all + 1] = name end
  return table.concat(all, ' ')
end

function s.calls_take_arguments_by_name_and_by_position()
  local m = nn.MultiheadAttention(8, 2, {batch_first = true})
  local y, w = m(x, x, x, {attn_mask = causal})
  t:eq(tostring(w:size()), 'torch.Size([2, 5, 5])')
  t:assert(torch.equal(m(x, x, x, nil, true, causal), y), 'by position')
  t:assert(torch.equal(m{query = x, key = x, value = x, attn_mask = causal}, y), 'all by name')
  t:assert(torch.equal(m:forward(x, x, x, {attn_mask = causal}), y), 'forward')
  t:assert(torch.allclose(m(x, x, x, {attn_mask = causal, need_weights = false}), y, {atol = 1e-6}), 'without weights')
  local quick = m(x, x, x, {attn_mask = causal, need_weights = false, is_causal = true})
  t:assert(torch.allclose(quick, y, {atol = 1e-6}), 'the mask by the hint')
  t:eq(torch.autocast('cpu', function() return m(x, x, x, {need_weights = false}).dtype end), torch.bfloat16)
  t:eq(select('#', m(x, x, x, {need_weights = false})), 1)
  t:fails(function() m(x, x, x, {attn_mak = causal}) end, "'attn_mak'", "'attn_mask'")
  t:fails(function() m(x, x, x, x, {key_padding_mask = x}) end, 'given twice')
  t:fails(function() m(x, x) end, "'value' is required")
  t:fails(function() m(x, x, x, {need_weights = 3}) end, 'need_weights', 'true or false')
  t:fails(function() m(x, x, x, nil, true, causal, true, false, 1) end, 'at most 8 arguments')
  t:fails(function() nn.ReLU()(x, {inplace = true}) end, "no argument 'inplace'")
end

function s.classes_of_scripts_derive_from_them()
  local Self = nn.class('Self', nn.MultiheadAttention)
  function Self:init(n) nn.MultiheadAttention.init(self, n, 2, {batch_first = true}) end
  function Self:forward(a) return (nn.MultiheadAttention.forward(self, a, a, a, {need_weights = false})) end
  t:eq(tostring(Self(8)(x):size()), 'torch.Size([2, 5, 8])')
end

function s.wrong_settings_and_inputs_are_named()
  t:fails(function() nn.MultiheadAttention(8, 3) end, 'embed_dim 8 and num_heads 3')
  t:fails(function() nn.MultiheadAttention(8, 0) end, 'num_heads of at least 1, got 0')
  t:fails(function() nn.MultiheadAttention(8, 2, {dropout = 1.5}) end, 'dropout from 0 to 1, got 1.5')
  t:fails(function() nn.MultiheadAttention(8, 2, {kdim = 0}) end, 'kdim of at least 1')
  t:fails(function() nn.TransformerEncoderLayer(8, 3) end, 'd_model 8 and nhead 3')
  t:fails(function() nn.TransformerEncoderLayer(8, 2, {activation = 'silu'}) end, "'relu' or 'gelu'", "'silu'")
  local m = nn.MultiheadAttention(8, 2, {batch_first = true})
  t:fails(function() m(x[{{}, {}, {1, 7}}], x, x) end, 'embed_dim = 8', '[2, 5, 7]')
  t:fails(function() m(x, x[1], x) end, 'key must have 3 dims')
  t:fails(function() m(x, torch.randn(3, 5, 8), x) end, 'query has 2 samples and key 3', '[batch, length, features]')
  t:fails(function() m(x, x, x, {attn_mask = torch.ones(3, 5)}) end, 'expected [5, 5]')
  local e = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 2)
  t:fails(function() e(torch.randn(5, 2, 7)) end, 'layers.1.self_attn')
  t:fails(function() nn.Transformer(8, 2)(x, torch.randn(2, 4, 8)) end, 'src has 5 samples and tgt 4')
end

function s.layers_are_copied_with_what_lua_keeps_for_them()
  local Layer = nn.class('Layer')
  function Layer:init(k) self.k, self.linear = k, nn.Linear(8, 8) end
  function Layer:forward(a) return self.linear(a) * self.k end
  local layer = Layer(3)
  local e = nn.TransformerEncoder(layer, 2, {norm = nn.LayerNorm(8)})
  collectgarbage()
  t:assert(torch.equal(e(x), e.norm(layer(layer(x)))), 'copies')
  t:assert(e.layers[1].linear.weight ~= layer.linear.weight, 'not the layer itself')
  t:eq(names(e:named_parameters()),
    'layers.1.linear.weight layers.1.linear.bias layers.2.linear.weight layers.2.linear.bias norm.weight norm.bias')
  t:fails(function() nn.TransformerEncoder(3, 2) end, "'encoder_layer' expects a module, got number 3")
  t:fails(function() nn.TransformerEncoder {num_layers = 2} end, "'encoder_layer' is required")
  t:fails(function() nn.TransformerEncoder(layer, 2, x) end, "'norm' expects a module")
end

function s.activations_are_names_functions_or_modules()
  local named = nn.TransformerEncoderLayer(8, 2, 16, 0.0, 'gelu', {batch_first = true})
  for _, activation in ipairs {F.gelu, nn.GELU(), function(a) return F.gelu(a) end} do
    local layer = nn.TransformerEncoderLayer(8, 2, 16, 0.0, activation, {batch_first = true})
    layer:load_state_dict(named:state_dict())
    t:assert(torch.equal(layer(x), named(x)), 'layer')
    local e = nn.TransformerEncoder(layer, 1)
    t:assert(torch.equal(e:clone()(x), named(x)), 'copy of the layer')
  end
  t:fails(function() nn.TransformerEncoderLayer(8, 2, {activation = 3}) end, 'a module, a function or a name')
  local both = nn.Transformer {d_model = 8, nhead = 2, num_encoder_layers = 1, num_decoder_layers = 1, dim_feedforward = 8,
    activation = F.silu}
  t:eq(both.decoder.layers[1].activation.f, F.silu)
  local file = os.tmpname()
  torch.save(both:eval(), file)
  t:assert(torch.equal(torch.load(file)(x, x), both(x, x)), 'saved')
  os.remove(file)
end

function s.transformers_take_stacks_and_make_masks()
  local mask = nn.Transformer.generate_square_subsequent_mask(3)
  t:eq(tostring(mask), 'tensor([[0., -inf, -inf],\n        [0., 0., -inf],\n        [0., 0., 0.]])')
  local settings = {d_model = 8, nhead = 2, num_encoder_layers = 1, num_decoder_layers = 1, dim_feedforward = 8,
    dropout = 0.0, batch_first = true}
  local m = nn.Transformer(settings)
  local y = m(x, x, {tgt_mask = nn.Transformer.generate_square_subsequent_mask(5), tgt_is_causal = true})
  settings.custom_encoder = m.encoder
  settings.custom_decoder = m.decoder
  local own = nn.Transformer(settings)
  t:eq(own.encoder, m.encoder)
  t:assert(torch.allclose(own(x, x, {tgt_mask = causal}), m(x, x, {tgt_mask = causal})), 'the same parts')
  t:eq(tostring(y:size()), 'torch.Size([2, 5, 8])')
end

-- softmax(q k^T / sqrt(E) + mask) v, with the weights times `kept`
local function plain(q, k, v, mask, kept)
  local w = torch.softmax(q:matmul(k:transpose(-2, -1)) / math.sqrt(q.shape[#q.shape]) + mask, -1)
  return (w * kept):matmul(v)
end
local function gradients(f, inputs)
  for _, a in ipairs(inputs) do a:requires_grad_() end
  local y = f(table.unpack(inputs))
  return y, torch.autograd.grad((y * y):sum(), inputs)
end

-- Several blocks of queries and keys, heads that lie behind positions, dropout with the same random numbers.
function s.fused_attention_is_the_formula()
  local function draw(n, features) return torch.randn(2, n, 3, features, {dtype = torch.float64}):transpose(2, 3) end
  local q, k, v
  for _, sizes in ipairs {{150, 170}, {170, 40}} do
    local queries, keys = table.unpack(sizes)
    q, k, v = draw(queries, 16), draw(keys, 16), draw(keys, 9)
    local forbidden = torch.ones(queries, keys):triu(1):bool()
    local causal_mask = torch.zeros(queries, keys):masked_fill(forbidden, -math.huge):double()
    local added = torch.randn(queries, keys, {dtype = torch.float64})
    local weights = torch.ones(2, 3, queries, keys, {dtype = torch.float64})
    for name, case in pairs {
      causal = {{is_causal = true}, causal_mask}, mask = {{attn_mask = forbidden:logical_not()}, causal_mask},
      added = {{attn_mask = added}, added}, dropout = {{attn_mask = added, dropout_p = 0.3}, added},
    } do
      torch.manual_seed(5)
      local got = {gradients(function(...)
        local list = {...}
        list[4] = case[1]
        return F.scaled_dot_product_attention(table.unpack(list))
      end, {q, k, v})}
      torch.manual_seed(5)
      local kept = name == 'dropout' and F.dropout(weights, 0.3) or weights
      local want = {gradients(function(a, b, c) return plain(a, b, c, case[2], kept) end, {q, k, v})}
      for i = 1, 4 do t:assert(torch.allclose(got[i], want[i], {rtol = 1e-9, atol = 1e-11}), name .. ' ' .. i) end
    end
  end
  t:fails(function() F.scaled_dot_product_attention(q, v, v) end, 'same features')
  t:fails(function() F.scaled_dot_product_attention(q, k, q) end, 'same length')
end

t:add(s):run()
