-- Datasets of text, transforms of sequences, and collating them.
local function refused(words, f, ...)
  local ok, why = pcall(f, ...)
  assert(not ok and tostring(why):find(words, 1, true), ("'%s' does not say '%s'"):format(tostring(why), words))
end
local function list(t) return table.concat(t:flatten():tolist(), ' ') end
local path = os.tmpname()
local function write(text)
  local file <close> = assert(io.open(path, 'wb'))
  file:write(text)
end

-- ---- stretches ----
write 'abcdefghij'
for _, kind in ipairs { 'characters', 'bytes' } do
  local first = kind == 'bytes' and ('a'):byte() or 0
  local ds = data.TextDataset(path, { tokenizer = kind, context = 3 })
  assert(#ds == 3 and ds:tokens() == 10 and #ds:tokenizer() == (kind == 'bytes' and 256 or 10))
  local x, y = ds:get(2)
  assert(list(x - first) == '4 5 6' and list(y - first) == '5 6 7' and x.dtype == torch.int64)
  for a, b in data.DataLoader(ds, { batch_size = 3, num_workers = 2 }) do
    assert(list(a - first) == '1 2 3 4 5 6 7 8 9' and list(b - a) == '1 1 1 1 1 1 1 1 1')
  end
  local train, val = ds:part(0, 0.6), ds:part(0.6, 1)
  assert(#train == 1 and #val == 1 and list((val:get(1)) - first) == '7 8 9')
end
assert(#data.TextDataset(path, { tokenizer = 'bytes', context = 3, stride = 1 }) == 7)
assert(#data.TextDataset({ 'abc', 'def' }, { tokenizer = 'characters', context = 5 }) == 1)
local still = data.TextDataset(path, { tokenizer = 'bytes', context = 2, stride = 4, random_start = true }):part(0, 1, { random_start = false })
assert(list((still:get(2)) - 96) == '6 7' and #still == 2)
local moved = data.TextDataset(path, { tokenizer = 'bytes', context = 2, stride = 4, random_start = true })
local function epoch(seed, n)
  local loader = data.DataLoader(moved, { batch_size = 2, seed = seed, num_workers = n })
  local seen = {}
  for _ = 1, 2 do for x, y in loader do
    assert(list(y - x) == '1 1 1 1')
    seen[#seen + 1] = list(x)
  end end
  return table.concat(seen, ',')
end
assert(epoch(3, 0) == epoch(3, 2) and (epoch(3, 0) ~= epoch(4, 0) or epoch(3, 0) ~= epoch(5, 0)))

write 'ab\xffcd'
for _, tokenizer in ipairs { 'characters', data.Tokenizer.words { 'ab' } } do
  refused(path .. "', byte 3: this is no UTF-8", data.TextDataset, path, { tokenizer = tokenizer, context = 2 })
end
write(('Zeile\n'):rep(200000) .. 'gr\xfc\xdfe')  -- in the second part of the file
refused("byte 1200003: this is no UTF-8", data.TextDataset, path, { tokenizer = 'words', context = 2 })
write 'ab\xffcd'
assert(data.TextDataset(path, { tokenizer = 'characters', context = 2, errors = 'replace' }):tokens() == 5)
assert(data.TextDataset(path, { tokenizer = 'bytes', context = 2 }):tokens() == 5)
write ''
refused('there are 0 tokens', data.TextDataset, path, { tokenizer = 'characters', context = 2 })
refused("of characters, bytes, words or bpe, got 'letters'", data.TextDataset, path, { tokenizer = 'letters' })
refused('cannot open', data.TextDataset, '/no/such/text', { tokenizer = 'bytes' })
refused('needs a tokenizer', data.TextDataset, path, {})
write(('x'):rep(100))
local shrunk = data.TextDataset(path, { tokenizer = 'bytes', context = 10 })
write 'x'
refused('it has become shorter', shrunk.get, shrunk, 5)

-- ---- lines ----
write 'good\tone two\nbad\tthree\r\n\ngood\tone one one\n'
local words = data.Tokenizer.words({ 'one two three one' }, {})
local lines = data.TextLines(path, { tokenizer = words, label = 'first' })
assert(#lines == 3 and table.concat(lines:classes(), ' ') == 'bad good' and lines:text(2) == 'three' and list(lines:lengths()) == '2 1 3')
local ids, label = lines:get(1)
assert(list(ids) == list(words:ids 'one two') and label == 2)
local packed = {}
for x, y in data.DataLoader(lines, { batch_size = 3, collate_fn = data.PadCollate { padding_value = 0, lengths = true } }) do packed = { x, y } end
assert(list(packed[1]) == list(torch.stack { torch.cat { ids, torch.tensor { 0 } }, torch.cat { words:ids 'three', torch.tensor { 0, 0 } }, words:ids 'one one one' }))
assert(list(packed[2]) == '2 1 3')
for x, n, y in data.DataLoader(lines, { batch_size = 3, collate_fn = data.PackCollate() }) do
  assert(x:numel() == 6 and list(n) == '2 1 3' and list(y) == '2 1 2')
end
local even = data.Transformed(lines, data.transforms.Compose { data.transforms.Truncate(2), data.transforms.PadTransform(2, 0) })
for x in data.DataLoader(even, { batch_size = 3, num_workers = 1 }) do assert(x:dim() == 2 and x:size(2) == 2) end
local batches = data.BucketBatchSampler(lines:lengths(), 2, { shuffle = false })()
assert(#batches == 2)
refused("line 4 of", data.TextLines, path, { tokenizer = words, label = 'last', classes = { 'one two', 'three' } })
refused('has no label', data.TextLines, path, { tokenizer = words, label = 'first', separator = ';' })
local other = data.TextLines(path, { tokenizer = words, label = 'first', classes = { 'good', 'bad', 'ugly' } })
assert(select(2, other:get(1)) == 1)
other:load_state_dict(lines:state_dict())
assert(select(2, other:get(1)) == 2 and #other:classes() == 2)
write 'a\tx\nb\ty\n'
local fewer = data.TextLines(path, { tokenizer = words, label = 'first' })
refused("the label 'good', which is no class", lines.load_state_dict, lines, fewer:state_dict())
write 'good\tone two\nbad\tthree\r\n\ngood\tone one one\n'
assert(table.concat(lines:classes(), ' ') == 'bad good' and select(2, lines:get(1)) == 2)  -- it is as it was
refused("the label 'good', which is no class", lines.load_state_dict, lines, fewer:state_dict())
write 'a\tx\nb\ty\n'
local twice = data.TextLines(path, { tokenizer = words, label = 'first', classes = { 'a', 'a', 'b' } })
assert(select(2, twice:get(1)) == 1 and select(2, twice:get(2)) == 3)
local bare = data.TextLines(path, { tokenizer = words })
refused('learns nothing of its data', bare.load_state_dict, bare, fewer:state_dict())
write '\n\n'
refused('has no lines', data.TextLines, path, { tokenizer = words })

-- ---- transforms ----
local t = data.transforms
assert(list(t.Truncate(2)(torch.tensor { 1, 2, 3 })) == '1 2' and list(t.Truncate(5)(torch.tensor { 1, 2 })) == '1 2')
assert(list(t.PadTransform(4, 9)(torch.tensor { 1, 2 })) == '1 2 9 9' and list(t.PadTransform(3, 0, { side = 'left' })(torch.tensor { 1, 2 })) == '0 1 2')
local piece = t.RandomTruncate(2)(torch.arange(1, 11))
assert(#piece == 2 and piece[2]:item() == piece[1]:item() + 1)
refused('max_seq_len is at least 1', t.Truncate, 0)
refused("side is 'right' or 'left'", t.PadTransform, 1, 0, { side = 'up' })
os.remove(path)

-- ---- metrics of sequences: scores [N, C, T] and labels, those below 1 left out ----
local measures = require 'luth.train.measures'
local function value(name, output, target) 
  local sums = table.pack(measures[name].sums(output, target))
  for i = 1, sums.n do sums[i] = sums[i]:numel() == 1 and sums[i]:item() or sums[i] end
  return measures[name].value(table.unpack(sums))
end
local uniform = torch.zeros(2, 4, 3)
local target = torch.tensor { { 1, 2, -100 }, { 4, 3, 2 } }
assert(math.abs(value('bits_per_character', uniform, target) - 2) < 1e-6 and math.abs(value('perplexity', uniform, target) - 4) < 1e-5)
local said = torch.tensor { { 1, 2, 3, 4, 5 }, { 2, 2, 3, 4, 1 } }
local scores = F.one_hot(said, 5):transpose(2, 3):float()
assert(math.abs(value('bleu', scores, said) - 1) < 1e-6)
