-- Tokens of a Lua 5.4 chunk that Lua has accepted: {kind, text, line}, kind being 'name', 'word' (of Lua), 'number',
-- 'string', 'op' or 'end'.
local words = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true until
    while]]):gmatch('%a+') do
  words[word] = true
end

local operators = {}  -- by length
for i, list in ipairs { '+-*/%^#&~|<>=(){}[];:,.', '== ~= <= >= // :: << >> ..', '...' } do
  operators[i] = {}
  for op in list:gmatch(i == 1 and '.' or '%S+') do operators[i][op] = true end
end

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
  while true do
    local _, last = self.text:find('^%s+', self.at)
    if last then
      self:count(self.at, last)
      self.at = last + 1
    elseif self.text:find('^%-%-', self.at) then
      local stop = self:long_end(self.at + 2) or (self.text:find('\n', self.at, true) or #self.text + 1) - 1
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
  local at, line = self.at, self.line
  if at > #self.text then return { kind = 'end', text = '<end>', line = line } end
  local kind, last = 'op', nil
  if self.text:find('^[%a_]', at) then
    last = select(2, self.text:find('^[%w_]+', at))
    kind = words[self.text:sub(at, last)] and 'word' or 'name'
  elseif self.text:find('^%.?%d', at) then
    kind, last = 'number', self:number_end()
  elseif self.text:find('^["\']', at) then
    kind, last = 'string', self:quoted_end()
  elseif self:long_end(at) then
    kind, last = 'string', self:long_end(at)
  else
    for length = 3, 1, -1 do
      if operators[length][self.text:sub(at, at + length - 1)] then
        last = at + length - 1
        break
      end
    end
    last = last or at
  end
  self:count(at, last)
  self.at = last + 1
  return { kind = kind, text = self.text:sub(at, last), line = line }
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
