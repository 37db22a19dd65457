-- torch.utils.tensorboard.SummaryWriter: the records of its file, their checksums, and what each message holds. The numbers of the
-- checksums are those of RFC 3720, B.4.
local records = require 'luth.events.records'
local proto = require 'luth.events.protobuf'
local File = require 'luth.events.file'

local zeros = records.encode(('\0'):rep(32))
assert(#zeros == 48 and string.unpack('<I8', zeros) == 32)
local masked = string.unpack('<I4', zeros, 45)
local rotated = (masked - 0xA282EAD8) & 0xFFFFFFFF
assert((rotated >> 17 | rotated << 15) & 0xFFFFFFFF == 0x8A9136AA)  -- CRC-32C of 32 zeros

local folder = os.tmpname()
os.remove(folder)
local w = torch.utils.tensorboard.SummaryWriter(folder)
for step = 1, 5 do w:add_scalar('loss', torch.tensor(1 / step), step) end
w:add_histogram('h', torch.tensor { -1., 0.5, 0.5, 2, 0 / 0 }, 3)
w:add_text('note', 'hello', 4)
w:add_hparams({ lr = 0.1, wide = true, name = 'x' }, { accuracy = 0.5 })
w:add_graph(nn.Linear(2, 3) .. nn.ReLU(), torch.ones(1, 2))
w:add_scalars('both', { a = 1, b = 2 }, 1)
w:close()

local path = w.file.path
local function read(p)
  local file <close> = assert(io.open(p, 'rb'))
  return file:read 'a'
end
local steps, text = {}, read(path)
records.each(text, function(bytes) steps[#steps + 1] = proto.read_integer(bytes, 2) or -1 end)
assert(table.concat(steps, ' ') == '-1 1 2 3 4 5 3 4 0 0 0 0 0', table.concat(steps, ' '))
for _, part in ipairs { 'brain.Event:2', 'loss', 'note/text_summary', '_hparams_/experiment', 'Linear(in_features=2', 'ReLU' } do
  assert(text:find(part, 1, true), part)
end
assert(io.popen("ls '" .. folder .. "'"):read('a'):find 'both_a')

-- Texts of messages are UTF-8, whatever a script calls things.
local odd = torch.utils.tensorboard.SummaryWriter(folder .. '/odd')
odd:add_scalar('loss\xe4', 1, 1)
odd:add_hparams({ ['lr\xe4'] = 'x\xe4' }, { ['b\xe4'] = 0.5 })
odd:close()
assert(not read(odd.file.path):find '[\x40-\x7f]\xe4' and read(odd.file.path):find('loss\\xe4', 1, true))

-- Records behind a step, and one that was cut short, go; the rest stays as it is.
local cut = folder .. '/cut'
local file = assert(io.open(cut, 'wb'))
file:write(text:sub(1, -5))
file:close()
File.from(cut, 3):flush()
local kept = {}
records.each(read(cut), function(bytes) kept[#kept + 1] = proto.read_integer(bytes, 2) or -1 end)
assert(table.concat(kept, ' ') == '-1 1 2 3 3 0 0 0 0', table.concat(kept, ' '))

local function fails(part, f, ...)
  local ok, why = pcall(f, ...)
  assert(not ok and why:find(part, 1, true), tostring(why))
end
fails('a scalar has one element', w.add_scalar, w, 'x', torch.ones(2), 1)
fails('a scalar is a number', w.add_scalar, w, 'x', 'y', 1)
fails('1 or 3 channels', w.add_image, w, 'x', torch.ones(4, 2, 2), 1)
os.execute("rm -r '" .. folder .. "'")
print 'ok'
