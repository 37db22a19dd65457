-- Tokens of a Lua 5.4 chunk that Lua has accepted: {kind, text, line}, kind being 'name', 'word' (of Lua), 'number',
-- 'string', 'op' or 'end'.
local words = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true until
    while]]):gmatch('%a+') do
  words[word] = true
end

local pairs_of_signs = {}  -- operators of two characters
for op in ('== ~= <= >= // :: << >> ..'):gmatch '%S+' do pairs_of_signs[op] = true end

local Lexer = {}
Lexer.__index = Lexer

-- Counts the lines of text[from, to].
function Lexer:count(from, to)
  for _ in self.text:sub(from, to):gmatch('\n') do self.line = self.line + 1 end
end

-- Where a long bracket [==[ … ]==] that opens at `at` ends, or nil where none opens there.
function Lexer:long_end(at)
  local level = self.text:match('^%[(=*)%[', at)
  if not level then return nil end
  local _, last = self.text:find(']' .. level .. ']', at, true)
  return last or #self.text
end

function Lexer:skip_blank()
  local text = self.text
  while true do
    self.at = text:match('^[ \t\r\f\v]*()', self.at)
    local a, b = text:byte(self.at, self.at + 1)
    if a == 10 then self.at, self.line = self.at + 1, self.line + 1
    elseif a == 45 and b == 45 then
      local stop = self:long_end(self.at + 2) or (text:find('\n', self.at, true) or #text + 1) - 1
      self:count(self.at, stop)
      self.at = stop + 1
    else
      return
    end
  end
end

-- The end of a quoted string that begins at self.at.
function Lexer:quoted_end()
  local quote, i = self.text:sub(self.at, self.at), self.at + 1
  while i <= #self.text do
    local c = self.text:sub(i, i)
    if c == quote then return i end
    i = i + (c == '\\' and 2 or 1)
  end
  return #self.text
end

function Lexer:number_end()
  local hex = self.text:match('^0[xX][%x%.]*[pP]?()', self.at)
  local stop = hex or self.text:match('^[%d%.]+[eE]?()', self.at)
  if self.text:find(hex and '^[pP]' or '^[eE]', stop - 1) then stop = self.text:match('^[+-]?%d*()', stop) end
  return stop - 1
end

function Lexer:next()
  self:skip_blank()
  local text, at, line = self.text, self.at, self.line
  if at > #text then return { kind = 'end', text = '<end>', line = line } end
  local name = text:match('^[%a_][%w_]*', at)
  if name then
    self.at = at + #name
    return { kind = words[name] and 'word' or 'name', text = name, line = line }
  end
  local kind, last = 'op', nil
  if text:find('^%.?%d', at) then
    kind, last = 'number', self:number_end()
  elseif text:find('^["\']', at) then
    kind, last = 'string', self:quoted_end()
  else
    last = self:long_end(at)
    kind = last and 'string' or 'op'
  end
  if not last then last = pairs_of_signs[text:sub(at, at + 1)] and (text:find('^%.%.%.', at) and at + 2 or at + 1) or at end
  if kind == 'string' then self:count(at, last) end
  self.at = last + 1
  return { kind = kind, text = text:sub(at, last), line = line }
end

-- All tokens of a text; a first line that begins with # is none of Lua's.
return function(text)
  local lexer = setmetatable({ text = text, at = 1, line = 1 }, Lexer)
  if text:sub(1, 3) == '\xEF\xBB\xBF' then lexer.at = 4 end
  if text:find('^#', lexer.at) then lexer.at = text:find('\n', 1, true) or #text + 1 end
  local tokens = {}
  repeat
    tokens[#tokens + 1] = lexer:next()
  until tokens[#tokens].kind == 'end'
  return tokens
end
