-- Reads the goldens in Lua: JSON, and the files of samples (README.md has their format).
local M = {}

-- The value of a JSON text: objects and arrays as tables, null as torch.none.
function M.json(text)
  local at = 1
  local value
  local function skip() at = text:find('%S', at) end
  local function list(close, item)
    local out = {}
    at = at + 1
    skip()
    while text:sub(at, at) ~= close do
      item(out)
      skip()
      if text:sub(at, at) == ',' then at = at + 1 skip() end
    end
    at = at + 1
    return out
  end
  local escapes = {n = '\n', t = '\t', ['"'] = '"', ['\\'] = '\\', ['/'] = '/'}
  local words = {['true'] = true, ['false'] = false, null = torch.none}
  local function string_value()
    local stop = at
    repeat
      stop = text:find('["\\]', stop + 1)
      local escaped = text:byte(stop) == 92
      if escaped then stop = stop + 1 end
    until not escaped
    local raw = text:sub(at + 1, stop - 1)
    at = stop + 1
    return raw:find('\\', 1, true) and raw:gsub('\\(.)', escapes) or raw
  end
  function value()
    skip()
    local c = text:sub(at, at)
    if c == '{' then
      return list('}', function(out)
        local key = string_value()
        skip()
        at = at + 1
        out[key] = value()
      end)
    elseif c == '[' then
      return list(']', function(out) out[#out + 1] = value() end)
    elseif c == '"' then
      return string_value()
    end
    local word = text:match('^[%w%.%+%-]+', at)
    at = at + #word
    if words[word] ~= nil then return words[word] end
    return tonumber(word)
  end
  return value()
end

function M.text(path)
  local file = assert(io.open(path, 'rb'))
  local all = file:read('a')
  file:close()
  return all
end

-- One family: `samples` or `cases` as the index has them, `tensor(j)` makes the tensor that it describes.
function M.file(path)
  local columns = torch.load(path)
  local index = M.json(columns.json:tobytes())
  local file = {samples = index.samples, cases = index.cases, clips = index.clips}
  function file.tensor(j)
    local n = 1
    for _, extent in ipairs(j.shape) do n = n * extent end
    local dtype = torch[j.dtype]
    local stored = columns[j.dtype]
    local values = n == 0 and torch.zeros(0, {dtype = dtype}) or stored:narrow(1, j.at + 1, n)
    if values.dtype ~= dtype then  -- bits: uint16 for the short floats, uint8 for bool
      local bits = j.dtype == 'bool' and values or values:to(torch.int16)
      values = torch.frombuffer(bits:tobytes(), {dtype = dtype})
    end
    local x = values:clone():reshape(j.shape)
    if j.strides then
      local last = j.offset
      for i, stride in ipairs(j.strides) do last = last + (j.shape[i] - 1) * stride end
      local laid = torch.zeros(n == 0 and 1 or last + 1, {dtype = dtype}):as_strided(j.shape, j.strides, j.offset)
      local into = laid
      for i, stride in ipairs(n > 0 and j.strides or {}) do  -- what is expanded is stored once
        if stride == 0 then into, x = into:narrow(i, 1, 1), x:narrow(i, 1, 1) end
      end
      if n > 0 then into:copy_(x) end
      return laid
    end
    return x
  end
  return file
end

return M
