-- Parts of modules that scripts remove, replace or nest deeply, and lists that change while luth walks over them.
local t, s = torch.Tester(), torch.TestSuite()

function s.removedChildrenAreNamed()
  local x, labels = torch.ones(3, 4), torch.tensor {1, 3, 9}
  local m = nn.MultiheadAttention(4, 2)
  m.out_proj = nn.ReLU()
  t:fails(function() m(x, x, x) end, "ReLU has no parameter 'weight'")
  m.out_proj = nil
  t:fails(function() m(x, x, x) end, "MultiheadAttention has no module 'out_proj'")
  t:fails(function() m:reset_parameters() end, "no module 'out_proj'")
  m = nn.AdaptiveLogSoftmaxWithLoss(4, 10, {2, 5})
  m.tail = nn.ModuleList {nn.Linear(4, 3)}
  t:fails(function() m:log_prob(x) end, "ModuleList has no module '2'")
  m.tail = nil
  t:fails(function() m(x, labels) end, "no module 'tail'")
  m.head = nil
  t:fails(function() m(x, labels) end, "no module 'head'")
  m = nn.Transformer {d_model = 4, nhead = 2, num_encoder_layers = 1, num_decoder_layers = 1, dim_feedforward = 4}
  m.decoder = nil
  t:fails(function() m(x, x) end, "no module 'decoder'")
end

-- Classes find parameters and buffers by position.
function s.replacedPartsKeepTheirPlace()
  local m = nn.Linear(2, 2)
  m.weight = nn.ReLU()
  t:fails(function() m(torch.ones(1, 2)) end, 'weight is missing')
  t:eq(torch.typename(m.weight), 'nn.ReLU')
  m = nn.LayerNorm(2)
  m.bias.data:fill_(3)
  m.weight = nn.ReLU()
  t:eq(m(torch.ones(1, 2)), torch.tensor {{3., 3}})
  m = nn.BatchNorm1d(2)
  m.running_mean = nn.Parameter(torch.ones(2))
  t:eq(m.running_var, torch.ones(2))
  t:fails(function() m(torch.ones(2, 2)) end, 'must both be given')
  m = nn.Linear(2, 2)
  m.weight = nil
  m:register_buffer('weight', torch.ones(2, 2))
  t:eq(m.weight, torch.ones(2, 2))
end

function s.listsMayChangeDuringAWalk()
  local function layers() return nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)) end
  local m = layers()
  local visited = 0
  m:apply(function()
    visited = visited + 1
    for _ = 1, 20 do m:append(nn.ReLU()) end
    m[1] = nil
  end)
  t:eq(visited, 3)
  for _, kind in ipairs {'register_state_dict_pre_hook', 'register_state_dict_post_hook'} do
    m = layers()
    m[1][kind](m[1], function() for _ = 1, 20 do m:append(nn.ReLU()) end end)
    m:state_dict()
    t:eq(#m, 22)
  end
  m = layers()
  local state = m:state_dict()
  m[1]:register_load_state_dict_pre_hook(function() m[2] = nil collectgarbage() end)
  t:fails(function() m:load_state_dict(state) end, 'unexpected')
  m = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 4), 3)
  m.layers[1]:register_forward_hook(function()
    for _ = 1, 3 do m.layers:pop() end
    collectgarbage()
  end)
  t:eq(m(torch.ones(1, 4)):size(), torch.Size {1, 4})
end

function s.nestingHasALimit()
  local m = nn.Linear(2, 2)
  t:fails(function() for _ = 1, 20000 do m = nn.Sequential(m) end end, 'nested deeper than 1000')
  local top = nn.Sequential()
  local below = top
  for _ = 1, 20000 do
    below:append(nn.Sequential())
    below = below[1]
  end
  for _, name in ipairs {'parameters', 'state_dict', 'clone', 'train', 'zero_grad', 'named_modules'} do
    t:fails(function() top[name](top) end, 'nested deeper than 1000')
  end
  for _, f in ipairs {tostring, function() top(torch.ones(1, 2)) end, nn.SyncBatchNorm.convert_sync_batchnorm} do
    t:fails(function() f(top) end, 'nested deeper than 1000')
  end
  t:fails(function() top:apply(function() end) end, 'nested deeper than 1000')
  t:fails(function() top:load_state_dict {} end, 'nested deeper than 1000')
  local shared = nn.Linear(2, 2)
  for _ = 1, 60 do shared = nn.Sequential(shared, shared) end
  t:eq(#shared:parameters(), 2)
end

function s.absentParametersAreNotInitialised()
  for _, m in ipairs {nn.Linear(2, 2), nn.Conv2d(2, 2, 1), nn.Embedding(2, 2, {padding_idx = 1}), nn.PReLU(), nn.Bilinear(2, 2, 2)} do
    m.weight = nil
    t:fails(function() m:reset_parameters() end, 'there is no parameter to initialise')
  end
  local pruned = nn.Linear(2, 2)
  nn.utils.prune.l1_unstructured(pruned, 'weight', 0.5)
  t:fails(function() pruned:reset_parameters() end, 'computed from others')
end

-- What a setting no longer asks for is not there after the first input.
function s.lazyModulesTakeTheirSettingsLate()
  local m = nn.LazyBatchNorm1d()
  m.affine = false
  t:eq(m(torch.ones(2, 3)):size(), torch.Size {2, 3})
  t:eq(#m:parameters(), 0)
end

function s.layersHaveALimit()
  t:fails(function() nn.LSTM(4, 4, 1 << 40) end, 'num_layers of LSTM must be at most 1000, got')
  t:fails(function() nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 1 << 40) end, 'num_layers from 0 to 10000')
end

function s.longNumbersAreNames()
  local m = nn.Sequential()
  m:add_module('99999999999999999999', nn.ReLU())
  t:eq(next(m:state_dict {base = 0}), nil)
end

t:add(s):run()
