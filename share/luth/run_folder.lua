-- The folder of a run: recipe.lua, options.json, log.jsonl, ckpt/last.h5, ckpt/prev.h5, ckpt/best.h5.
local native = require 'luth.native'

local M = {}

local function read(path)
  local f = io.open(path, 'rb')
  if not f then return nil end
  local text = f:read('a')
  f:close()
  return text
end
M.read = read

local function write(path, text)
  local f, why = io.open(path, 'wb')
  if not f then error('cannot write ' .. why, 0) end
  local ok, problem = f:write(text)
  local closed, late = f:close()
  if not ok or not closed then error(string.format('cannot write %s: %s', path, problem or late), 0) end
end

-- runs/<recipe>-<n> with the first free n, or the last one that is there.
function M.default(recipe_path, resume)
  local name = recipe_path:match('([^/]+)$'):gsub('%.lua$', '')
  local n = 1
  while native.exists(string.format('runs/%s-%d', name, n)) do n = n + 1 end
  if resume and n > 1 then n = n - 1 end
  return string.format('runs/%s-%d', name, n)
end

-- JSON holds UTF-8 only; a word of other bytes is kept as the list of its bytes.
local function to_json(words)
  local list = {}
  for i, word in ipairs(words) do list[i] = utf8.len(word) and word or { word:byte(1, -1) } end
  return list
end
local function from_json(list)
  local words = {}
  for i, word in ipairs(list) do words[i] = type(word) == 'table' and string.char(table.unpack(word)) or word end
  return words
end

-- The words of the command line with which the run in `dir` was started; none where there is no run.
function M.words(dir)
  local saved = read(dir .. '/options.json')
  if not saved then return {} end
  local ok, kept = pcall(native.json_decode, saved)
  if not ok or type(kept) ~= 'table' or type(kept.words) ~= 'table' then
    native.fail(2, dir .. '/options.json is damaged; it should hold {"recipe": ..., "words": [...]}')
  end
  return from_json(kept.words)
end

-- Makes the folder, keeps the recipe and the words of the command line in it. Refuses one that holds another run.
function M.open(dir, recipe_path, words, resume)
  local run = { dir = dir, last = dir .. '/ckpt/last.h5', best = dir .. '/ckpt/best.h5', log_path = dir .. '/log.jsonl' }
  if native.exists(run.last) and not resume then
    native.fail(2, string.format("%s already holds a run; pass --resume to go on with it, or another --dir", dir))
  end
  native.mkdirs(dir .. '/ckpt')
  local source = read(recipe_path) or native.fail(2, 'cannot read ' .. recipe_path)
  write(dir .. '/recipe.lua', source)
  write(dir .. '/options.json', native.json_encode { recipe = recipe_path, words = to_json(words) } .. '\n')
  run.log = function(entry)
    local f, why = io.open(run.log_path, 'ab')
    if not f then error('cannot write ' .. why, 0) end
    f:write(native.json_encode(entry), '\n')
    f:close()
  end
  -- Drops the lines of epochs that will run again, and a line that was cut short.
  run.forget_log_from = function(epoch)
    local log, kept = read(run.log_path) or '', {}
    for line in log:gmatch('[^\n]*\n') do
      local ok, entry = pcall(native.json_decode, line)
      if ok and type(entry) == 'table' and math.type(entry.epoch) and entry.epoch < epoch then kept[#kept + 1] = line end
    end
    local text = table.concat(kept)
    if text ~= log then write(run.log_path, text) end
  end
  return run
end

return M
