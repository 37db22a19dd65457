-- Repeats in the sources: runs of 60 tokens or more within one definition that stand more than once, names and numbers
-- made alike. Comments, includes, `describe` blocks, tables (`rows[] = {…}`), lists of operators (`, ops::Mul, ops::Div>`), functions of libraries (`LibraryFunction<…>`) and
-- declarations of operators (structs with a `doc`) do not count.
--   luth tests/tree/repeats.lua ROOT            prints the runs, longest first
--   luth tests/tree/repeats.lua ROOT most       fails where more tokens repeat than `most`
local run_length = 60

local words = {}
for word in ([[alignas auto bool break case catch char class const constexpr continue decltype default delete do double else
  enum explicit extern false float for friend if inline int long mutable namespace new noexcept nullptr operator override
  private protected public requires return short signed sizeof static struct switch template this throw true try typename
  union unsigned using virtual void while]]):gmatch '%a+' do
  words[word] = true
end

local function without_comments(text)
  local out, at = {}, 1
  while true do
    local from = text:find('[/"\']', at)
    if not from then break end
    local two = text:sub(from, from + 1)
    local c = two:sub(1, 1)
    if two == '//' then
      out[#out + 1] = text:sub(at, from - 1)
      at = text:find('\n', from, true) or #text + 1
    elseif two == '/*' then
      out[#out + 1] = text:sub(at, from - 1)
      at = (select(2, text:find('*/', from, true)) or #text) + 1
    elseif c == '/' then
      out[#out + 1] = text:sub(at, from)
      at = from + 1
    elseif text:sub(from - 1, from) == 'R"' then
      local mark = text:match('^"([^(]*)%(', from)
      local _, stop = text:find(')' .. mark .. '"', from, true)
      out[#out + 1] = text:sub(at, from - 1) .. '"" '
      at = stop + 1
    elseif c == "'" and text:sub(from - 1, from - 1):match '%w' then -- of a number
      out[#out + 1] = text:sub(at, from - 1)
      at = from + 1
    else
      out[#out + 1] = text:sub(at, from - 1) .. ' "" '
      local stop = from + 1
      while true do
        local s = text:sub(stop, stop)
        if s == '\\' then stop = stop + 2 elseif s == c or s == '\n' or s == '' then break else stop = stop + 1 end
      end
      at = stop + 1
    end
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out)
end

-- Tokens of a file as small numbers, and the line of each.
local ids, count, barriers = {}, 0, 0
local function id(token)
  local i = ids[token]
  if not i then
    count = count + 1
    i = count
    ids[token] = i
  end
  return i
end
local function tokens_of(text)
  text = without_comments(text):gsub('#[^\n]*', ''):gsub('void describe%b()[^{;]*%b{}', function(body)
    return (body:gsub('[^\n]', ''))
  end):gsub('struct [%w_]+[^;{]*(%b{})', function(body)
    if body:find('Doc doc', 1, true) then return (body:gsub('[^\n]', '')) end
  end):gsub('LibraryFunction<[^\n;{]*%b{};', ''):gsub('(%[%w*%] = )(%b{})', function(head, body) return head .. body:gsub('[^\n]', '') end)
    :gsub(',%s*ops::%w+%f[%s,>]', function(item) return (item:gsub('[^\n]', '')) end)
  local tokens, lines, line = {}, {}, 1
  local scopes, opens = {}, nil -- of open braces: whether each is a namespace's
  local at = 1
  while true do
    local from, to, newlines = text:find('^([%s]*)', at)
    for _ in newlines:gmatch '\n' do line = line + 1 end
    at = to + 1
    if at > #text then break end
    local token = text:match('^[%a_][%w_]*', at)
    if token then
      tokens[#tokens + 1] = id(words[token] and token or 'name')
      if token == 'namespace' then opens = true end
    else
      token = text:match('^%.?%d[%w_.]*', at)
      if token then
        tokens[#tokens + 1] = id '0'
      else
        token = text:sub(at, at)
        tokens[#tokens + 1] = id(token)
        if token == '{' then
          scopes[#scopes + 1] = opens or false
          opens = nil
        elseif token == '}' then
          table.remove(scopes)
        end
        -- a definition has ended: no run goes on beyond it
        if (token == ';' or token == '}') and (#scopes == 0 or scopes[#scopes]) then
          barriers = barriers + 1
          tokens[#tokens] = -barriers
          opens = nil
        end
      end
    end
    lines[#lines + 1] = line
    at = at + #token
  end
  return tokens, lines
end

local root, most = ...
local pipe = io.popen("cd '" .. root:gsub("'", "'\\''") .. "' && find core devices lang cli -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' | sort")
local seen, files = {}, {}
local repeated, runs = 0, {}
for path in pipe:lines() do
  local file = assert(io.open(root .. '/' .. path))
  local tokens, lines = tokens_of(file:read 'a')
  file:close()
  -- hashes of all runs of run_length, by a polynomial modulo 2^64
  local base, top = 1000003, 1
  for _ = 1, run_length - 1 do top = top * base end
  local hash, until_ = 0, 0
  local start
  local mine = {}
  for i = 1, #tokens do
    hash = hash * base + tokens[i]
    if i >= run_length then
      local first = i - run_length + 1
      local other = seen[hash]
      if other == nil and mine[hash] and mine[hash] + run_length <= first then other = path .. ':' .. lines[mine[hash]] end
      if other then
        if first > until_ then
          runs[#runs + 1] = { tokens = 0, at = path .. ':' .. lines[first], other = other }
        end
        local new = i - math.max(until_, first - 1)
        runs[#runs].tokens = runs[#runs].tokens + new
        repeated = repeated + new
        until_ = i
      elseif not mine[hash] then
        mine[hash] = first
      end
      hash = hash - tokens[first] * top
    end
  end
  for h, first in pairs(mine) do seen[h] = path .. ':' .. lines[first] end
end
pipe:close()
table.sort(runs, function(a, b)
  return a.tokens > b.tokens or a.tokens == b.tokens and a.at < b.at
end)
for i = 1, most and 20 or #runs do
  if runs[i] then print(runs[i].tokens, runs[i].at, runs[i].other) end
end
print(repeated .. ' tokens repeat, in ' .. #runs .. ' runs')
if most and repeated > tonumber(most) then
  print('more than ' .. most .. ': write it once (the longest runs are above; without a number as last argument, all of them)')
  os.exit(1)
end
