-- A document of an editor: its text, what luth check says of it, and its variables.
local check = require 'luth.check'
local kinds = require 'luth.check.kinds'

local Document = {}
Document.__index = Document

local function new(uri, text, encoding)
  local self = setmetatable({ uri = uri, encoding = encoding, variables = {} }, Document)
  self:set(text)
  return self
end

function Document:set(text)
  local lines = { 1 }
  for at in text:gmatch '\n()' do lines[#lines + 1] = at end  -- an error where it is no text, which then changes nothing
  self.text, self.lines = text, lines
end

-- ---- places ----------------------------------------------------------------------------------------------------------

-- How many units of UTF-16 a letter of `bytes` bytes takes.
local function units(bytes) return bytes == 4 and 2 or 1 end

--- The byte, from 1, of a position {line, character}, both from 0; positions beyond a line or the text are at its end.
function Document:byte_at(position)
  local from = self.lines[position.line + 1]
  if not from then return #self.text + 1 end
  local stop = (self.lines[position.line + 2] or #self.text + 2) - 1
  if self.encoding == 'utf-8' then return math.min(from + position.character, stop) end
  local at, left = from, position.character
  while left > 0 and at < stop do
    local bytes = utf8.offset(self.text, 2, at)
    bytes = bytes and bytes - at or 1
    left, at = left - units(bytes), at + bytes
  end
  return math.min(at, stop)
end

-- The length of a line in the editor's units.
function Document:length_of(line)
  local text = self:line(line)
  if self.encoding == 'utf-8' then return #text end
  local sum = 0
  for letter in text:gmatch '[\0-\127\192-\255][\128-\191]*' do sum = sum + units(#letter) end
  return sum
end

--- The text of a line, from 1, without its end.
function Document:line(line)
  local from = self.lines[line]
  return from and (self.text:sub(from, (self.lines[line + 1] or #self.text + 2) - 1):gsub('\r?\n$', '')) or ''
end

--- A change of the protocol: of a range, or of all.
function Document:change(change)
  if not change.range then return self:set(change.text) end
  local from, to = self:byte_at(change.range.start), self:byte_at(change.range['end'])
  if to < from then from, to = to, from end
  local first, count = math.min(change.range.start.line, change.range['end'].line) + 1, #self.lines
  self:set(self.text:sub(1, from - 1) .. change.text .. self.text:sub(to))
  for _, v in ipairs(self.variables) do  -- they are of an older text until this one is a chunk
    if v.line > first then v.line = v.line + #self.lines - count end
    if v.last >= first then v.last = v.last + #self.lines - count end
  end
end

-- ---- what is known ---------------------------------------------------------------------------------------------------

--- A position as {text, byte, line = where its line begins, kinds}: of the variables that are seen there, by name, their kinds
--- or 'unknown'. They are those of the last text that was a chunk.
function Document:place(position)
  local byte, line, seen = self:byte_at(position), position.line + 1, {}
  for _, v in ipairs(self.variables) do
    if v.line <= line and line <= v.last then seen[v.name] = kinds.kind_of_variable(v) or 'unknown' end
  end
  return { text = self.text, byte = byte, line = self.lines[line] or byte, kinds = seen }
end

--- The findings of luth check as diagnostics.
function Document:diagnostics()
  local out = {}
  local findings, variables = check.text(self.text)
  for i, finding in ipairs(findings) do
    local line = math.min(finding.line, #self.lines)
    local indent = #self:line(line):match '^%s*'
    out[i] = { range = { start = { line = line - 1, character = indent }, ['end'] = { line = line - 1, character = self:length_of(line) } },
               severity = 2, source = 'luth', message = finding.text }
  end
  if variables then self.variables = variables elseif out[1] then out[1].severity = 1 end
  return out
end

return { new = new }
