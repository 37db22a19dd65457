-- The definitions for editors (types/torch.lua) are well formed: each block is Lua, each annotation is one of
-- LuaLS's, types parse and name classes that exist, every @param is a parameter of its function, nothing is defined twice.
local path = require('luth.native').share_dir() .. '/types/torch.lua'
local t, s = torch.Tester(), torch.TestSuite()

-- ---- types: name, name[], a|b, (a), name?, 'text', {field?: type, …}, fun(name?: type, …): type ----

local Type = {}
Type.__index = Type

function Type:fail(what) error(string.format("%s at '%s' of '%s'", what, self.text:sub(self.at), self.text), 0) end
function Type:accept(pattern)
  local from, to = self.text:find('^%s*' .. pattern, self.at)
  if not from then return nil end
  local got = self.text:sub(from, to):gsub('^%s+', '')
  self.at = to + 1
  return got
end
function Type:expect(pattern) return self:accept(pattern) or self:fail('expected ' .. pattern) end

-- name?: type, … up to `close`
function Type:fields(close, seen)
  if self:accept(close) then return end
  repeat
    local name = self:accept('%.%.%.') or self:expect('[%a_][%w_]*')
    if seen[name] then self:fail("'" .. name .. "' twice") end
    seen[name] = true
    self:accept('%?')
    self:expect(':')
    self:union()
  until not self:accept(',')
  self:expect(close)
end
function Type:one()
  if self:accept('%(') then
    self:union()
    self:expect('%)')
  elseif self:accept('{') then
    self:fields('}', {})
  elseif self:accept('fun%(') then
    self:fields('%)', {})
    if self:accept(':') then
      repeat self:union() until not self:accept(',')
    end
  elseif not self:accept("'[^']*'") and not self:accept('"[^"]*"') then
    local name = self:expect('[%a_][%w_.]*')
    self.names[name] = self.text
    if name == 'table' and self:accept('<') then
      repeat self:union() until not self:accept(',')
      self:expect('>')
    end
  end
  while self:accept('%[%]') do end
  self:accept('%?')
end
function Type:union()
  repeat self:one() until not self:accept('|')
end

-- Reads a type at the start of the text; returns what follows it.
local function read_type(text, names)
  local self = setmetatable({ text = text, at = 1, names = names }, Type)
  self:union()
  return text:sub(self.at)
end

-- ---- the file ----

local builtin = {}
for name in ('any nil boolean integer number string table function userdata self unknown thread'):gmatch('%S+') do
  builtin[name] = true
end

