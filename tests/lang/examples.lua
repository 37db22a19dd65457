-- The programs of share/examples run with small sizes and learn something.
local root = os.getenv 'LUTH_SOURCE' or '.'
local t, s = torch.Tester(), torch.TestSuite()

local function run(name, ...)
  local quiet = setmetatable({ print = function() end }, { __index = _G })
  return assert(loadfile(root .. '/share/examples/' .. name .. '.lua', 't', quiet))(...)
end

function s.resnet() t:assert(run('resnet', 1, 3200, 8) > 0.3, 'better than chance') end
function s.seq2seq()
  local right, loss = run('seq2seq', 60, 32)
  t:assert(right >= 0 and loss < 2, 'a guess has 2.56')
end
function s.gpt() t:assert(run('gpt', 30, 32, 1) < 3.8, 'a guess has 4.17') end

t:add(s):run()
