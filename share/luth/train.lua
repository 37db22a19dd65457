-- luth train, eval, predict and summary: the meaning of their words, and the order of checking, making and writing.
local native = require 'luth.native'
local batches = require 'luth.train.batches'
local checkpoint = require 'luth.train.checkpoint'
local dry_run = require 'luth.train.dry_run'
local epoch_end = require 'luth.train.epoch_end'
local errors = require 'luth.train.errors'
local evaluation = require 'luth.train.evaluation'
local examples = require 'luth.train.examples'
local find = require 'luth.train.find'
local kept = require 'luth.train.kept'
local options = require 'luth.train.options'
local predict = require 'luth.train.predict'
local profile = require 'luth.train.profile'
local ranks = require 'luth.train.ranks'
local report = require 'luth.report'
local recipes = require 'luth.train.recipe'
local required = require 'luth.train.required'
local run_folder = require 'luth.train.run_folder'
local sweep = require 'luth.train.sweep'
local Trainer = require 'luth.train.trainer'
local progress = require 'luth.train.progress'
local streams = require 'luth.data.streams'
local warnings = require 'luth.train.warnings'
local say = progress.say

local M = {}
local usage, unusable = errors.usage, errors.unusable

-- A device that cannot be used is a wrong setting, reported before anything else happens. Ranks of one machine take
-- its GPUs in turn, where they see several.
local function choose_device(name, line)
  local where = line:where 'device'
  local device = where == '--device' and native.choose_device(name or 'auto') or errors.attempt(2, where .. ': ', native.choose_device, name)
  local several = ranks.size > 1 and device.type == 'cuda' and torch.cuda.device_count() > 1
  if not several or (name and name:find ':') then return device end
  return native.choose_device('cuda:' .. ranks.local_rank % torch.cuda.device_count())
end

-- The dtype of mixed precision, nil for none.
local function choose_amp(name, line)
  if name == nil or name == 'off' then return nil end
  if name == 'bf16' then return torch.bfloat16 end
  usage("%s takes bf16 or off, got '%s'", line:where 'amp', name)
end

local function load_recipe(path, line)
  local r = recipes.load(path, line)
  line:check()
  return r
end

-- Prints the options of the recipe, once for all ranks.
local function print_help(path, line)
  if not ranks.is_first() then return end
  recipes.load(path, line)
  io.write(line:help(path))
end

-- A text that must not be empty where it is given.
local function not_empty(name, text)
  if text == '' then usage("--%s needs a value that is not empty, got ''", name) end
  return text
end

-- Whether an option without a value was given.
local function is_on(text) return text == 'true' end

-- The same of one whose value may be missing.
local function is_given(text) return text ~= nil and text ~= 'false' end

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
  if native.exists(dir .. '/sweep.json') then usage("%s holds a sweep: go on with --sweep '…' --resume --dir %s", dir, dir) end
  local earlier = run_folder.words(dir)
  return dir, next(earlier) and earlier or home and run_folder.words(home) or earlier
end

-- The file to go on from, or nil in a folder without one.
local function last_checkpoint(run)
  if native.exists(run.last) then return run.last end
  local previous = run.dir .. '/ckpt/prev.h5'
  if native.exists(previous) then
    unusable('there is no %s, but there is %s; --resume %s continues from it', run.last, previous, previous)
  end
  -- a run that ended within its first save: best.h5 is written before last.h5, and holds the same
  return native.exists(run.best) and run.best or nil
end

-- Where the run is, how it goes on, and the words with which it was started. An attempt of `luth launch` goes on from the
-- one before it, or begins as that did.
local function find_run(path, given)
  local dir, resume = not_empty('dir', given.dir), take_resume(given.resume)
  local before = ranks.kept_folder()
  if before then
    dir = before
    if not resume or native.exists(before .. '/ckpt/last.h5') then resume = {} end
  end
  local words
  dir, words = choose_folder(path, dir, resume)
  return { dir = dir, resume = resume, words = words }
end

-- The folder of the run, and the checkpoint from which it goes on where --resume names none.
local function open_run(path, dir, resume)
  local run = run_folder.open(dir, path, resume)
  ranks.keep_folder(run.dir)
  return { run = run, file = resume and not resume.file and last_checkpoint(run) or nil }
end

