-- Tensors print as PyTorch prints them: the cases of tests/golden/printing.json.
local t, s = torch.Tester(), torch.TestSuite()
local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
package.path = root .. '/tests/golden/?.lua;' .. package.path
local read = require 'read'

local function build(case)
  local values = case.values
  if values.arange then
    local list = {}
    for i = 0, values.arange - 1 do list[i + 1] = i * values.scale end
    values = list
  end
  local numbers = {}
  local float = case.dtype:find('float')
  for i, v in ipairs(values) do
    if v == 'nan' then v = 0 / 0 elseif v == 'inf' then v = 1 / 0 elseif v == '-inf' then v = -1 / 0 end
    if v == true then v = 1 elseif v == false then v = 0 end
    v = tonumber(v)
    numbers[i] = float and v * 1.0 or v
  end
  local wide = torch.tensor(numbers, {dtype = float and torch.float64 or torch.int64})
  local x = wide:to(case.dtype):reshape(case.shape)
  return case.requires_grad and x:requires_grad_() or x
end

function s.as_pytorch()
  local cases = read.json(read.text(root .. '/tests/golden/printing.json')).cases
  t:gt(#cases, 100)
  local x = torch.ones(2, 2, {requires_grad = true})
  local expressions = {['x + 2'] = x + 2, ['(x * x):sum()'] = (x * x):sum(), ['x:exp():mean()'] = x:exp():mean()}
  for i, case in ipairs(cases) do
    local got
    if case.size then
      got = tostring(torch.Size(case.size))
    elseif case.name then
      got = tostring(torch[case.name])
    elseif case.expression then
      got = tostring(expressions[case.expression])
    else
      torch.set_printoptions(case.options)
      got = tostring(build(case))
      torch.set_printoptions {profile = 'default', sci_mode = torch.none}
    end
    t:eq(got, case.text, 'case ' .. i)
  end
end

function s.other_places()
  t:eq(tostring(torch.zeros(2, 3):to('meta')), "tensor(..., device='meta', size=(2, 3))")
  t:eq(tostring(torch.arange(4):float():reshape(2, 2):t()), 'tensor([[0., 2.],\n        [1., 3.]])')
  t:fails(function() torch.set_printoptions {precison = 3} end, "did you mean 'precision'")
  for name, least in pairs {precision = 0, threshold = 0, edgeitems = 0, linewidth = 1} do
    t:fails(function() torch.set_printoptions {[name] = least - 1} end, name .. ' is from ' .. least)
  end
end

t:add(s):run()
