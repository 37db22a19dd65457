-- Whole processes: seconds, and the peak of their memory. A small process starts each: the peak of a process includes what
-- the one that started it had in memory at that moment.
local native = require 'luth.native'
local texts = require 'luth.texts'

local function output_of(words)
  for i, word in ipairs(words) do words[i] = texts.shell_word(word) end
  local pipe = assert(io.popen(table.concat(words, ' ')))
  local text = pipe:read 'a'
  return pipe:close() and text or error(table.concat(words, ' ') .. ' failed', 0)
end

local M = {}

-- Seconds, peak memory in MB and output of `luth words…` with the benchmark's count of threads.
function M.start(...)
  local luth = native.program()
  local start, threads = native.share_dir() .. '/luth/bench/start.lua', tostring(torch.get_num_threads())
  local text, seconds, bytes, code = output_of({ luth, start, luth, '--threads', threads, ... }):match '^(.*)\n(%S+) (%d+) (%d+)\n$'
  if code ~= '0' then error('luth ended with ' .. tostring(code), 0) end
  return tonumber(seconds), bytes / 2 ^ 20, text
end

local function put(add, name, n, ...)
  local words = { ... }
  add {
    name = 'process/' .. name, unit = 's', work = 1, cpu = true,
    runs = function()
      M.start(table.unpack(words))
      local samples, most, out = {}, 0, nil
      for i = 1, n do
        local peak
        samples[i], peak, out = M.start(table.unpack(words))
        most = math.max(most, peak)
      end
      return samples, { rss_mb = math.floor(most * 10 + 0.5) / 10, out = out:gsub('%s+$', ''):sub(-200) }
    end,
  }
end

-- MB on disk of what `luth` needs to run: the program, its libraries and folder, and the libraries of others that they open.
-- Not MPI's: a run uses the one that starts it, which is the machine's, and the peer brings none.
local function installed_megabytes()
  local prefix = native.program():match '^(.*)/[^/]*/[^/]*$'
  local script = [[cd "$1" || exit 1
    own=$(ls -d bin/luth lib/libluth_*.so* libexec/luth share/luth 2>/dev/null | grep -v libluth_mpi_)
    others=$(ldd $own libexec/luth/* 2>/dev/null | sed -n 's/.*=> \(\/.*\) (.*/\1/p' | grep -v "/libluth_" | xargs -r readlink -f | sort -u)
    du -cLsB1 $own $others | tail -n 1]]
  return tonumber(output_of({ 'sh', '-c', script, 'sh', prefix }):match '^%d+') / 1e6
end

return function(add)
  put(add, 'start_interpreter', 9, '-e', '')
  put(add, 'start_import_torch', 5, '-e', '')
  put(add, 'start_first_add', 5, '-e', 'local x = torch.ones(3) print((x + x):sum():item())')
  put(add, 'lenet_mnist_epoch', 2, native.share_dir() .. '/luth/bench/lenet_epoch.lua')
  add {
    name = 'process/installed_size', unit = 'MB', work = 1, cpu = true,
    runs = function()
      local size = math.floor(installed_megabytes() + 0.5)
      return { 0 }, { value = size, best = size }
    end,
  }
end