-- Reads definitions; returns what is wrong with them, a list of texts.
local function faults(source)
  local wrong, classes, defined, used, fields = {}, {}, {}, {}, {}
  local number, params, class = 0, nil, nil
  local function say(...) wrong[#wrong + 1] = string.format('line %d: ', number) .. string.format(...) end
  local function typed(text)
    local ok, rest = pcall(read_type, text, used)
    if not ok then say('%s', rest) end
    return ok and rest or ''
  end
  local tags = {}
  function tags.class(text)
    local name, base = text:match('^([%w_.]+)%s*:?%s*(.*)$')
    if not name then return say('a class without a name') end
    if classes[name] then say('class %s is defined twice', name) end
    classes[name], class = true, name
    if base ~= '' then typed(base) end
  end
  function tags.field(text)
    local name, rest = text:match('^([%a_][%w_]*)%??%s+(.*)$')
    if not name then rest = text:match('^(%b[]%s.*)$') and text:match('^%b[]%s+(.*)$') end
    if not rest then return say('field %s', text) end
    local key = name and (class or '') .. '.' .. name
    if key and fields[key] then say('field %s twice', key) end
    if key then fields[key] = true end
    typed(rest)
  end
  function tags.param(text)
    local name, rest = text:match('^([%a_][%w_]*)%??%s+(.*)$')
    if not name then name, rest = text:match('^(%.%.%.)%s+(.*)$') end
    if not name then return say('param %s', text) end
    params = params or {}
    params[#params + 1] = name
    typed(rest)
  end
  tags['return'] = function(text) return typed(text) end
  function tags.overload(text)
    if not text:find('^fun%(') then say('overload %s', text) end
    if typed(text):find('%S') then say("'%s' after the overload", text) end
  end
  function tags.operator(text)
    local rest = text:match('^%a+(.*)$')
    local inner = rest:match('^%((.*)%):')
    if inner then typed(inner) end
    typed(rest:match(':%s*(.*)$') or '')
  end
  function tags.type(text) typed(text) end
  function tags.meta() end
  function tags.diagnostic() end
  local function definition(line)
    local name, list = line:match('^function ([%w_.:]+)%((.-)%) end$')
    if not name then name, list = line:match('^([%w_]+%b[]) = function%((.-)%) end$') end
    if name then
      if defined[name] then say('%s is defined twice, first in line %d', name, defined[name]) end
      defined[name] = number
      local has, at = {}, 0
      for p in list:gmatch('[^%s,]+') do
        if has[p] then say('%s has two parameters %s', name, p) end
        at = at + 1
        has[p] = at
      end
      local last = 0
      for _, p in ipairs(params or {}) do
        if not has[p] then say('%s has no parameter %s', name, p)
        elseif has[p] <= last then say('%s: param %s is out of order', name, p) end
        last = has[p] or last
      end
      if params and #params < at - (has.self and 1 or 0) then say('%s: a parameter without @param', name) end
    end
    if not name and line:find('function[%w_.: ]*%(') then say('not a definition: %s', line) end
    params, class = nil, nil
  end
  for line in (source .. '\n'):gmatch('(.-)\n') do
    number = number + 1
    local tag, text = line:match('^%-%-%-@([%a]+)%s*(.*)$')
    if tag then
      if tags[tag] then tags[tag](text) else say('unknown annotation @%s', tag) end
    elseif line:find('^%-%-') or line == '' then
      if line == '' and params then say('@param before nothing') params = nil end
    else
      local chunk, message = load(line, '=line')
      if not chunk then say('%s', message) end
      definition(line)
    end
  end
  for name, text in pairs(used) do
    if not builtin[name] and not classes[name] then wrong[#wrong + 1] = 'no class ' .. name .. ': ' .. text end
  end
  return wrong
end

function s.the_file_is_well_formed()
  local file = assert(io.open(path))
  local source = file:read('a')
  file:close()
  t:assert(load(source, '=torch.lua', 't', {}), 'the file is Lua')
  local wrong = faults(source)
  t:eq(#wrong, 0, table.concat(wrong, '\n', 1, math.min(#wrong, 30)))
end

-- What is wrong is found.
function s.faults_are_found()
  local function found(source, part)
    local wrong = table.concat(faults(source), '\n')
    t:assert(wrong:find(part, 1, true), source .. '\n-> ' .. wrong)
  end
  t:eq(faults('---@param x integer\n---@return fun(a?: string[], ...: any): nil|{b?: "c"}\nfunction f(x) end'), {})
  found('---@param y integer\nfunction f(x) end', 'no parameter y')
  found('---@param x Unknown\nfunction f(x) end', 'no class Unknown')
  found('---@param x integer|\nfunction f(x) end', 'expected')
  found('---@param b any\n---@param a any\nfunction f(a, b) end', 'out of order')
  found('---@param a any\nfunction f(a, b) end', 'without @param')
  found('function f(a) end\nfunction f(a) end', 'defined twice')
  found('---@class A\n---@class A', 'defined twice')
  found('---@class A\n---@field x any\n---@field x any', 'twice')
  found('---@overload fun(x: integer', 'expected')
  found('---@returns any', 'unknown annotation')
  found('function end() end', 'expected')
end

t:add(s):run()
