-- The modules of the user that a recipe requires: a run keeps their texts, and says where it goes on with others.
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

--- Keeps them in the folder of a run.
function M.keep(dir)
  local paths = modules()
  if next(paths) then native.mkdirs(dir .. '/required') end
  for name, path in pairs(paths) do native.replace(copy_of(dir, name), read(path) or '') end
end

return M
