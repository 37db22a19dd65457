-- Fetches files by curl or wget, checks them, and unpacks archives.
local native = require 'luth.native'
local texts = require 'luth.texts'

local M = {}

local function fail(...) native.fail(1, string.format(...)) end

-- The absolute folders of PATH: a relative or empty part is the current folder, which may be anybody's.
local folders = {}
for folder in (os.getenv 'PATH' or ''):gmatch '[^:]+' do
  if folder:sub(1, 1) == '/' then folders[#folders + 1] = folder end
end

-- The path of a program, or nil.
local function program(name)
  for _, folder in ipairs(folders) do
    if native.exists(folder .. '/' .. name) then return folder .. '/' .. name end
  end
end

-- What curl's and wget's exit codes mean, of those that say nothing by themselves.
local meanings = {
  curl = { [6] = 'no such host, or no network', [7] = 'no connection', [22] = 'the server has no such file', [23] = 'the disk is full',
           [28] = 'it took too long', [37] = 'there is no such file', [63] = 'the file is larger than it should be' },
  wget = { [3] = 'the disk is full', [4] = 'no network', [8] = 'the server has no such file' },
}

-- The address with what none can have, such as spaces, as %20.
local function encoded(address)
  return (address:gsub("[^%w%-._~:/?#@!$&'()*+,;=%%%[%]]", function(c) return ('%%%02X'):format(c:byte()) end))
end

local function command_of(tool, address, path, most)
  if tool.name == 'wget' then return { tool.path, '-q', '--tries=3', '--timeout=30', '-O', path, address } end
  return { tool.path, '--fail', '--globoff', '--location', '--proto', '=http,https,file', '--proto-redir', '=http,https', '--connect-timeout', '30',
           '--retry', '2', '--max-filesize', tostring(most), native.is_tty(2) and '--progress-bar' or '--silent', '--output', path, address }
end

-- Fetches an address into a file of at most `most` bytes.
function M.fetch(address, path, most)
  local tool
  for _, name in ipairs { 'curl', 'wget' } do
    local found = program(name)
    if found and not (name == 'wget' and address:find '^file:') then tool = { name = name, path = found } break end
  end
  if not tool then fail('cannot fetch %s: there is neither curl nor wget', address) end
  local _, _, code = native.run(command_of(tool, encoded(address), path, most))
  if code == 0 and native.exists(path) then return end
  os.remove(path)
  if code == 130 then native.fail(130, 'interrupted') end
  local why = meanings[tool.name][code]
  fail('cannot fetch %s: %s ended with code %d%s', address, tool.name, code, why and ' (' .. why .. ')' or '')
end

-- The sum of a file, in hexadecimal digits; kind is 'sha256' or 'md5'.
function M.sum(path, kind)
  local tool = program(kind .. 'sum') or fail('cannot check %s: there is no %ssum', path, kind)
  local pipe <close> = assert(io.popen(texts.shell_word(tool) .. ' ' .. texts.shell_word(path) .. ' 2>/dev/null'))
  return pipe:read 'a':match '^\\?(%x+)' or fail('cannot check %s: %s gives no sum', path, tool)
end

function M.check(path, file)
  local kind = file.sha256 and 'sha256' or 'md5'
  local found = M.sum(path, kind)
  if found == file[kind] then return end
  os.remove(path)
  fail('%s is not what it should be: its %s is %s, expected %s; nothing of it is kept', file.name, kind:upper(), found, file[kind])
end

-- Unpacks an archive that has been checked into a folder, without its own folder `inner`.
function M.unpack(path, folder)
  local tar = program 'tar' or fail('cannot unpack %s: there is no tar', path)
  local path_of_gzip = 'PATH=' .. table.concat(folders, ':')
  local _, _, code = native.run { program 'env', path_of_gzip, tar, '-xzf', path, '-C', folder, '--strip-components=1', '--no-same-owner' }
  if code ~= 0 then fail('cannot unpack %s: tar ended with code %d', path, code) end
end

return M
