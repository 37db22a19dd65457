-- luth train and luth eval: the meaning of their words, and the order of checking, making and writing.
local native = require 'luth.native'
local batches = require 'luth.train.batches'
local checkpoint = require 'luth.train.checkpoint'
local errors = require 'luth.train.errors'
local options = require 'luth.train.options'
local recipes = require 'luth.train.recipe'
local run_folder = require 'luth.train.run_folder'
local Trainer = require 'luth.train.trainer'
local say = require('luth.train.progress').say

local M = {}
local usage, unusable = errors.usage, errors.unusable

-- A device that cannot be used is a wrong setting, reported before anything else happens.
local function choose_device(name) return native.choose_device(name or 'auto') end

-- The dtype of mixed precision, nil for none.
local function choose_amp(name)
  if name == nil or name == 'off' then return nil end
  if name == 'bf16' then return torch.bfloat16 end
  usage("--amp takes bf16 or off, got '%s'", name)
end

local function load_recipe(path, line)
  local r = recipes.load(path, line)
  line:check()
  return r
end

-- Prints the options of the recipe.
local function print_help(path, line)
  recipes.load(path, line)
  io.write(line:help(path))
end

-- A text that must not be empty where it is given.
local function not_empty(name, text)
  if text == '' then usage("--%s needs a value that is not empty, got ''", name) end
  return text
end

-- The value of --resume: nil, or {file = nil for the last checkpoint of the run folder}.
local function take_resume(text)
  if text == nil or text == 'false' or text == 'no' or text == '0' then return nil end
  if text == 'true' or text == 'yes' or text == '1' then return {} end
  if text == '' then usage("--resume takes the file of a checkpoint, or nothing, got ''") end
  if not native.exists(text) then unusable("--resume: there is no checkpoint '%s'", text) end
  return { file = text }
end

-- The run folder, and the words with which its run was started. A new run without --dir has none yet.
local function choose_folder(path, dir, resume)
  if not resume then return dir, {} end
  local home = resume.file and run_folder.of_checkpoint(resume.file)
  if home and not run_folder.is_one(home) then home = nil end
  dir = dir or home or run_folder.default(path, resume.file == nil)
  local earlier = run_folder.words(dir)
  return dir, next(earlier) and earlier or home and run_folder.words(home) or earlier
end

-- The file to go on from, or nil in a folder without one.
local function last_checkpoint(run)
  if native.exists(run.last) then return run.last end
  for _, name in ipairs { 'prev', 'best' } do
    local other = string.format('%s/ckpt/%s.h5', run.dir, name)
    if native.exists(other) then
      unusable('there is no %s, but there is %s; --resume %s continues from it', run.last, other, other)
    end
  end
  return nil
end

-- luth train RECIPE words…
function M.train(path, words)
  local line = options.line('train', words)
  local given = line:add {}
  if given.help then return print_help(path, line) end
  local dir, resume = not_empty('dir', given.dir), take_resume(given.resume)
  dir, line.earlier = choose_folder(path, dir, resume)
  given = line:add {}
  local device, amp = choose_device(given.device), choose_amp(given.amp)
  local r = load_recipe(path, line)
  local t = Trainer.new(r, device, amp)
  local file = resume and resume.file
  if file then checkpoint.restore(t, file) end
  native.defer_interrupts(true)  -- from here on it ends between steps, and saves
  local run = run_folder.open(dir, path, resume)
  if resume and not file then
    file = last_checkpoint(run)
    if file then checkpoint.restore(t, file) end
  end
  if file and t.epoch > r.epochs then
    return say('nothing is left to do: %s has done %d of %d epochs; give a larger --epochs to go on', file, t.epoch - 1,
               r.epochs)
  end
  run:keep(path, line:kept())
  if file then
    run:forget_log_from(t.epoch)
    say('resuming %s at epoch %d, batch %d', run.dir, t.epoch, t.batch)
  end
  say('training on %s%s: %d samples, %d epochs of %d batches; %s', tostring(device), amp and ' in bf16' or '',
      #t.parts.train, r.epochs, #t.loader, run.dir)
  t:train(run)
  say('done: %s', run.last)
end

-- The checkpoint, its recipe and the words of its run, of `luth eval PATH --checkpoint FILE`.
local function what_to_evaluate(path, file)
  if path:match('%.lua$') then
    if not file then usage('luth eval RECIPE needs --checkpoint FILE') end
    return file, path, {}
  end
  if file then usage('--checkpoint goes with a recipe: luth eval RECIPE.lua --checkpoint %s', file) end
  file = path
  if native.exists(path .. '/.') then
    file = path:gsub('/+$', '') .. '/ckpt/last.h5'
    if not native.exists(file) then unusable("the folder '%s' has no ckpt/last.h5", path) end
  end
  if not native.exists(file) then unusable("there is no checkpoint '%s'", file) end
  local dir = run_folder.of_checkpoint(file)
  if not run_folder.is_one(dir) then
    usage('%s has no recipe.lua and options.json beside ckpt/; use luth eval RECIPE.lua --checkpoint %s', dir, file)
  end
  return file, dir .. '/recipe.lua', run_folder.words(dir)
end

-- The text with what a terminal would obey, or show in another order, as escapes: no line of a program hides behind it.
local function visible(text)
  local function escape(bytes) return (bytes:gsub('.', function(c) return string.format('\\x%02x', c:byte()) end)) end
  if not utf8.len(text) then text = text:gsub('[\x80-\xff]', escape) end
  for _, hidden in ipairs { '[\0-\8\11-\31\127]', '\xc2[\x80-\x9f]', '\xe2\x80[\xaa-\xae]', '\xe2\x81[\xa6-\xa9]' } do
    text = text:gsub(hidden, escape)
  end
  return text
end

-- The recipe that would run: its path in a comment, then its text.
local function print_recipe(path)
  local file, why = io.open(path, 'rb')
  if not file then usage('cannot read %s', why) end
  local text = string.format('-- %s\n%s', path, file:read('a'))
  file:close()
  io.write(native.is_tty(1) and visible(text) or text, text:match('\n$') and '' or '\n')
end

-- luth eval CHECKPOINT, luth eval DIR, or luth eval RECIPE --checkpoint FILE: prints `metric number` lines.
function M.eval(path, words)
  local line = options.line('eval', words)
  local given = line:add {}
  if given.print_recipe and path:match('%.lua$') then return print_recipe(path) end
  if given.help and path:match('%.lua$') then return print_help(path, line) end
  local file, recipe
  file, recipe, line.earlier = what_to_evaluate(path, not_empty('checkpoint', given.checkpoint))
  if given.print_recipe then return print_recipe(recipe) end
  if given.help then return print_help(recipe, line) end
  -- the run may have been on another device; it is evaluated on a device of this machine
  local device, amp = choose_device(given.device), choose_amp(line:add {}.amp)
  local t = Trainer.new(load_recipe(recipe, line), device, amp)
  checkpoint.load_model(t.model, file, device)
  local held = t.parts.test or t.parts.val or t.parts.train
  say('evaluating on %s: %d samples', tostring(device), #held)
  for _, result in ipairs(batches.evaluate(t, t.model, held)) do print(string.format('%s %.6g', result[1], result[2])) end
end

return M