-- What all ranks must have in common, in words.
local function in_common(t)
  local r, parts = t.recipe, {}
  for _, name in ipairs(errors.keys(t.parts)) do parts[#parts + 1] = batches.samples_text(t.parts[name], name) end
  return string.format('%s, seed %d, %d epochs of batches of %d', table.concat(parts, ', '), r.seed, r.epochs, r.batch)
end

-- What computes, of which the last bits depend.
local function kernels_of(device) return device.type == 'cpu' and 'instruction set ' .. native.cpu_isa() or device.type end

-- What the recipe's options leave of luth's own, of a line whose recipe is there.
local function own_options(line)
  local own = line:own_options()
  ranks.check_timeout(own.dist_timeout)
  if line.rows.log_device_placement then torch.set_log_device_placement(false) end
  return own
end

-- The trainer of a run, before anything of it is written.
local function make_trainer(r, device, amp, own, resume)
  if r.on_error ~= 'stop' and ranks.size > 1 then usage('--on-error %s is for one rank: weights count by samples', r.on_error) end
  if r.on_nan ~= 'stop' and ranks.size > 1 then usage('--on-nan %s is for one rank; several end', r.on_nan) end
  local t = Trainer.new(r, device, amp, { fsdp = is_on(own.fsdp), sync_bn = is_on(own.sync_bn), begin = resume == nil })
  t.force = is_on(own.force)
  ranks.check_same(in_common(t) .. ', ' .. kernels_of(device))
  if ranks.rank > 0 then torch.manual_seed(r.seed + ranks.rank) end  -- what is random in a step differs
  return t
end

local function say_begin(t, run, resumed)
  local device = tostring(t.device)
  if resumed then progress.note('resume', { epoch = t.epoch, batch = t.batch }, 'resuming %s at epoch %d, batch %d', run.dir, t.epoch, t.batch) end
  local values = { dir = run.dir, device = device, samples = streams.count(t.parts.train), epochs = t.recipe.epochs, batches = t.batches, ranks = ranks.size }
  progress.note('start', values, 'training on %s%s%s: %s, %s of %s; %s', device,
                ranks.size > 1 and string.format(', %d ranks', ranks.size) or '', t.amp and ' in bf16' or '', batches.samples_text(t.parts.train),
                progress.plural(values.epochs, 'epoch'), progress.plural(values.batches, 'batch', 'es'), run.dir)
  local names = t.parts.train.classes and t.parts.train:classes() or {}
  if #names == 1 then
    warnings.warn(t, "the training data (%s) have one class alone, '%s', so there is nothing to tell apart; add samples of another class, "
                  .. 'for ImageFolder in a folder beside it', tostring(t.parts.train), native.foreign(names[1], 100))
  end
  if t.parts.test and not t.parts.val then say('validating on the test data: there are no validation data') end
  if t.recipe.workers > 0 and not t.loader.on_workers then
    say('--workers %d changes nothing for the training data: %s', t.recipe.workers, streams.is_stream(t.parts.train)
        and 'a stream is read on the main thread'
        or 'datasets and transforms in Lua run on the main thread; data.from_module has datasets read on workers')
  end
  if t.recipe.metrics and not t.parts.test and not t.parts.val then
    local names = batches.names(t)
    say('no validation data: %s is not measured; data = {train = , val = }', table.concat(names, ', ', t.loss and 2 or 1))
  end
end

-- The command line as text; JSON holds UTF-8 only.
local function to_command(path, words)
  return native.visible(table.concat({ 'luth train', path, table.unpack(words) }, ' '))
end

-- Why a run that goes on from a checkpoint is at its end, and what would have it go on; nil where it is not.
local function why_over(t, file)
  local r = t.recipe
  if t.epoch > r.epochs then return string.format('%s has done %d of %s; give a larger --epochs to go on', file, t.epoch - 1, progress.plural(r.epochs, 'epoch')) end
  if not epoch_end.is_out_of_patience(t) then return nil end
  return string.format('%s had stopped early, with no better score in %s; give a larger --early-stop, or 0, to go on', file,
                       progress.plural(t.worse, 'validation'))
end

-- Trains a trainer whose checkpoint, if it goes on from one, is `file`. `found`: its folder, and how it resumes.
local function train_in_folder(t, path, line, found, file)
  native.defer_interrupts(true)  -- from here on it ends between steps, and saves
  local resume, r = found.resume, t.recipe
  local opened = ranks.of_first(function() return open_run(path, found.dir, resume) end)
  local run = opened.run
  if opened.file then
    file = opened.file
    checkpoint.restore_newest(t, file)
  end
  for _, what in ipairs(file and run_folder.what_differs(run, path) or {}) do warnings.warn(t, '%s is not the one with which the run began', what) end
  if resume and not file then say('nothing to resume in %s: the run begins', run.dir) end
  local first_save = file == run.best and not resume.file
  local function write_report() if ranks.rank == 0 then report.write({ run.dir }, run.dir .. '/report.html') end end
  local over = file and not first_save and why_over(t, file)
  if over then
    if not native.exists(run.dir .. '/report.html') then  -- the run ended before it came to it
      t.run = run
      examples.write(t)
      write_report()
    end
    return say('nothing is left to do: %s', over)
  end
  if ranks.rank == 0 then
    function run.keep()
      run_folder.keep(run, path, line:kept(), { options = line:sources(r), model = t.model, device = t.device, ranks = ranks.size,
                                                  command = to_command(path, line.own), seed = r.seed })
    end
    run.keep()
    run_folder.forget_log_from(run, t.epoch)
  end
  t.settings = line:settings(r)
  t:open(run)
  if first_save then t:save() end
  say_begin(t, run, file ~= nil)
  t:train()
  local ok, why = pcall(function()
    if ranks.of_first(function() return run_folder.is_taken(run.dir) end) then return end
    examples.write(t)
    if ranks.rank == 0 then run_folder.note_libraries(run.dir) end
    write_report()
  end)
  t.saves:conclude()
  if not ok then error(why, 0) end
  progress.note('end', { dir = run.dir, checkpoint = run.last, best = t.best }, 'done: %s', run.last)
end

-- luth train RECIPE --sweep: starts processes of luth train.
local function train_sweep(path, line, given)
  line:read_config(given.config)
  if not ranks.is_alone() then usage('--sweep starts processes of its own; leave out the launcher') end
  local device = choose_device(given.device, line)
  local r = load_recipe(path, line)
  given.random = line:own_options().random
  given.resume = take_resume(given.resume)
  sweep.run(path, given.sweep, line, r, device, given)
end

-- luth train RECIPE words…
function M.train(path, words)
  native.catch_save_signal()  -- one that comes before the first step saves after it
  local line = options.line('train', words)
  local given = line:add {}
  if given.help then return print_help(path, line) end
  if given.sweep then return train_sweep(path, line, given) end
  ranks.join(given.dist_timeout, given.device)
  line:read_config(given.config)
  local found = ranks.of_first(function() return find_run(path, line:add {}) end)
  line.earlier = found.words
  given = line:add {}
  local device, amp = choose_device(given.device, line), choose_amp(given.amp, line)
  local resume = found.resume
  kept.from(resume and (resume.file or found.dir .. '/ckpt/last.h5'))
  local r = load_recipe(path, line)
  local own = own_options(line)
  if own.random then usage("--random %s says how many runs of --sweep 'lr=1e-4..1e-1' to try; there is no --sweep", own.random) end
  if own.print_config then return ranks.is_first() and io.write(line:as_config(r)) or nil end
  progress.speak(is_on(own.quiet), is_on(own.json))
  local t = make_trainer(r, device, amp, own, found.resume)
  if is_given(own.find_lr) then return find.lr(t, own.find_lr ~= 'true' and own.find_lr or nil) end
  if is_on(own.find_batch) then return find.batch(t) end
  if r.dry_run then
    if ranks.size > 1 or found.resume then usage('--dry-run is for one rank and a run that begins') end
    return dry_run.run(t)
  end
  local steps = profile.steps(own.profile)
  if steps then profile.attach(t, steps) end
  local file = found.resume and found.resume.file
  if file then checkpoint.restore(t, file) end
  train_in_folder(t, path, line, found, file)
end

-- The words of a run that `luth eval` knows.
local function words_of_eval(dir)
  local words = {}
  for _, word in ipairs(run_folder.words(dir)) do
    if not word:find '^%-%-sync_bn' then words[#words + 1] = word end
  end
  return words
end

-- A recipe, and not a folder of that name.
local function is_recipe(path) return path:match('%.lua$') and not native.exists(path .. '/.') end

-- The checkpoint, its recipe and the words of its run, of `luth eval PATH --checkpoint FILE` or another subcommand.
local function what_to_evaluate(subcommand, path, file)
  if is_recipe(path) then
    if not file then usage('luth %s RECIPE needs --checkpoint FILE', subcommand) end
    return file, path, {}
  end
  if file then usage('--checkpoint goes with a recipe: luth %s RECIPE.lua --checkpoint %s', subcommand, file) end
  file = path
  if native.exists(path .. '/.') then
    file = path:gsub('/+$', '') .. '/ckpt/last.h5'
    if not native.exists(file) then unusable("the folder '%s' has no ckpt/last.h5", path) end
  end
  if not native.exists(file) then unusable("there is no checkpoint '%s'", file) end
  local dir = run_folder.of_checkpoint(file)
  if not run_folder.is_one(dir) then
    usage("'%s' belongs to no run: there are no recipe.lua and options.json in '%s'; use luth %s RECIPE.lua --checkpoint %s", file,
      dir == '' and '/' or dir, subcommand, file)
  end
  required.take_from(dir)
  return file, dir .. '/recipe.lua', words_of_eval(dir), dir
end

-- Files of a recipe that would run: the path of each in a comment, then its text.
local function print_texts(paths)
  if not ranks.is_first() then return end
  for _, path in ipairs(paths) do
    local text = native.read(path, 1 << 24, 2)
    text = string.format('-- %s\n%s', path:gsub('\n', '\\n'), text)
    io.write(native.is_tty(1) and native.visible(text) or text, text:match('\n$') and '' or '\n')
  end
end

-- luth eval CHECKPOINT, luth eval DIR, or luth eval RECIPE --checkpoint FILE: prints `metric number` lines.
function M.eval(path, words)
  local line = options.line('eval', words)
  local given = line:add {}
  if given.print_recipe and is_recipe(path) then return print_texts { path } end
  if given.help and is_recipe(path) then return print_help(path, line) end
  local asks = given.print_recipe or given.help
  if not asks then ranks.join(given.dist_timeout, given.device) end
  local file, recipe, dir
  file, recipe, line.earlier, dir = what_to_evaluate('eval', path, not_empty('checkpoint', given.checkpoint))
  if given.print_recipe then return print_texts { recipe, table.unpack(dir and required.copies(dir) or {}) } end
  if given.help then return print_help(recipe, line) end
  -- the run may have been on another device; it is evaluated on a device of this machine
  local device, amp = choose_device(given.device, line), choose_amp(line:add {}.amp, line)
  kept.from(file)
  local r = load_recipe(recipe, line)
  local settings = evaluation.settings(line:own_options())
  local t = Trainer.new(r, device, amp, {})
  ranks.check_same(in_common(t))
  checkpoint.load_model(t, file)
  local held, which = evaluation.choose(t, settings.split)
  evaluation.check_names(t, settings.bounds)
  say('evaluating on %s: %s, %s', tostring(device), batches.samples_text(held), which)
  evaluation.run(t, held, settings)
end

-- luth predict CHECKPOINT|DIR|RECIPE FILES…: a line for each sample of the files.
function M.predict(path, words)
  local line = options.line('predict', words)
  local given = line:add {}
  if given.help and is_recipe(path) then return print_help(path, line) end
  local file, recipe
  file, recipe, line.earlier = what_to_evaluate('predict', path, not_empty('checkpoint', given.checkpoint))
  if given.help then return print_help(recipe, line) end
  local device, amp = choose_device(given.device, line), choose_amp(line:add {}.amp, line)
  kept.from(file)
  local r = recipes.load(recipe, line)
  local files = line:check()
  if #files == 0 then usage('luth predict needs files behind %s, or - for standard input', path) end
  local settings = predict.settings(line:own_options())
  local t = Trainer.new(r, device, amp, {})
  checkpoint.load_model(t, file)
  predict.run(t, (evaluation.choose(t)), files, settings)
end

-- luth summary RECIPE, CHECKPOINT or DIR: the model for a batch of the training data.
function M.summary(path, words)
  local line = options.line('summary', words)
  local given = line:add {}
  local recipe = path
  if not is_recipe(path) then
    local file
    file, recipe, line.earlier = what_to_evaluate('summary', path)
    kept.from(file)
  end
  if given.help then return print_help(recipe, line) end
  local r = load_recipe(recipe, line)
  local cpu = torch.device 'cpu'
  local loader = batches.loader(r, recipes.datasets(r).train, false, cpu)
  batches.each(loader, 0, 1, function(_, batch)
    batch = batches.prepare(r, cpu, batch)
    print(torch.utils.summary(r.model, table.pack(table.unpack(batch, 1, math.max(1, batch.n - 1)))))
  end)
end

return M
