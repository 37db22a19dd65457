-- The modules of the user that a recipe requires: a run keeps their texts, says where it goes on with others, and is evaluated
-- with those that it kept.
local native = require 'luth.native'
local files = require 'luth.train.files'

local M = {}

local before = {}  -- what was there before the recipe ran
for name in pairs(package.loaded) do before[name] = true end

-- The files of the modules in Lua that are loaded, by name.
local function modules()
  local paths = {}
  for name in pairs(package.loaded) do
    local of_luth = before[name] or type(name) ~= 'string' or name == 'models' or name:find '^luth%.' or name:find '^torch%.'
    paths[name] = not of_luth and package.searchpath(name, package.path) or nil
  end
  return paths
end

local function copy_of(dir, name) return string.format('%s/required/%s.lua', dir, (name:gsub('[^%w_.-]', '_'))) end
local function read(path) return files.read(path, 1 << 24) end

--- The names of those that are others than in the folder of a run.
function M.changed(dir)
  local names = {}
  for name, path in pairs(modules()) do
    local kept = read(copy_of(dir, name))
    if kept and kept ~= read(path) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

--- From now on `require` takes a module of which the folder of a run has a copy from there, after luth's own.
function M.take_from(dir)
  table.insert(package.searchers, 3, function(name)
    local path = copy_of(dir, name)
    if not native.is_file(path) then return nil end
    return assert(loadfile(path, 't')), path  -- as recipes, no bytecode
  end)
end

--- The paths of the copies in the folder of a run.
function M.copies(dir)
  local list, folder = {}, dir .. '/required'
  for _, name in ipairs(native.exists(folder) and native.entries(folder) or {}) do
    local path = folder .. '/' .. name
    if path:find '%.lua$' and native.is_file(path) then list[#list + 1] = path end
  end
  return list
end

--- Keeps them in the folder of a run.
function M.keep(dir)
  local paths = modules()
  if next(paths) then native.mkdirs(dir .. '/required') end
  for name, path in pairs(paths) do native.replace(copy_of(dir, name), read(path) or '') end
end

return M
