-- Every name of luth's tables that a document has in its code exists: `torch.softmax`, `nn.Linear`, `x:relu()`.
local t, s = torch.Tester(), torch.TestSuite()
local root = (arg[0]:match '^(.*)/tests/lang/' or '.') .. '/'

local function read(path)
  local file = assert(io.open(root .. path))
  local text = file:read 'a'
  file:close()
  return text
end

local function documents()
  local list = { 'README.md', 'README.zh.md', 'CONTRIBUTING.md', 'SECURITY.md' }
  local found = io.popen(("cd '%s' && find share/doc -name '*.md'"):format(root))
  for path in found:lines() do list[#list + 1] = path end
  found:close()
  return list
end

-- The code in the text, blocks of Lua and spans in backticks, as {line, text}.
local function code_of(text)
  local list, fence, line = {}, nil, 0
  for row in (text .. '\n'):gmatch '(.-)\n' do
    line = line + 1
    local mark = row:match '^%s*```(.*)$'
    if mark then
      fence = not fence and mark or nil
    elseif fence then
      if fence:find '^lua' then list[#list + 1] = { line = line, text = row } end
    else
      for span in row:gmatch '`([^`]+)`' do list[#list + 1] = { line = line, text = span } end
    end
  end
  return list
end

-- Whether a.b.c exists, as far as tables go.
local function exists(path)
  local at = _G
  for part in path:gmatch '[^.]+' do
    if type(at) ~= 'table' and type(at) ~= 'userdata' then return true end
    local ok, value = pcall(function() return at[part] end)
    if not ok or value == nil then return false end
    at = value
  end
  return true
end

-- Names of others and of examples, and those that face.md reserves.
local meant = {}
for name in ([[torch.DoubleTensor nn.ClassNLLCriterion nn.SpatialConvolution torch.class torch.ops.mine.f nn.mine.M
    torch.distributed.pipelining torch.jit.trace torch.jit.load torch.compile torch.onnx.export torch.ops.mine.affine
    nn.mine.Rescale optim.cpp]]):gmatch '%S+' do
  meant[name] = true
end

local tables = { torch = true, nn = true, optim = true, data = true, F = true, plot = true }
local function names_that_do_not_exist(code)
  local missing = {}
  for before, path in (' ' .. code):gmatch '([^%w_.])(%a[%w_]*%.[%a_][%w_.]*)' do
    path = path:gsub('%.+$', '')
    if tables[path:match '^%a+'] and before ~= "'" and before ~= '/' and before ~= '"' and not exists(path) then missing[#missing + 1] = path end
  end
  return missing
end

function s.names_exist()
  local wrong, used, count = {}, {}, 0
  for _, path in ipairs(documents()) do
    for _, code in ipairs(code_of(read(path))) do
      count = count + 1
      for _, name in ipairs(names_that_do_not_exist(code.text)) do
        if not meant[name] then wrong[#wrong + 1] = ('%s:%d: %s'):format(path, code.line, name) end
        used[name] = true
      end
    end
  end
  t:assert(count > 2000, count)
  t:eq(#wrong, 0, table.concat(wrong, '\n'))
  for name in pairs(meant) do t:assert(used[name], name .. ' exists, or no document has it') end
end

function s.missing_names_are_found()
  t:eq(names_that_do_not_exist 'y = nn.Liner(2, torch.float32) + torch.nosuch.x', { 'nn.Liner', 'torch.nosuch.x' })
  t:eq(names_that_do_not_exist "F.relu(torch.nn.functional.relu(x)) 'torch.x' io.x", {})
end

t:add(s):run()
