-- luth lsp before a scripted client: messages go in as a file, answers come out as one.
local native = require 'luth.native'

local folder = os.tmpname()
os.remove(folder)
native.mkdirs(folder)

local function framed(text) return ('Content-Length: %d\r\n\r\n%s'):format(#text, text) end

-- The answers to messages, tables or texts; and the exit code.
local function serve(messages)
  local input <close> = assert(io.open(folder .. '/in', 'wb'))
  for _, m in ipairs(messages) do
    if type(m) == 'table' then m = framed(native.json_encode(m)) end
    input:write(m)
  end
  input:close()
  local _, _, code = os.execute(("'%s' lsp --stdio <'%s/in' >'%s/out' 2>'%s/err'"):format(native.program(), folder, folder, folder))
  local output <close> = assert(io.open(folder .. '/out', 'rb'))
  local text, list, at = output:read 'a', {}, 1
  while at <= #text do
    local length, from = text:match('^Content%-Length: (%d+)\r\n\r\n()', at)
    list[#list + 1] = native.json_decode(text:sub(from, from + length - 1))
    at = from + length
  end
  return list, code
end

local function said() return native.read(folder .. '/err', 1 << 20, 1) end

local uri = 'file:///a.lua'
local function request(id, method, params) return { jsonrpc = '2.0', id = id, method = method, params = params } end
local function open(text)
  return { jsonrpc = '2.0', method = 'textDocument/didOpen', params = { textDocument = { uri = uri, languageId = 'lua', version = 1, text = text } } }
end
local function at(id, method, line, character)
  return request(id, 'textDocument/' .. method, { textDocument = { uri = uri }, position = { line = line, character = character } })
end
local function change(...) return { jsonrpc = '2.0', method = 'textDocument/didChange', params = { textDocument = { uri = uri, version = 2 }, contentChanges = { ... } } } end
local start = request(1, 'initialize', { capabilities = {}, processId = 1 })
local last, exit = request(99, 'shutdown'), { jsonrpc = '2.0', method = 'exit' }

-- The answer to the request of a number, or the parameters of the notifications of a method.
local function answer(list, id)
  for _, m in ipairs(list) do
    if m.id == id then return m.result, m.error end
  end
end
local function notified(list, method)
  local found = {}
  for _, m in ipairs(list) do
    if m.method == method then found[#found + 1] = m.params end
  end
  return found
end
local function labels(result)
  local out = {}
  for _, item in ipairs(result.items) do out[item.label] = item end
  return out
end

-- ---- a session -------------------------------------------------------------------------------------------------------

local text = "local x = torch.ones(3)\nx:add(1)\nlocal net = nn.Linear(2, 3, { })\n-- größe\nlocal y = torch.topk(x, 2)\nx:\n"
local list, code = serve { start, { jsonrpc = '2.0', method = 'initialized' }, open(text:gsub('x:\n$', '')), change { text = text },
  at(2, 'hover', 4, 18), at(3, 'completion', 4, 18), at(4, 'completion', 5, 2), at(5, 'completion', 2, 30), at(6, 'signatureHelp', 4, 22), at(7, 'hover', 3, 4),
  at(8, 'hover', 1, 3), last, exit }
assert(code == nil or code == 0, code)
assert(answer(list, 1).capabilities.hoverProvider == true and answer(list, 1).capabilities.positionEncoding == 'utf-16')
local published = notified(list, 'textDocument/publishDiagnostics')
assert(#published == 2 and published[1].uri == uri)
local first = published[1].diagnostics[1]
assert(first.message:find('x:add gives a new tensor', 1, true) and first.range.start.line == 1 and first.range['end'].character == 8 and first.severity == 2)
assert(published[2].diagnostics[1].severity == 1, 'a syntax error')
assert(answer(list, 2).contents.value:find('^```lua\ntorch%.topk%(') and answer(list, 7) == nil)
assert(answer(list, 8).contents.value:find 'add%(')
assert(labels(answer(list, 3)).topk.detail:find('torch.topk(', 1, true) and not labels(answer(list, 3)).softmax)
local methods = labels(answer(list, 4))
assert(methods.add and methods.backward and methods.to and not methods.Linear)
local options = labels(answer(list, 5))
assert(options.bias.detail == 'bias = true' and options.bias.kind == 10)
assert(answer(list, 6).signatures[1].label:find('topk(', 1, true))

-- Changes of ranges count letters in UTF-16: 😀 is two.
list = serve { start, open "local s = '😀ä' print(sum)\n", change { range = { start = { line = 0, character = 22 }, ['end'] = { line = 0, character = 25 } }, text = 's' }, last, exit }
published = notified(list, 'textDocument/publishDiagnostics')
assert(published[1].diagnostics[1].message:find "global 'sum' is nil" and #published[2].diagnostics == 0)
list = serve { request(1, 'initialize', { capabilities = { general = { positionEncodings = { 'utf-32', 'utf-8' } } } }), open "local s = 'ä' print(sum)\n",
  change { range = { start = { line = 0, character = 21 }, ['end'] = { line = 0, character = 24 } }, text = 's' }, last, exit }
assert(answer(list, 1).capabilities.positionEncoding == 'utf-8' and #notified(list, 'textDocument/publishDiagnostics')[2].diagnostics == 0)

-- A variable hides a name of luth; closing takes the findings away; a place beyond the text is its end.
list = serve { start, open 'local nn = {}\nnn.\n', at(2, 'completion', 1, 3), at(3, 'completion', 70, 3), at(4, 'hover', 0, 900),
  { jsonrpc = '2.0', method = 'textDocument/didClose', params = { textDocument = { uri = uri } } }, at(5, 'hover', 0, 0), last, exit }
assert(labels(answer(list, 3)).torch and answer(list, 4) == nil)
assert(#notified(list, 'textDocument/publishDiagnostics')[2].diagnostics == 0)
assert(select(2, answer(list, 5)).message:find('is not open', 1, true))

-- Of a long document no more is read for an answer than what is near: each brace of a large table once had all of it searched.
local Document, answers = require 'luth.lsp.document', require 'luth.lsp.answers'
local long = ('local abc = 1\n'):rep(1000) .. 'x = ' .. ('{\n'):rep(100) .. 'torch.'
local place, most = Document.new('u', long, 'utf-8'):place { line = 1100, character = 6 }, 0
place.text = setmetatable({ find = function(_, ...) return long:find(...) end, sub = function(_, ...)
  local part = long:sub(...)
  most = math.max(most, #part)
  return part
end }, { __len = function() return #long end })
assert(#answers.completion(place) > 100)
assert(answers.signature(place) == nil and most <= 200, most)

-- A variable is seen in its block alone, also while its kind is not known and while the text is no chunk.
local function seen(line, word, ...)
  local l = serve { start, open 'local function outer(given)\n  local made = given.x\n  print(made)\nend\nprint(1)\n', at(2, 'completion', line, 0), ... }
  return labels(answer(l, 2))[word], l
end
assert(seen(2, 'given') and seen(2, 'made') and seen(2, 'outer'))
assert(not seen(4, 'given') and not seen(4, 'made') and seen(4, 'outer'))
local lines = { range = { start = { line = 1, character = 0 }, ['end'] = { line = 1, character = 0 } }, text = 'if given then\n\n\n' }
local _, l = seen(2, 'made', change(lines), at(3, 'completion', 5, 0), at(4, 'completion', 7, 0))
assert(labels(answer(l, 3)).made and labels(answer(l, 3)).given and not labels(answer(l, 4)).given)

-- ---- what is no message ----------------------------------------------------------------------------------------------

list, code = serve { at(2, 'hover', 0, 0), start, framed '{', framed '[1]', framed '', 'Nonsense: 3\r\nContent-Length: 2\r\n\r\n{}', request(3, 'textDocument/rename', {}),
  { jsonrpc = '2.0', method = 'textDocument/didOpen', params = {} }, request(4, 'textDocument/hover'), { jsonrpc = '2.0', id = 5 }, last }
assert(select(2, answer(list, 2)).code == -32002 and select(2, answer(list, 3)).code == -32601)
assert(select(2, answer(list, 4)).code == -32603 and select(2, answer(list, 5)).code == -32600)
local parse_errors, batches = 0, 0
for _, m in ipairs(list) do
  parse_errors = parse_errors + (m.error and m.error.code == -32700 and 1 or 0)
  batches = batches + (m.error and m.error.code == -32600 and m.id == nil and 1 or 0)
end
assert(parse_errors == 2 and batches == 2, parse_errors)
assert(#notified(list, 'window/logMessage') == 1 and (code == nil or code == 0))
list, code = serve { start, 'Content-Length: 50\r\n\r\n{"cut' }
assert(code == 1 and said():find('the input ended within a message: 5 of 50 bytes came', 1, true), said())  -- and without a shutdown
list, code = serve { 'Content-Length: 99999999999999999999999\r\n\r\n{}' }
assert(code == 2 and said():find('a message of 99999999999999991611392 bytes, more than luth lsp takes', 1, true), said())

-- Names of headers may be written in any case, a header without length is no message, and a message longer than its header says costs only itself.
list, code = serve { 'CONTENT-LENGTH:  ' .. #native.json_encode(start) .. ' \r\n\r\n' .. native.json_encode(start), 'Content-Length: -5\r\n\r\n',
  'Content-Length: 5\r\n\r\n{"jsonrpc": "2.0"}', request(2, 'textDocument/hover'), last, request(3, 'textDocument/hover'), exit }
assert(answer(list, 1).capabilities and select(2, answer(list, 2)).code == -32603 and select(2, answer(list, 3)).code == -32600 and (code == nil or code == 0))

-- A change that cannot be leaves the document as it was; the ends of a range may come in any order.
local function range(from, to) return { start = { line = 0, character = from }, ['end'] = { line = 0, character = to } } end
list = serve { start, open 'torch.topkk(1)\n', change { text = 4 }, change { range = range(11, 10), text = '' }, at(2, 'hover', 0, 8), last, exit }
assert(#notified(list, 'window/logMessage') == 1 and answer(list, 2).contents.value:find('torch.topk(', 1, true))
os.execute("rm -r '" .. folder .. "'")
