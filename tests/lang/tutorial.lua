-- The tutorial and the topics of help run: blocks of Lua and of the shell, page by page, and print what the pages say. The pages of other
-- languages have the same blocks, and so has README.zh.md. `luth tests/lang/tutorial.lua write` puts what is printed into the pages of all languages.
local native = require 'luth.native'

local root = os.getenv 'LUTH_SOURCE' .. '/share/doc/'
local languages = { '', 'zh/' }
local pages = {}  -- path -> whether it exists in all languages
for _, name in ipairs { '1-first-network', '2-own-data', '3-own-module', '4-recipes', '5-several-devices' } do pages['tutorial/' .. name] = true end
for _, name in ipairs { 'checkpoints', 'coming-from-pytorch', 'coming-from-torch7', 'counting-from-1', 'devices', 'gradients', 'indexing' } do
  pages['topics/' .. name] = false
end
local write = arg and arg[1] == 'write'

local function read(path)
  local file <close> = assert(io.open(path, 'rb'))
  return file:read 'a'
end

-- The blocks {kind, text, from, to} of a page; from and to are the bytes of the text.
local function blocks_of(page)
  local list, at = {}, 1
  while true do
    local _, first, kind = page:find('```(%l+)\n', at)
    if not first then return list end
    local stop = assert(page:find('```', first + 1, true), 'a block without an end')
    list[#list + 1] = { kind = kind, text = page:sub(first + 1, stop - 1), from = first + 1, to = stop - 1 }
    at = stop + 3
  end
end

local mark = '\1block\1'
local folder = os.tmpname()
os.remove(folder)

-- What the blocks of Lua of a page print, by number of the block: they are one program, since each may use locals of those before.
local function printed(blocks, place)
  local parts = { 'io.stdout:setvbuf "no"\n' }
  for i, block in ipairs(blocks) do
    if block.kind == 'lua' and not block.text:find '^%-%- file: ' then
      parts[#parts + 1] = ('io.write "%s%d\\n"\n%s\n'):format(mark:gsub('\1', '\\001'), i, block.text)
    end
  end
  native.replace(place .. '/page.lua', table.concat(parts))
  local ok = os.execute(("cd '%s' && LC_ALL=C.UTF-8 TERM=dumb '%s' page.lua >out 2>err"):format(place, native.program()))
  assert(ok, read(place .. '/err'))
  local out = {}
  for i, text in (read(place .. '/out') .. mark):gmatch(mark .. '(%d+)\n(.-)%f[\1]') do out[tonumber(i)] = text end
  return out
end

local function run_shell(block, place)
  native.replace(place .. '/page.sh', "set -e\nluth() { '" .. native.program() .. "' \"$@\"; }\n" .. block.text)
  local ok = os.execute(("cd '%s' && bash page.sh >out 2>err </dev/null"):format(place))
  assert(ok, block.text .. read(place .. '/out') .. read(place .. '/err'))
end

-- Runs a page; returns its blocks, those of text with what was printed.
local function run(page, place)
  local blocks = blocks_of(page)
  local out = printed(blocks, place)  -- first: what it writes is there for the shell
  for _, block in ipairs(blocks) do
    local name = block.kind == 'lua' and block.text:match '^%-%- file: (%S+)\n'
    if name then native.replace(place .. '/' .. name, block.text) end
    if block.kind == 'sh' then run_shell(block, place) end
  end
  for i, block in ipairs(blocks) do
    if block.kind == 'text' then block.made = assert(out[i - 1], 'a text without a block before it') end
  end
  return blocks
end

-- The page with the texts that were made.
local function filled(page, blocks, made)
  local parts, at = {}, 1
  for i, block in ipairs(blocks) do
    if block.kind == 'text' then
      parts[#parts + 1] = page:sub(at, block.from - 1) .. made[i].made
      at = block.to + 1
    end
  end
  return table.concat(parts) .. page:sub(at)
end

for name, everywhere in pairs(pages) do
  local place = folder .. '/' .. name
  native.mkdirs(place)
  local made
  for _, language in ipairs(everywhere and languages or { '' }) do
    local path = root .. language .. name .. '.md'
    local page = read(path)
    local blocks = blocks_of(page)
    made = made or run(page, place)
    assert(#blocks == #made, path .. ' has other blocks than the page in English')
    for i, block in ipairs(blocks) do
      assert(block.kind == made[i].kind, path .. ': block ' .. i)
      if block.kind ~= 'text' then assert(block.text == made[i].text, ('%s: block %d differs from the page in English'):format(path, i)) end
    end
    local wanted = filled(page, blocks, made)
    if write and wanted ~= page then native.replace(path, wanted) end
    for i, block in ipairs(blocks_of(read(path))) do
      if block.kind == 'text' then
        assert(block.text == made[i].made, ('%s: block %d says\n%sbut this is printed:\n%s'):format(path, i, block.text, made[i].made))
      end
    end
  end
end

-- ---- README ----------------------------------------------------------------------------------------------------------

-- Fenced blocks and lines of commands.
local function commands(path)
  local list, inside = {}, false
  for line in read(path):gmatch '([^\n]*)\n' do
    local fence = line:find '^```' ~= nil
    if fence or inside or line:find '^    ' then list[#list + 1] = line end
    if fence then inside = not inside end
  end
  return table.concat(list, '\n')
end
local top = os.getenv 'LUTH_SOURCE' .. '/README'
assert(commands(top .. '.md') == commands(top .. '.zh.md'), 'README.zh.md has other blocks than README.md')
local english, chinese = read(top .. '.md'), read(top .. '.zh.md')
for row in english:gmatch '\n| (`luth [^|]*`) |' do assert(chinese:find(row, 1, true), row) end
os.execute("rm -r '" .. folder .. "'")
