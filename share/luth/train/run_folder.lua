-- The folder of a run: recipe.lua, required/ with the modules that it requires, options.json, env.json, modules.txt, examples.json,
-- log.jsonl, metrics.csv, events.out.tfevents.luth, warnings.jsonl, report.html, ckpt/last.h5, ckpt/prev.h5, ckpt/best.h5, and a lock
-- of the process that trains in it. Of several ranks, rank 0 alone reads and writes it.
local native = require 'luth.native'
local errors = require 'luth.train.errors'
local files = require 'luth.train.files'
local required = require 'luth.train.required'

local M = {}

local read = files.read

-- What a run replaces, and the folder of its checkpoints. In a folder of somebody else a link would have it write elsewhere.
local function refuse_links(run)
  local names = { 'ckpt', 'required', 'recipe.lua', 'options.json', 'env.json', 'modules.txt', 'examples.json', 'report.html', 'warnings.jsonl',
                  'ckpt/best.h5' }
  if not native.exists(run.last) then names[#names + 1] = 'ckpt/last.h5' end  -- a link to nothing
  for _, name in ipairs(names) do
    local path = run.dir .. '/' .. name
    if native.is_link(path) then errors.usage('%s is a symbolic link, and a run writes there; remove it', path) end
  end
end

local function dirname(path) return path:match('^(.*)/[^/]*$') or '.' end

-- The run folder that a checkpoint lies in, or would if it had one.
function M.of_checkpoint(path) return dirname(dirname(path)) end
function M.is_one(dir) return native.exists(dir .. '/options.json') and native.exists(dir .. '/recipe.lua') end

--- runs/<name>-<n> with the first free n, or the last one that is there.
function M.numbered(name, resume)
  local n = 1
  while native.exists(string.format('runs/%s-%d', name, n)) do n = n + 1 end
  if resume and n > 1 then n = n - 1 end
  return string.format('runs/%s-%d', name, n)
end

-- The folder of a recipe's run that is named by none.
function M.default(recipe_path, resume) return M.numbered(recipe_path:match('([^/]+)$'):gsub('%.lua$', ''), resume) end

-- JSON holds UTF-8 only; a word of other bytes is kept as the list of its bytes.
local function to_json(words)
  local list = {}
  for i, word in ipairs(words) do list[i] = utf8.len(word) and word or { word:byte(1, -1) } end
  return list
end
local function from_json(list)
  local words = {}
  for i, word in ipairs(list) do
    words[i] = type(word) == 'table' and string.char(table.unpack(word)) or word
    assert(type(words[i]) == 'string')
  end
  assert(#words == #list and (#words > 0 or next(list) == nil))
  return words
end

-- The words of the recipe's options, --device and --amp, with which the run in `dir` was started; none where there is no run.
function M.words(dir)
  local saved = read(dir .. '/options.json', 1 << 24)
  if not saved then return {} end
  local ok, words = pcall(function() return from_json(native.json_decode(saved).words) end)
  if not ok then errors.usage('%s/options.json is damaged; it should hold {"recipe": ..., "words": [...]}', dir) end
  return words
end

-- The first line of a file of the system that the pattern matches.
local function of_system(path, pattern)
  local file <close> = io.open(path)
  return file and file:read('a'):match(pattern) or nil
end

-- What the results of a run depend on beside the recipe.
local function environment(made)
  local device, build = made.device, native.build()
  return {
    luth = native.version(), commit = build.commit, build = build.build, compiler = build.compiler, libraries = build.libraries,
    command = made.command, seed = made.seed, instruction_set = native.cpu_isa(), threads = torch.get_num_threads(),
    device = device.type == 'cuda' and torch.cuda.get_device_name(device) or tostring(device), ranks = made.ranks,
    processor = of_system('/proc/cpuinfo', 'model name%s*:%s*([^\n]*)'), system = of_system('/proc/version', '^%S+ version %S+'),
    memory_kB = of_system('/proc/meminfo', 'MemTotal:%s*(%d+)'), began = os.date '!%Y-%m-%dT%H:%M:%SZ',
  }
end

-- Writes the recipe, the options with where each is from, the modules and the environment into the folder. Called when nothing can be
-- refused any more. `made`: options (Line:sources), model, device, ranks, command, seed.
function M.keep(run, recipe_path, words, made)
  local source = read(recipe_path) or errors.usage('cannot read %s', recipe_path)
  native.replace(run.dir .. '/recipe.lua', source)
  required.keep(run.dir)
  native.replace(run.dir .. '/options.json',
                 native.json_encode { recipe = recipe_path, words = to_json(words), options = made.options } .. '\n')
  native.replace(run.dir .. '/env.json', native.json_encode(environment(made)) .. '\n')
  native.replace(run.dir .. '/modules.txt', tostring(made.model) .. '\n')
end

--- Notes in env.json the libraries that are open now: training opens OpenBLAS and oneDNN when it first needs them.
function M.note_libraries(dir)
  local text = read(dir .. '/env.json')
  local ok, env = pcall(native.json_decode, text or '')
  if not ok then return end
  env.libraries = native.build().libraries
  native.replace(dir .. '/env.json', native.json_encode(env) .. '\n')
end

--- What of the recipe is another than that with which the run went on last: a list of "the recipe p.lua", "the module net".
function M.what_differs(run, recipe_path)
  local before, list = read(run.dir .. '/recipe.lua'), {}
  if before and before ~= read(recipe_path) then list[1] = 'the recipe ' .. recipe_path end
  for _, name in ipairs(required.changed(run.dir)) do list[#list + 1] = 'the module ' .. name end
  return list
end

-- Drops the lines of epochs that will run again, and a line that was cut short.
function M.forget_log_from(run, epoch)
  local log, kept = read(run.log_path) or '', {}
  for line in log:gmatch('[^\n]*\n') do
    local ok, entry = pcall(native.json_decode, line)
    if ok and type(entry) == 'table' and math.type(entry.epoch) and entry.epoch < epoch then kept[#kept + 1] = line end
  end
  local text = table.concat(kept)
  native.append(run.log_path, '')  -- refuses a link and a file of somebody else, which replacing would write through
  if text ~= log then native.replace(run.log_path, text) end
end

function M.log(run, entry) native.append(run.log_path, native.json_encode(entry) .. '\n') end

-- The paths of a run in a folder.
function M.paths(dir)
  return { dir = dir, last = dir .. '/ckpt/last.h5', best = dir .. '/ckpt/best.h5', log_path = dir .. '/log.jsonl' }
end

-- Locks it; returns nil, or the process that holds it.
local function lock(run) return native.lock(run.dir .. '/.lock') end

--- Whether the folder of that name is another one than that which this process, rank 0, has locked.
function M.is_taken(dir) return native.holds(dir .. '/.lock') == false end

--- Makes the folder of a run anew where it has vanished, `keep` its files, and returns what to say; nil where it is there. Throws
--- where it cannot be made, or another run has taken the name.
function M.still_there(run)
  if not run.keep then return nil end  -- that of a dry run
  local held = native.holds(run.dir .. '/.lock')
  if held and native.exists(run.dir .. '/ckpt') then return nil end
  local function refuse() native.fail(1, run.dir .. ' has vanished, and another run has its name') end
  if held == false then refuse() end
  local ok, why = pcall(native.mkdirs, run.dir .. '/ckpt')
  if not ok then native.fail(1, why) end
  if held then return run.dir .. '/ckpt had vanished, and is made anew' end
  if lock(run) then refuse() end
  run.keep()
  return run.dir .. ' had vanished, and is made anew: the logs of what came before are lost'
end

-- Opens a folder for training (nil: a new one for the recipe), makes it where it is not there, and locks it until the
-- process ends. Refuses one that holds another run, or in which another process trains. The run itself is not written yet.
-- Returns its paths.
function M.open(chosen, recipe_path, resume)
  local dir = chosen or M.default(recipe_path, false)
  local run = M.paths(dir)
  if native.exists(run.last) and not resume then
    errors.usage('%s already holds a run; pass --resume to go on with it, or another --dir', dir)
  end
  refuse_links(run)  -- before anything is made or written through one
  native.mkdirs(dir .. '/ckpt')
  local holder = lock(run)
  if holder and not chosen then return M.open(nil, recipe_path, resume) end  -- it took this number a moment ago
  if holder then
    errors.usage('another luth (process %s) trains in %s; wait for its end, or give another --dir', holder, dir)
  end
  return run
end

return M
