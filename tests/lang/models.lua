-- require 'models': parameter counts and state-dict names of torchvision and Hugging Face, results of models with
-- weights made by PyTorch (tests/golden/models), generation, and what errors say.
local root = os.getenv 'LUTH_SOURCE' or '.'
package.path = root .. '/tests/golden/?.lua;' .. package.path
local read = require 'read'
local folder = root .. '/tests/golden/models/'
local keys = read.json(read.text(folder .. 'keys.json'))
local results = torch.load(folder .. 'results.safetensors')
local models = require 'models'
local t, s = torch.Tester(), torch.TestSuite()

-- As published by torchvision (without the side branches of GoogLeNet, which its weights leave out), by the articles of
-- LeNet and U-Net's usual form, and by the authors of the language models.
local published = {
  lenet = 61706, alexnet = 61100840, vgg11 = 132863336, vgg13 = 133047848, vgg16 = 138357544, vgg19 = 143667240,
  vgg11_bn = 132868840, vgg13_bn = 133053736, vgg16_bn = 138365992, vgg19_bn = 143678248, resnet18 = 11689512,
  resnet34 = 21797672, resnet50 = 25557032, resnet101 = 44549160, resnet152 = 60192808, resnext50_32x4d = 25028904,
  wide_resnet50_2 = 68883240, densenet121 = 7978856, squeezenet1_0 = 1248424, squeezenet1_1 = 1235496,
  mobilenet_v2 = 3504872, mobilenet_v3_small = 2542856, mobilenet_v3_large = 5483032, shufflenet_v2_x1_0 = 2278604,
  efficientnet_b0 = 5288548, convnext_tiny = 28589128, googlenet = 6624904, vit_b_16 = 86567656, unet = 31037633,
  gpt = 124439808, bert = 109482240, llama = 6738415616,
}
local function on_meta(name, options)
  local _ <close> = torch.device('meta'):scope()
  return models[name](options)
end
local function count(m)
  local n = 0
  for _, p in ipairs(m:parameters()) do n = n + p:numel() end
  return n
end

function s.parameters_are_as_many_as_published()
  for name, n in pairs(published) do
    t:eq(count(on_meta(name, name == 'googlenet' and { aux_logits = false } or nil)), n, name)
  end
  for name in pairs(models) do t:assert(published[name], name .. ' has no published number here') end
end

local function checksum(m)
  local h, n = 0xCBF29CE484222325, 0
  for key, value in pairs(m:state_dict { base = 0 }) do
    n = n + 1
    for _, byte in ipairs { (key .. ' ' .. tostring(value:size()):match('%[.*%]') .. '\n'):byte(1, -1) } do
      h = (h ~ byte) * 0x100000001B3
    end
  end
  return ('%016x'):format(h), n
end

function s.names_and_shapes()
  for name, expected in pairs(keys) do
    local m = on_meta(name)
    if name == 'gpt' then m = m.transformer end
    local sum, n = checksum(m)
    t:eq(n, expected.keys, name)
    t:eq(sum, expected.checksum, name)
    t:eq(count(m), expected.parameters, name)
  end
end

local function near(got, name)
  t:eq(got:size(), results[name]:size(), name)
  local far = (got - results[name]):abs():max():item()
  t:assert(far < 1e-4, name .. ' differs by ' .. far)
end

local small = {
  resnet18 = { width = 4, num_classes = 7 },
  mobilenet_v3_small = { width_mult = 0.125, num_classes = 7 },
  vit_b_16 = { image_size = 64, num_layers = 2, num_heads = 2, hidden_dim = 16, mlp_dim = 32, num_classes = 7 },
}
function s.vision_with_weights()
  for name, options in pairs(small) do
    options.weights = folder .. name .. (name == 'resnet18' and '.pth' or '.safetensors')
    local m = models[name](options):eval()
    near(m(results[name .. '.in']), name .. '.out')
  end
end

function s.decoders_with_weights()
  for _, name in ipairs { 'gpt', 'llama' } do
    local m, ids = models[name] { weights = folder .. name }, results[name .. '.in'] + 1
    m:eval()
    near(m(ids), name .. '.out')
    local cache = {}
    local parts = { m(ids:narrow(2, 1, 4), cache), m(ids:narrow(2, 5, 1), cache), m(ids:narrow(2, 6, 4), cache) }
    near(torch.cat(parts, 2), name .. '.out')
    local more = m:generate(ids:narrow(2, 1, 3), { max_new_tokens = 6 })
    t:eq(more:tolist(), (results[name .. '.generated'] + 1):tolist(), name)
  end
