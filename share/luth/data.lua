-- luth data: public data sets by name, fetched, checked and kept, and samples of any data on the terminal.
local errors = require 'luth.train.errors'
local fetch = require 'luth.data.fetch'
local native = require 'luth.native'
local sets = require 'luth.data.sets'
local texts = require 'luth.texts'

local M = {}
local usage = errors.usage

-- Where data are kept.
local function home()
  local given, user = os.getenv 'XDG_DATA_HOME', os.getenv 'HOME'
  if given and given:find '^/' then return given .. '/luth' end
  if not user or user == '' then usage 'there is no home for data: set XDG_DATA_HOME, or give --dir' end
  return user .. '/.local/share/luth'
end

local function find(name)
  local set, names = sets.find(name)
  return set or usage("there is no data set '%s'%s; luth data ls lists them", name, errors.did_you_mean(name, names))
end

-- Written last, so that a folder with it is whole.
local function mark(folder) return folder .. '/.complete' end
local function is_whole(folder) return native.exists(mark(folder)) end
local function folder_of(set, options) return options.dir or home() .. '/' .. set.name end

local function columns(rows)
  for column = 1, #rows[1] do
    local width = 0
    for _, row in ipairs(rows) do width = math.max(width, #row[column]) end
    for _, row in ipairs(rows) do row[column] = row[column] .. (' '):rep(width - #row[column]) end
  end
  for _, row in ipairs(rows) do print((table.concat(row, '  '):gsub('%s+$', ''))) end
end

-- ---- ls ----

local function list_files(set, options)
  local folder = folder_of(set, options)
  print(set.name .. ': ' .. set.about)
  print('in a script: ' .. set.use)
  print((is_whole(folder) and 'in ' or 'not fetched; it goes to ') .. folder)
  for _, file in ipairs(set.files) do
    print(file.address)
    print(file.sha256 and '  SHA-256 ' .. file.sha256 or '  MD5 ' .. file.md5)
  end
end

local function list(names, options)
  if #names > 0 then
    for _, name in ipairs(names) do list_files(find(name), options) end
    return
  end
  local rows = { { 'name', 'size', 'here', 'what it is' } }
  for _, set in ipairs(sets.all) do
    rows[#rows + 1] = { set.name, texts.size(set.megabytes * 1000000), is_whole(folder_of(set, {})) and 'yes' or '', set.about }
  end
  columns(rows)
end

-- ---- get ----

-- The address that --from gives: one, or that of a folder of this machine; nil for the publishers'.
local function address_of(from)
  if not from or from:find '^%a[%w+.-]*://' then return from end
  if from == '' or not native.exists(from .. '/.') then usage("--from takes a folder or an address, https://… or file:///…; there is no folder '%s'", from) end
  local path = from:find '^/' and from or (os.getenv 'PWD' or '/proc/self/cwd') .. '/' .. from
  return 'file://' .. path:gsub('[^%w/._~-]', function(c) return ('%%%02X'):format(c:byte()) end)
end

-- Removes what processes that are gone have left beside a folder: nobody holds its lock.
local function remove_leftovers(folder)
  local above, name = (folder:find '/' and folder or './' .. folder):match '^(.*)/([^/]*)$'
  for _, entry in ipairs(native.entries(above .. '/')) do
    local path = above .. '/' .. entry
    local is_work = entry:sub(1, #name + 1) == name .. '.' and entry:sub(#name + 2):find '^%d+%.part$'
    if is_work and not native.is_link(path) and native.exists(path .. '/.') and not native.lock(path .. '/.lock') then
      native.run { '/bin/rm', '-rf', path }
    end
  end
end

-- Fetches a set into a folder beside the final one, which it then becomes.
local function get(name, options)
  local set = find(name)
  local folder = folder_of(set, options)
  if is_whole(folder) and not options.force then return print(folder) end
  if native.exists(folder) and not is_whole(folder) and options.dir then
    usage('%s is there, and luth data get has not made it; name another folder', folder)
  end
  local from = address_of(options.from)
  local work = string.format('%s.%d.part', folder, native.process())
  remove_leftovers(folder)
  native.mkdirs(work)
  if native.lock(work .. '/.lock') then native.fail(1, 'another process works in ' .. work) end
  local _ <close> = setmetatable({}, { __close = function()  -- what is left of a failure
    if native.exists(work) then native.run { '/bin/rm', '-rf', work } end
  end })
  for _, file in ipairs(set.files) do
    local path, address = work .. '/' .. file.name, from and from:gsub('/*$', '/') .. file.name or file.address
    io.stderr:write('fetching ', address, '\n')
    fetch.fetch(address, path, math.floor(set.megabytes * 1.2e6 + 1e6))
    fetch.check(path, file)
    if file.unpack then
      fetch.unpack(path, work)
      os.remove(path)
    end
  end
  native.replace(mark(work), name .. '\n')
  if native.exists(folder) then native.run { '/bin/rm', '-rf', folder } end
  local moved, why = os.rename(work, folder)
  if not moved then native.fail(1, why) end
  os.remove(folder .. '/.lock')  -- under its name nobody takes it for a leftover
  print(folder)
  io.stderr:write(set.use, '\n')
end

-- ---- show ----

local function show(name, options)
  local count = math.tointeger(tonumber(options.count or 16))
  if not count or count < 1 or count > 1000 then usage("--count is a number of samples from 1 to 1000, got '%s'", options.count) end
  local split = options.split or 'train'
  if split ~= 'train' and split ~= 'test' then usage("--split is train or test, got '%s'", split) end
  local set = not native.exists(name) and find(name)
  local path = name
  if set then
    path = folder_of(set, options)
    local own = native.share_dir() .. '/data/' .. set.name  -- of the installation
    if not is_whole(path) then path = native.exists(own) and own or usage('%s is not here; luth data get %s', name, name) end
  end
  require('luth.data.show').show(path, count, split == 'train')
end

-- luth data ls|get|show …
function M.run(words, options)
  local command, names = words[1], { table.unpack(words, 2) }
  if command == 'ls' then return list(names, options) end
  if command ~= 'get' and command ~= 'show' then
    usage("luth data takes ls, get or show, got '%s'%s", tostring(command), errors.did_you_mean(command or '', { 'ls', 'get', 'show' }))
  end
  if #names == 0 then usage('luth data %s needs %s', command, command == 'get' and 'the name of a data set' or 'a name, folder or file') end
  if options.dir and #names > 1 then usage('--dir is for one data set') end
  for _, name in ipairs(names) do (command == 'get' and get or show)(name, options) end
end

return M
