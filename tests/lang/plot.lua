-- Pictures of numbers. The pictures of share/doc/plots.md are made here; `luth tests/lang/plot.lua write` puts them there.
local native = require 'luth.native'
local folder = os.getenv 'LUTH_SOURCE' .. '/share/doc/'

-- A terminal of 80 columns with a locale of UTF-8 and no colours, and what is written on it.
local settings, written = { LC_ALL = 'C.UTF-8', TERM = 'dumb' }, {}
os.getenv = function(name) return settings[name] end
native.columns = function() return 80 end
local stdout = io.stdout
local function shown(f, ...)
  written = {}
  io.stdout = { write = function(_, ...) written[#written + 1] = table.concat { ... } end }
  local ok, problem = pcall(f, ...)
  io.stdout = stdout
  assert(ok, problem)
  return table.concat(written)
end
local function fails(pattern, f, ...)
  local ok, problem = pcall(f, ...)
  assert(not ok and tostring(problem):find(pattern, 1, true), tostring(problem))
end
local function read(path)
  local file <close> = assert(io.open(path, 'rb'))
  return file:read 'a'
end

-- ---- the page --------------------------------------------------------------------------------------------------------

local page = read(folder .. 'plots.md')
local place = os.tmpname()
os.remove(place)
native.mkdirs(place)
local names = {}
-- Runs a block. A picture's file goes to the folder `place`.
local function run(block)
  local name = block:match "'(%w+%.svg)'"
  local text = name and block:gsub("'(%w+%.svg)'", "'" .. place .. "/%1'") or block
  local out = shown(assert(load(text)))
  if name then names[#names + 1] = name end
  return out
end
-- The page with the block of text behind each block of code as it is drawn.
local made, at = {}, 1
while true do
  local from, to, code = page:find('```lua\n(.-)```\n', at)
  if not from then break end
  made[#made + 1] = page:sub(at, to)
  local drawn, _, last = run(code), page:find('^```text\n.-```\n', to + 1)
  if drawn ~= '' then made[#made + 1] = '```text\n' .. drawn .. '```\n' end
  at = (last or to) + 1
end
made = table.concat(made) .. page:sub(at)
assert(#names == 5, #names)
if arg and arg[1] == 'write' then
  native.replace(folder .. 'plots.md', made)
  for _, name in ipairs(names) do native.replace(folder .. 'plots/' .. name, read(place .. '/' .. name)) end
end
assert(made == read(folder .. 'plots.md'), 'share/doc/plots.md differs from what luth draws')
for _, name in ipairs(names) do assert(read(place .. '/' .. name) == read(folder .. 'plots/' .. name), name) end

-- ---- what can be drawn -----------------------------------------------------------------------------------------------

local x = torch.arange(0, 9):double()
local text = shown(plot, { 1, 0 / 0, 3, 1 / 0 })
assert(text:find('2 points left out: nan or inf', 1, true), text)
assert(shown(plot, { 5, -1, 3 }, { log = 'y' }):find('1 point left out: nan, not above 0, or inf', 1, true))
assert(#shown(plot, { 7 }) > 0 and #shown(plot, { 3, 3, 3 }) > 0 and #shown(plot, torch.zeros(5, { dtype = torch.bool })) > 0)
for _, y in ipairs { { 1e308, -1e308 }, { 5e-324, 0 }, { 1e-320, 2e-320 } } do  -- at the ends of what numbers are
  assert(#shown(plot, y) > 0 and #shown(plot.hist, y) > 0)
end
assert(shown(plot, x, { title = 'größer', ylabel = 'y' }):find('größer', 1, true))
assert(shown(plot, torch.zeros(3, 2), { labels = { 'a', 'b' } }):find('a.*b'))
assert(shown(plot, x, x * 1e9):find('8e9', 1, true))
settings.LC_ALL = 'C'
assert(not shown(plot, x):find '[\128-\255]')
assert(not shown(plot.imshow, torch.rand(3, 8, 8)):find '[\128-\255]')
settings.LC_ALL = 'C.UTF-8'

-- Many points: the extremes of each column survive, and a picture of few colours stays small.
local many = torch.zeros(300000)
many[123457], many[200000] = 5, -3
local lines = shown(plot, many, { width = 60, height = 10, ylim = { -3, 5 } })
assert(lines:match '^[^\n]*⡇' and lines:match '⢸\n   └', lines)
local circle = torch.linspace(0, 700, 250000)
assert(#shown(plot, circle:cos(), circle:sin()) < 20000)
assert(#shown(plot.scatter, circle:cos(), circle:sin()) < 20000)
assert(select(2, shown(plot.hist, torch.tensor { 1, 2, 2, 3, 1 / 0 }):gsub('1 of 5 values left out', '')) == 1)

-- Colours: two pixels in a character, 24 bits or 256 colours; none where NO_COLOR is set.
settings.TERM, settings.COLORTERM, native.is_tty, native.ask_terminal = 'xterm', 'truecolor', function() return true end, function() return '' end
local red = torch.zeros(3, 2, 2, { dtype = torch.uint8 })
red[1]:fill_(255)
assert(shown(plot.imshow, red, { width = 4 }):find('\27[0;38;2;255;0;0;48;2;255;0;0m▀', 1, true))
settings.COLORTERM = nil
assert(shown(plot.imshow, red, { width = 4 }):find('38;5;196', 1, true))
settings.NO_COLOR = '1'
assert(not shown(plot, x):find '\27')
settings.NO_COLOR = nil

-- ---- files and pictures of terminals -------------------------------------------------------------------------------

plot(x, place .. '/a.png')
local picture = data.read_image(place .. '/a.png')
assert(picture:size(2) == 400 and picture:size(3) == 640)
local blue = (picture[3]:int() - picture[1]:int()):gt(60):sum():item()
assert(blue > 500 and blue < 5000, blue)  -- the line
plot.heatmap(torch.eye(4), { width = 200, height = 150 }, place .. '/b.png')
assert(data.read_image(place .. '/b.png'):size(3) == 200)

settings.LUTH_PLOT = 'kitty'
local codes = shown(plot.imshow, red)
local encoded = {}
for part in codes:gmatch '\27_G[%w=,]*;([%w+/=]*)\27\\' do encoded[#encoded + 1] = part end
assert(table.concat(encoded):sub(1, 11) == 'iVBORw0KGgo')  -- the first bytes of every PNG
settings.LUTH_PLOT = 'sixel'
local sixels = require 'luth.plot.pictures'.sixel(red)
assert(sixels == '\27Pq"1;1;2;2#180;2;100;0;0#180BB-\27\\\n', sixels)
assert(shown(plot, x):sub(1, 3) == '\27Pq')
settings.LUTH_PLOT = 'gif'
fails("LUTH_PLOT is 'text', 'kitty' or 'sixel'", plot, x)
settings.LUTH_PLOT = nil
for answer, protocol in pairs { ['\27_Gi=31;OK\27\\\27[?62c'] = 'kitty', ['\27[?62;4;22c'] = 'sixel', ['\27[?62;14c'] = 'text', [''] = 'text' } do
  package.loaded['luth.plot.pictures'] = nil
  native.ask_terminal = function() return answer end
  assert(require 'luth.plot.pictures'.protocol() == protocol, answer)
end

-- Series by name come before options, too; XML has no control characters and no byte that is not UTF-8.
plot({ train = { 1, 2 }, val = { 2, 1 } }, { title = 'a\27[31m\0\xff' }, place .. '/names.svg')
local written <close> = assert(io.open(place .. '/names.svg'))
local svg = written:read 'a'
assert(svg:find('>train<', 1, true) and svg:find('>val<', 1, true) and not svg:find '[\0-\8\11\12\14-\31\xff]', svg)

assert(not shown(plot, { ['a\27[31m'] = { 1, 2 } }, { title = 'b\27[32m' }):find '\27%[3[12]m')

-- ---- errors ----------------------------------------------------------------------------------------------------------

fails('y has no elements', plot, torch.zeros(0))
fails('none of the 2 points can be drawn: they are nan or inf', plot, { 0 / 0, 1 / 0 })
fails('there is nothing to draw', plot)
fails('x has 3 elements and y has 2', plot, { 1, 2, 3 }, { 1, 2 })
fails("no option is named 'titel'; did you mean 'title'?", plot, x, { titel = 'a' })
fails("log is 'x', 'y' or 'xy', got 'z'", plot, x, { log = 'z' })
fails('xlim begins above 0', plot, x, { log = 'x', xlim = { 0, 1 } })
fails('xlim is {least, greatest}', plot, x, { xlim = { 3, 1 } })
fails("a picture's file ends in .png or .svg, got 'a.gif'", plot, x, 'a.gif')
fails("cannot save '" .. place .. "/no/a.png'", plot, x, place .. '/no/a.png')
fails('bins is a whole number', plot.hist, x, { bins = 2.5 })
fails('an image is [H, W]', plot.imshow, torch.zeros(2, 2, 2, 2))
fails('a heat map has 2 dims', plot.heatmap, x)
fails('none of the 4 values is finite', plot.heatmap, torch.full({ 2, 2 }, 0 / 0))
os.execute('rm -r ' .. place)
