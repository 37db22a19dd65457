-- The parts of luth that are Lua compute on a GPU what they compute on the CPU: models, distributions, nn.utils.
local t, s = torch.Tester(), torch.TestSuite()
local models = require 'models'

local function same(a, b, what) t:assert(b.is_cuda and a:allclose(b:cpu(), { rtol = 1e-4, atol = 1e-4 }), what) end

function s.vision()
  torch.manual_seed(1)
  local x = torch.randn(2, 3, 16, 16)
  for name, options in pairs {
    resnet18 = { width = 4, num_classes = 3 }, mobilenet_v3_small = { width_mult = 0.125, num_classes = 3 },
    vit_b_16 = { image_size = 16, patch_size = 8, num_layers = 1, num_heads = 2, hidden_dim = 16, mlp_dim = 32 },
    convnext_tiny = { widths = { 4, 8 }, depths = { 1, 1 }, stochastic_depth_prob = 0.5 }, unet = { width = 2, depth = 2 },
  } do
    local m = models[name](options):eval()
    local expected = m(x)
    same(expected, m:cuda()(x:cuda()), name)
    m:train()(x:cuda()):sum():backward()
  end
end

function s.text()
  torch.manual_seed(2)
  local ids = torch.tensor { { 1, 2, 3 }, { 4, 5, 6 } }
  for name, options in pairs {
    gpt = { vocab_size = 20, n_positions = 12, n_embd = 8, n_layer = 1, n_head = 2 },
    llama = { vocab_size = 20, hidden_size = 16, intermediate_size = 24, num_hidden_layers = 1, num_attention_heads = 4, num_key_value_heads = 2 },
    bert = { vocab_size = 20, hidden_size = 16, intermediate_size = 24, num_hidden_layers = 1, num_attention_heads = 4 },
  } do
    local m = models[name](options):eval()
    local expected, more = m(ids), m.generate and m:generate(ids, { max_new_tokens = 4 })
    m:cuda()
    same(expected, (m(ids:cuda())), name)
    if more then
      t:assert(m:generate(ids:cuda(), { max_new_tokens = 4 }):cpu():equal(more), name)
      t:assert(m:generate(ids:cuda(), { max_new_tokens = 2, top_k = 5, top_p = 0.9, temperature = 0.7 }).is_cuda)
    end
  end
end

function s.distributions()
  local D = torch.distributions
  local function v(...) return torch.tensor({ ... }, { device = 'cuda' }) end
  for _, d in ipairs {
    D.Normal(v(0., 1.), 2), D.MultivariateNormal(v(0., 1.), torch.eye(2, { device = 'cuda' })), D.Bernoulli(v(0.5, 0.2)),
    D.Categorical(v(0.5, 2.)), D.OneHotCategorical(v(0.5, 2.)), D.Uniform(v(0., 1.), 2), D.Exponential(v(1., 2.)), D.Gamma(v(0.5, 2.), 1),
    D.Beta(v(0.5, 2.), 1), D.Dirichlet(v(0.5, 2.)), D.Laplace(v(0., 1.), 2), D.StudentT(v(3., 5.)), D.Poisson(v(0.5, 2.)),
    D.Binomial(5, v(0.5, 0.2)), D.LogNormal(v(0., 1.), 1), D.Independent(D.Normal(v(0., 1.), 2), 1),
  } do
    local x = d:sample { 3 }
    t:assert(x.is_cuda and d:log_prob(x).is_cuda and d.mean.is_cuda, tostring(d))
  end
  local c = v(0.5, 2.):requires_grad_()
  D.Gamma(c, 1):rsample { 4 }:sum():backward()
  t:assert(c.grad.is_cuda)
end

function s.utils()
  torch.manual_seed(3)
  local u = nn.utils
  for _, f in ipairs {
    u.weight_norm, u.spectral_norm, u.parametrizations.weight_norm, u.parametrizations.spectral_norm, u.parametrizations.orthogonal,
    function(m) return u.prune.l1_unstructured(m, 'weight', 0.5) end,
  } do
    local m, x = f(nn.Linear(3, 3)):eval(), torch.ones(1, 3)
    local expected = m(x)
    same(expected, m:cuda()(x:cuda()))
    m:train()(x:cuda()):sum():backward()
  end
end

t:add(s):run()
