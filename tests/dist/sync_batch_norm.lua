-- SyncBatchNorm: what the ranks compute together is what BatchNorm computes of the whole batch.
local t, s = torch.Tester(), torch.TestSuite()
local dist = torch.distributed
dist.init_process_group { timeout = 60 }
local rank, n = dist.get_rank(), dist.get_world_size()
local convert = nn.SyncBatchNorm.convert_sync_batchnorm

local function near(a, b, what)
  t:eq(a:size(), b:size(), what)
  if a:numel() > 0 then t:assert((a - b):abs():max():item() < 1e-9, what) end
end

-- The samples of all ranks, and the first of this rank's and their number.
local function share(sizes, shape)
  local total, first = 0, 1
  for r = 0, n - 1 do
    if r < rank then first = first + sizes(r) end
    total = total + sizes(r)
  end
  torch.manual_seed(5)
  return torch.randn({ total, table.unpack(shape) }, { dtype = torch.float64 }) * 3 + 7, first, sizes(rank)
end

-- The sum of a rank's tensors.
local function summed(x)
  local y = x:detach():clone()
  dist.all_reduce(y)
  return y
end

local function compare(whole, sizes, shape)
  local both = convert(whole:clone())
  t:eq(torch.typename(both), 'nn.SyncBatchNorm')
  for step = 1, 3 do
    local all, first, count = share(sizes, shape)
    all = all * step
    local x, part = all:clone():requires_grad_(), all:narrow(1, first, count):clone():requires_grad_()
    local y, z = whole(x), both(part)
    near(z, y:narrow(1, first, count), 'output')
    local w = torch.cos(all)
    whole:zero_grad()
    both:zero_grad();
    (y * y * w):sum():backward();
    (z * z * w:narrow(1, first, count)):sum():backward()
    near(part.grad, x.grad:narrow(1, first, count), 'gradient of the input')
    for name, p in both:named_parameters() do near(summed(p.grad), whole:get_parameter(name).grad, name) end
    for name, b in whole:named_buffers() do near(both:state_dict()[name]:double(), b:double(), name) end
  end
  if not whole.running_mean then return end
  local all, first, count = share(sizes, shape)
  whole:eval()
  both:eval()
  near(both(all:narrow(1, first, count)), whole(all):narrow(1, first, count), 'evaluation')
end

local function double(class, options)
  options = options or {}
  options.dtype = torch.float64
  local m = class(3, options)
  if m.weight then torch.no_grad(function() m.weight:uniform_(0.5, 2) m.bias:uniform_(-1, 1) end) end
  return m
end

function s.equalBatches() compare(double(nn.BatchNorm1d), function() return 4 end, { 3 }) end
function s.unevenBatches() compare(double(nn.BatchNorm2d), function(r) return r + 2 end, { 3, 2, 5 }) end
function s.aRankWithoutSamples() compare(double(nn.BatchNorm1d), function(r) return r == 0 and 4 or 0 end, { 3, 2 }) end
function s.volumes() compare(double(nn.BatchNorm3d), function(r) return 2 end, { 3, 2, 1, 2 }) end
function s.settings()
  compare(double(nn.BatchNorm1d, { momentum = torch.none }), function(r) return r + 1 end, { 3, 2 })
  compare(double(nn.BatchNorm1d, { affine = false, eps = 0.5 }), function(r) return r + 1 end, { 3, 2 })
  compare(double(nn.BatchNorm1d, { track_running_stats = false }), function(r) return r + 2 end, { 3, 2 })
end

function s.secondGradients()
  local all, first, count = share(function(r) return r + 2 end, { 3, 2 })
  local whole = double(nn.BatchNorm1d)
  local both = convert(whole:clone())
  local function slope(m, x)
    local g = torch.autograd.grad(m(x):pow(3):sum(), { x }, { create_graph = true })
    return torch.autograd.grad(g:pow(2):sum(), { x })
  end
  local part = all:narrow(1, first, count):clone():requires_grad_()
  near(slope(both, part) / 1e4, slope(whole, all:clone():requires_grad_()):narrow(1, first, count) / 1e4, 'second gradient')
end

function s.halfPrecision()
  local all, first, count = share(function(r) return r + 2 end, { 3, 4 })
  local m = nn.SyncBatchNorm(3)
  local x = all:narrow(1, first, count):to(torch.float16):requires_grad_()
  local y = m(x)
  t:eq(y.dtype, torch.float16)
  local expected = nn.BatchNorm1d(3)(all:float()):narrow(1, first, count)
  t:assert((y:float() - expected):abs():max():item() < 0.02)
  y:float():pow(2):sum():backward()
  t:eq(x.grad.dtype, torch.float16)
end

-- Data parallel training of a net with batch norms is training on the whole batch.
function s.inDistributedDataParallel()
  torch.manual_seed(6)
  local alone = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 2)):double()
  local ddp = nn.parallel.DistributedDataParallel(convert(alone:clone()), { bucket_cap_mb = 1e-4 })
  local a, b = optim.SGD(ddp:parameters(), { lr = 0.1 }), optim.SGD(alone:parameters(), { lr = 0.1 })
  for step = 1, 4 do
    local all, first, count = share(function() return 4 end, { 3 })
    all = all + step
    a:zero_grad()
    ddp(all:narrow(1, first, count)):pow(2):mean():backward()
    a:step()
    b:zero_grad()
    alone(all):pow(2):mean():backward()
    b:step()
  end
  for name, value in pairs(alone:state_dict()) do near(ddp.module:state_dict()[name]:double(), value:double(), name) end
end

function s.groups()
  if n < 3 then return end
  local group = dist.new_group({ 1, 2 })
  if rank < 1 or rank > 2 then return end
  local all = torch.randn(6, 3, { generator = torch.Generator():manual_seed(1) })
  local m = nn.SyncBatchNorm(3, { process_group = group })
  t:eq(m.process_group, group:name())
  local expected = nn.BatchNorm1d(3)(all)
  t:assert((m(all:narrow(1, 3 * rank - 2, 3)) - expected:narrow(1, 3 * rank - 2, 3)):abs():max():item() < 1e-5)
  t:eq(convert(nn.BatchNorm1d(3), group).process_group, group:name())
end

function s.filesAndErrors()
  local m = nn.SyncBatchNorm(3)
  t:eq(tostring(m), 'SyncBatchNorm(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)')
  local path = os.tmpname()
  torch.save(m, path)
  local back = torch.load(path, { weights_only = false })
  os.remove(path)
  t:eq(torch.typename(back), 'nn.SyncBatchNorm')
  local plain = nn.BatchNorm1d(3)
  plain:load_state_dict(back:state_dict())
  t:fails(function() m(torch.ones(4)) end, 'expects an input [N, C, …]')
  t:fails(function() m(torch.ones(4, 2)) end, 'expects num_features = 3')
  t:fails(function() nn.SyncBatchNorm(3, { process_group = 'none' })(torch.ones(4, 3)) end, "in no group 'none'")
  t:fails(function() nn.SyncBatchNorm(3, { process_group = 2 }) end, "argument 'process_group' expects a string")
  t:fails(function() m(torch.ones(rank == 0 and 1 or 0, 3)) end, 'more than one value per channel')
end

t:add(s)
t:run()
dist.destroy_process_group()
