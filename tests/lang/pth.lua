-- PyTorch's files from scripts: state dicts under PyTorch's names, plain values, and what is refused.
local t, s = torch.Tester(), torch.TestSuite()
local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
local function path(name) return root .. '/tests/golden/pth/' .. name .. '.pth' end

function s.state_dicts_load_under_pytorchs_names()
  local m = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.Linear(3, 2))
  local result = m:load_state_dict(torch.load(path 'state'), {base = 0})
  t:eq(#result.missing_keys + #result.unexpected_keys, 0)
  t:assert(torch.equal(m[1].weight, torch.arange(6):reshape(2, 3):float()), 'weight')
  t:assert(torch.equal(m[1].bias, torch.tensor {0.5, -1.5}), 'bias')
  t:fails(function() m:load_state_dict(torch.load(path 'state')) end, 'base')
end

function s.values_are_lua_values()
  local v = torch.load(path 'values')
  t:eq(v.int, 7)
  t:eq(math.type(v.long), 'integer')
  t:eq(v.none, nil)
  t:eq(v.tuple[2][2], 'x')
  t:eq(v.nested[1].a[1], false)
  t:eq(v.dtype, 'torch.float16')
  t:eq(torch.load(path 'adam').param_groups[1].lr, 0.125)
end

function s.schedules_and_arguments_of_load()
  local saved = torch.load(path 'schedule', 'cpu', {weights_only = true})
  t:eq(saved.bytes, 'a\0\x7f\x80\xff')
  local opt = optim.SGD({torch.zeros(1, {requires_grad = true})}, {lr = 0.1})
  local schedule = optim.lr_scheduler.MultiStepLR(opt, {3, 12, 12})
  schedule:load_state_dict(saved.schedule, {base = 0})
  t:eq(schedule.last_epoch, saved.schedule.last_epoch)
  t:eq(torch.load(path 'schedule', {weights_only = false, map_location = 'cpu'})['no bytes'], '')
  t:fails(function() torch.load(path 'schedule', {weight_only = true}) end, "did you mean 'weights_only'?")
  t:fails(function() torch.load(path 'schedule', {weights_only = 1}) end, 'weights_only')
end

function s.what_is_code_is_refused()
  t:fails(function() torch.load(path 'model') end, "'torch.nn.modules.container.Sequential'", 'state_dict()')
  t:fails(function() torch.load(path 'old') end, 'before version 1.6')
end

t:add(s):run()