end

function s.encoder_with_weights()
  local m = models.bert { weights = folder .. 'bert' }:eval()
  local x, pooled = m(results['bert.in'] + 1, results['bert.mask'], results['bert.types'] + 1)
  near(x, 'bert.out')
  near(pooled, 'bert.pooled')
end

-- Every architecture computes, forward and backward.
function s.all_run()
  local tiny = {
    vgg = { width = 2, hidden = 8 }, resnet = { width = 4, layers = { 1, 1, 1 } }, convnext_tiny = { widths = { 4, 8, 16, 32 }, depths = { 1, 1, 1, 1 } },
    resnext50_32x4d = { layers = { 1, 1, 1, 1 } }, wide_resnet50_2 = { width = 8, layers = { 1, 1, 1, 1 } }, vit_b_16 = small.vit_b_16,
    densenet121 = { growth_rate = 4, block_config = { 2, 2 }, num_init_features = 8 }, unet = { width = 4, depth = 2 },
  }
  tiny.vit_b_16.weights = nil
  torch.manual_seed(1)
  for name in pairs(published) do
    local options = tiny[name] or tiny[name:match('^%a+')]
    if options or not (name == 'gpt' or name == 'bert' or name == 'llama' or name == 'alexnet') then
      local m = models[name](options)
      local x = name == 'lenet' and torch.randn(2, 1, 28, 28) or torch.randn(2, 3, 64, 64)
      local results = { m(x) }
      results[1]:sum():backward()
      t:eq(results[1]:size(1), 2, name)
      t:eq(#results, name == 'googlenet' and 3 or 1, name)
      for path, p in m:named_parameters() do
        t:assert(p.grad or name == 'googlenet' and path:find('^aux'), name .. ': ' .. path .. ' has no gradient')
      end
      t:eq(m:eval()(x):size(), results[1]:size(), name)
    end
  end
end

function s.generation()
  torch.manual_seed(2)
  local m = models.gpt { vocab_size = 20, n_positions = 12, n_embd = 8, n_layer = 1, n_head = 2 }
  local ids = torch.tensor { { 1, 2 }, { 3, 4 } }
  t:assert(m.training)
  local g = torch.Generator()
  local function drawn(options)
    options.generator = g:manual_seed(5)
    return m:generate(ids, options)
  end
  t:assert(drawn { max_new_tokens = 8, temperature = 2. }:equal(drawn { max_new_tokens = 8, temperature = 2. }))
  t:assert(drawn { top_k = 1, max_new_tokens = 8 }:equal(m:generate(ids, 8)), 'the likeliest only')
  t:assert(drawn { top_p = 1e-9, max_new_tokens = 8 }:equal(m:generate(ids, 8)), 'the likeliest only')
  t:assert(m.training, 'the mode is restored')
  t:eq(m:generate(ids, { max_new_tokens = 0 }):tolist(), ids:tolist())
  local first = m:generate(ids, 1):select(2, 3)
  local ended = m:generate(ids, { max_new_tokens = 6, eos_token_id = first[1]:item() })
  t:eq(ended[{ 1, -1 }]:item(), first[1]:item(), 'a row that has ended stays so')
  local decoder = require 'models.decoder'
  local logits = torch.tensor { { 0.1, 0.6, 0.3 } }:log()
  t:eq(decoder.filtered(logits, 2):softmax(2):mul(9):round():int():tolist(), { { 0, 6, 3 } })
  t:eq(decoder.filtered(logits, nil, 0.7):softmax(2):mul(9):round():int():tolist(), { { 0, 6, 3 } })
  t:eq(decoder.filtered(logits, nil, 0.6):softmax(2):mul(9):round():int():tolist(), { { 0, 9, 0 } })
  t:fails(function() m:generate(ids, 30) end, '13 tokens are more than the 12 positions of the model')
  t:fails(function() m:generate(ids, { temperature = 0 }) end, 'temperature must be above 0, not 0')
  t:fails(function() m:generate(ids, { top_p = 2 }) end, 'top_p must be above 0 and at most 1, not 2')
  t:fails(function() m:generate(ids, { length = 2 }) end, "no argument is named 'length'")
  t:fails(function() m:generate(3) end, 'ids must be a tensor of tokens')
end

function s.errors()
  for _, m in ipairs {
    { function() models.resnet20() end, "models.lua:%d+: models: no model is named 'resnet20'; there are alexnet, bert" },
    { function() models.resnet18 { classes = 3 } end, "models.lua:%d+: models.resnet18: no option is named 'classes'; it has groups" },
    { function() models.resnet18 { num_classes = 'a' } end, 'option num_classes must be an integer from 0, not a' },
    { function() models.resnet18 { width = 4.5 } end, 'option width must be an integer from 0, not 4.5' },
    { function() models.resnet18 { layers = 3 } end, 'option layers must be a table, not 3' },
    { function() models.resnet18 { layers = { 2, 0 } } end, 'option layers must be a list of integers from 1, not a table' },
    { function() models.googlenet { aux_logits = 1 } end, 'option aux_logits must be true or false, not 1' },
    { function() models.convnext_tiny { depths = { 1 } } end, 'depths has 1 sizes, widths 4' },
    { function() models.shufflenet_v2_x1_0 { stages_repeats = { 1 } } end, 'stages_repeats has 3 sizes' },
    { function() models.resnet18(7) end, 'expects named options, got number' },
    { function() models.resnet18 { weights = '/nowhere.pth' } end, "weights: cannot open '/nowhere.pth'" },
    { function() models.resnet18 { weights = 3 } end, 'weights must be the path of a file or a folder, not number' },
    { function() models.resnet18 { weights = folder .. 'vit_b_16.safetensors' } end, 'models.lua:%d+: models.resnet18: weights: the state dict does not fit models.ResNet' },
    { function() models.vit_b_16 { image_size = 30 } end, 'image_size 30 does not divide by patch_size 16' },
    { function() models.gpt { n_head = 5 } end, 'n_embd 768 does not divide by n_head 5' },
    { function() models.llama { num_key_value_heads = 5 } end, 'num_attention_heads 32 does not divide by num_key_value_heads 5' },
    { function() models.bert { hidden_act = 'relu' } end, "hidden_act 'relu' is not there, gelu is" },
    { function() models.vit_b_16(small.vit_b_16)(torch.randn(1, 3, 32, 32)) end, 'expects images of 64 x 64, got 32 x 32' },
  } do
    local ok, message = pcall(m[1])
    t:assert(not ok and tostring(message):find(m[2]), tostring(message))
  end
end

-- A config.json of others does not make a model that its weights do not have.
function s.strange_config()
  local dir = os.tmpname()
  os.remove(dir)
  assert(os.execute('mkdir ' .. dir))
  torch.save({ a = torch.ones(2) }, dir .. '/model.safetensors')
  for config, text in pairs {
    ['{"n_layer": 1000000000, "n_embd": 8, "n_head": 2, "vocab_size": 10}'] = 'n_layer is 1000000000, and the weights have 1 tensors',
    ['{"n_layer": "many"}'] = 'option n_layer must be an integer from 0, not many',
  } do
    local file <close> = assert(io.open(dir .. '/config.json', 'w'))
    file:write(config):flush()
    local ok, message = pcall(models.gpt, { weights = dir })
    t:assert(not ok and tostring(message):find(text, 1, true), tostring(message))
  end
  os.execute('rm -r ' .. dir)
end

function s.old_names()
  local common = require 'models.common'
  t:eq(common.divisible(116 * 0.5), 56)
  local m = models.densenet121 { growth_rate = 4, block_config = { 1, 1 }, num_init_features = 8 }
  local path = os.tmpname()
  local old = {}
  for key, value in pairs(m:state_dict { base = 0 }) do
    if not key:find('num_batches_tracked') then old[key:gsub('(denselayer%d+%.%a+)([12])%.', '%1.%2.')] = value end
  end
  torch.save(old, path)
  local n = models.densenet121 { growth_rate = 4, block_config = { 1, 1 }, num_init_features = 8, weights = path }
  t:assert(n.classifier.weight:equal(m.classifier.weight))
  local options = { vocab_size = 9, hidden_size = 4, num_hidden_layers = 1, num_attention_heads = 2, intermediate_size = 5, max_position_embeddings = 7 }
  local bert = models.bert(options)
  old = { ['cls.predictions.bias'] = torch.zeros(9), ['bert.embeddings.position_ids'] = torch.zeros(1, 7) }
  for key, value in pairs(bert:state_dict { base = 0 }) do
    key = key:gsub('LayerNorm%.weight', 'LayerNorm.gamma'):gsub('LayerNorm%.bias', 'LayerNorm.beta')
    old['bert.' .. key] = value
  end
  torch.save({ state_dict = old, epoch = 3 }, path)
  options.weights = path
  t:assert(models.bert(options).pooler.dense.weight:equal(bert.pooler.dense.weight))
  os.remove(path)
end

t:add(s):run()
