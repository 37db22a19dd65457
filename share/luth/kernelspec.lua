-- luth kernel install: the file by which Jupyter finds luth.
local native = require 'luth.native'

local M = {}

local usage = 2

local function user_folder()
  local jupyter, data, home = os.getenv 'JUPYTER_DATA_DIR', os.getenv 'XDG_DATA_HOME', os.getenv 'HOME'
  if jupyter and jupyter ~= '' then return jupyter end
  if data and data:sub(1, 1) == '/' then return data .. '/jupyter' end
  if not home or home == '' then native.fail(usage, 'luth kernel install: there is no HOME; --prefix DIR says where') end
  return home .. '/.local/share/jupyter'
end

--- Writes kernel.json for the options {user, prefix, name}.
function M.install(options)
  local name = options.name or 'luth'
  if not name:match '^[%w._-]+$' or name:match '^%.+$' then
    native.fail(usage, ("luth kernel install: the name of a kernel has letters, digits, '.', '_' and '-' alone, got '%s'"):format(native.foreign(name, 60)))
  end
  if options.user and options.prefix then native.fail(usage, 'luth kernel install: --user and --prefix name two places') end
  local folder = (options.prefix and options.prefix .. '/share/jupyter' or user_folder()) .. '/kernels/' .. name:lower()
  native.mkdirs(folder)
  native.replace(folder .. '/kernel.json', native.json_encode {
    argv = { native.program(), 'kernel', 'run', '{connection_file}' },
    display_name = name == 'luth' and 'Lua (luth)' or name,
    language = 'lua',
    interrupt_mode = 'signal',
  } .. '\n')
  print('wrote ' .. folder .. '/kernel.json')
end

return M
