-- luth lsp: diagnostics, hover, completion and signatures for editors, by the Language Server Protocol 3.17 over stdin and
-- stdout. It answers from the tables of luth check and help, and runs nothing of the files.
local answers = require 'luth.lsp.answers'
local native = require 'luth.native'
local Document = require 'luth.lsp.document'

local M = {}

local encode = native.json_encode
local codes = { parse = -32700, request = -32600, method = -32601, internal = -32603, early = -32002 }
local most_bytes = 64 * 2^20  -- of a message

local function write(text)
  io.stdout:write('Content-Length: ', #text, '\r\n\r\n', text)
  io.stdout:flush()
end

-- `result` is JSON.
local function reply(id, result) write(('{"jsonrpc":"2.0","id":%s,"result":%s}'):format(encode(id), result)) end
local function refuse(id, code, text)
  write(('{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}'):format(id == nil and 'null' or encode(id), code, encode(text)))
end
local function notify(method, params) write(('{"jsonrpc":"2.0","method":%s,"params":%s}'):format(encode(method), params)) end

-- An empty table is an object to JSON, so lists are put together here.
local function list(items)
  local texts = {}
  for i, item in ipairs(items) do texts[i] = encode(item) end
  return '[' .. table.concat(texts, ',') .. ']'
end

-- ---- documents -------------------------------------------------------------------------------------------------------

local documents, encoding = {}, 'utf-16'

local function publish(document)
  notify('textDocument/publishDiagnostics', ('{"uri":%s,"diagnostics":%s}'):format(encode(document.uri), list(document:diagnostics())))
end

local function open(uri, text)
  documents[uri] = Document.new(uri, text, encoding)
  publish(documents[uri])
end

local function document_of(params)
  local uri = params.textDocument and params.textDocument.uri
  return documents[uri] or error('the document ' .. native.foreign(tostring(uri), 100) .. ' is not open', 0)
end
local function place_of(params) return document_of(params):place(params.position) end

-- ---- requests and notifications --------------------------------------------------------------------------------------

local requests, notifications = {}, {}
local started, ended = false, false

function requests.initialize(params)
  local general = params.capabilities and params.capabilities.general
  for _, name in ipairs(general and general.positionEncodings or {}) do
    if name == 'utf-8' then encoding = 'utf-8' end
  end
  started = true
  return encode {
    serverInfo = { name = 'luth', version = native.version() },
    capabilities = {
      positionEncoding = encoding, textDocumentSync = { openClose = true, change = 2 }, hoverProvider = true,
      completionProvider = { triggerCharacters = { '.', ':', '{' } }, signatureHelpProvider = { triggerCharacters = { '(', ',' } },
    },
  }
end
function requests.shutdown()
  ended = true
  return 'null'
end
requests['textDocument/hover'] = function(params)
  local text = answers.hover(place_of(params))
  return text and encode { contents = { kind = 'markdown', value = text } } or 'null'
end
requests['textDocument/completion'] = function(params)
  return ('{"isIncomplete":false,"items":%s}'):format(list(answers.completion(place_of(params))))
end
requests['textDocument/signatureHelp'] = function(params)
  local signature = answers.signature(place_of(params))
  return signature and encode { signatures = { signature }, activeSignature = 0 } or 'null'
end

notifications['textDocument/didOpen'] = function(params) open(params.textDocument.uri, params.textDocument.text) end
notifications['textDocument/didChange'] = function(params)
  local document = document_of(params)
  for _, change in ipairs(params.contentChanges) do document:change(change) end
  publish(document)
end
notifications['textDocument/didClose'] = function(params)
  documents[params.textDocument.uri] = nil
  notify('textDocument/publishDiagnostics', ('{"uri":%s,"diagnostics":[]}'):format(encode(params.textDocument.uri)))
end

-- ---- messages --------------------------------------------------------------------------------------------------------

-- The next message as text, "" where its header has no length; nil at the end of the input.
local function read()
  local length, line = 0, nil
  repeat
    line = io.read 'L'
    if not line then return nil end
    -- behind a message that was longer than its header said, the next header stands at the end of a line
    length = tonumber(line:lower():match 'content%-length:%s*(%d+)%s*$') or length
  until not line:find '%S'
  if length > most_bytes then native.fail(2, ('a message of %.0f bytes, more than luth lsp takes'):format(length)) end
  local text = length == 0 and '' or io.read(length) or ''
  if #text < length then native.fail(1, ('the input ended within a message: %d of %d bytes came'):format(#text, length)) end
  return text
end

local function answer(message)
  local id, method, params = message.id, message.method, message.params or {}
  if type(method) ~= 'string' or type(params) ~= 'table' then
    if message.result == nil and message.error == nil then refuse(id, codes.request, 'a message without a method') end  -- as a batch is
    return
  end
  local handler = id ~= nil and requests[method] or id == nil and notifications[method]
  if id ~= nil and not started and method ~= 'initialize' then return refuse(id, codes.early, 'initialize comes first') end
  if id ~= nil and ended then return refuse(id, codes.request, 'after shutdown only exit follows') end
  if not handler then
    if id ~= nil then refuse(id, codes.method, 'luth lsp has no ' .. native.foreign(method, 60)) end
    return
  end
  local ok, result = pcall(handler, params)
  if not ok and tostring(result):find '^[^\n]*%.lua:%d+:' then result = 'a field of the message is missing, or of another kind' end
  if id == nil then
    if not ok then notify('window/logMessage', encode { type = 2, message = tostring(result) }) end
  elseif ok then reply(id, result) else refuse(id, codes.internal, tostring(result)) end
end

-- Garbage is collected between messages, when memory has doubled and there are 32 MB more: while a tree grows, all of it is in
-- use, and the trees of some changes are less.
local kept, more = 0, 32 * 1024
local function collect()
  if collectgarbage 'count' < math.max(2 * kept, kept + more) then return end
  collectgarbage()
  kept = collectgarbage 'count'
end

--- Serves until the editor says exit or closes the input. Returns the number of failures: 0 after a shutdown.
function M.run()
  collectgarbage 'stop'
  while true do
    collect()
    local text = read()
    if not text then return ended and 0 or 1 end
    local ok, message = pcall(native.json_decode, text)
    if not ok or type(message) ~= 'table' then
      refuse(nil, codes.parse, text == '' and 'a message without length' or 'a message that is no JSON object')
    elseif message.method == 'exit' then return ended and 0 or 1
    else answer(message) end
  end
end

return M
