-- torch.autocast from Lua: both forms, options, nesting, what it leaves alone, a module that trains in it.
local t, s = torch.Tester(), torch.TestSuite()
local bf16, f16, f32 = torch.bfloat16, torch.float16, torch.float32

function s.scope()
  local x = torch.ones(2, 2)
  do
    local _ <close> = torch.autocast('cpu')
    t:eq((x:mm(x)).dtype, bf16)
    t:eq(torch.is_autocast_enabled('cpu'), true)
    t:eq(torch.is_autocast_enabled(), true)
    t:eq(torch.is_autocast_enabled('cuda'), false)
    t:eq(torch.softmax(x:mm(x), 1).dtype, f32)
    t:eq(x:double():mm(x:double()).dtype, torch.float64)
    do
      local _ <close> = torch.autocast('cpu', { enabled = false })
      t:eq(x:mm(x).dtype, f32)
    end
    do
      local _ <close> = torch.autocast('cpu', { dtype = f16 })
      t:eq(x:mm(x).dtype, f16)
      t:eq(torch.get_autocast_dtype('cpu'), f16)
    end
    t:eq(x:mm(x).dtype, bf16)
    local _ <close> = torch.amp.autocast('cuda')
    t:eq(x:mm(x).dtype, bf16)
  end
  t:eq(x:mm(x).dtype, f32)
  t:eq(torch.is_autocast_enabled(), false)
  t:eq(torch.get_autocast_dtype(), bf16)
end

function s.functions()
  local x = torch.ones(2, 2)
  local function f(a, b) return a:mm(b).dtype, 7 end
  t:eq(table.pack(torch.autocast('cpu', f, x, x)), { bf16, 7, n = 2 })
  t:eq((torch.autocast('cpu', { dtype = f16 }, f, x, x)), f16)
  t:eq((torch.autocast('cpu', f16, f, x, x)), f16)
  t:eq((torch.autocast('cpu', nil, false, f, x, x)), f32)
  t:eq((torch.autocast(torch.device('cpu'), bf16, { cache_enabled = false }, f, x, x)), bf16)
  t:fails(function() torch.autocast('cpu', function() error('inside') end) end, 'inside')
  t:eq(torch.is_autocast_enabled(), false)
  t:eq(torch.autocast('cpu', { cache_enabled = false }, torch.is_autocast_cache_enabled), false)
  t:eq(torch.is_autocast_cache_enabled(), true)
end

function s.arguments()
  t:fails(function() torch.autocast() end, 'expects a device')
  t:fails(function() torch.autocast('gpu') end, "'gpu' is no device")
  t:fails(function() torch.autocast('cpu', { dtype = f32 }) end, 'torch.bfloat16 or torch.float16', 'float32')
  t:fails(function() torch.autocast('cpu', { typ = bf16 }) end, 'typ')
  t:fails(function() torch.autocast('cpu', bf16, 3) end, "'enabled' expects true or false")
  t:fails(function() torch.autocast('cpu', bf16, true, true, 3) end, 'expects a function')
  t:eq(torch.is_autocast_enabled(), false)
end

function s.closing_twice_and_by_hand()
  local scope = torch.autocast('cpu')
  scope:close()
  scope:close()
  t:eq(torch.is_autocast_enabled(), false)
end

function s.losses()
  local _ <close> = torch.autocast('cpu')
  local p = torch.sigmoid(torch.ones(2, 2):mm(torch.ones(2, 2)))
  t:fails(function() F.binary_cross_entropy(p, torch.ones(2, 2)) end, 'binary_cross_entropy_with_logits', 'bfloat16')
  local logits = nn.Linear(3, 4)(torch.randn(5, 3))
  t:eq(logits.dtype, bf16)
  t:eq(F.cross_entropy(logits, torch.tensor { 1, 2, 3, 4, 1 }).dtype, f32)
end

-- A net with convolution and batch norm learns, its parameters and gradients in float32.
function s.training()
  torch.manual_seed(1)
  local net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                            nn.Linear(36, 3))
  local o = optim.SGD(net:parameters(), { lr = 0.1 })
  local x, y = torch.randn(12, 1, 8, 8), torch.randint(1, 4, { 12 })
  local first, last
  for step = 1, 30 do
    local loss
    do
      local _ <close> = torch.autocast('cpu', { dtype = bf16 })
      loss = F.cross_entropy(net(x), y)
    end
    o:zero_grad()
    loss:backward()
    for _, p in ipairs(net:parameters()) do
      t:eq(p.dtype, f32)
      t:eq(p.grad.dtype, f32)
    end
    o:step()
    first, last = first or loss:item(), loss:item()
  end
  t:assert(last < first / 2, string.format('the loss went from %g to %g', first, last))
end

t:add(s):run()
