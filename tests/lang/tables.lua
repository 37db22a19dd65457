-- data.CSV: types, missing values, categories, what is learned and kept, and bad files by line and column.
local folder = os.tmpname()
os.remove(folder)
assert(os.execute('mkdir ' .. folder))
local function write(text, name)
  local path = folder .. '/' .. (name or 'a.csv')
  local file <close> = assert(io.open(path, 'wb'))
  file:write(text)
  return path
end
local function list(t) return table.concat(t, '|') end
local function row(...)
  local all = {}
  for i, v in ipairs { ... } do all[i] = torch.is_tensor(v) and list(v:reshape(-1):tolist()) or tostring(v) end
  return table.concat(all, ' ; ')
end
local function check(found, expected) assert(found == expected, string.format('%s, expected %s', found, expected)) end

-- ---- columns ----
local houses = 'area,city,price\n1,Paris,2.5\n3,"Rome, old",4\n5,NA,6\n,Paris,8\n'
local path = write(houses)
local raw = data.CSV(path, { target = 'price', standardize = false })
check(list(raw:features()), 'area|city=Paris|city=Rome, old')
check(tostring(raw), "'" .. path .. "' of 4 samples")
check(row(raw:get(2)), '3.0|0.0|1.0 ; 4.0')
check(row(raw:get(3)), '5.0|0.0|0.0 ; 6.0')
check(row(raw:get(4)), '3.0|1.0|0.0 ; 8.0')
local ds = data.CSV(path, { target = 3 })
local x, y = data.DataLoader(ds, { batch_size = 4 })()
torch.testing.assert_close(x:select(2, 1), torch.tensor { -1.2247449, 0, 1.2247449, 0 })
assert(y:size(2) == 1 and y.dtype == torch.float32)
-- A column of equal numbers has no deviation, though its mean is rounded: a value beside it is no million away.
local same = data.CSV(write('a,b\n' .. ('0.1,1\n'):rep(10) .. '0.1,2\n'))
assert(math.abs(same:get(3)[1]:item()) < 1e-12)
local beside = data.CSV(write 'a,b\n0.10001,1\n0.1,2\n')
beside:load_state_dict(same:state_dict())
assert(beside:get(1)[1]:item() < 1e-3)
write(houses)
local n, codes, price = data.DataLoader(data.CSV(path, { target = 'price', encode = 'codes' }), { batch_size = 4 })()
check(row(n:size(2), codes:select(2, 1), price), '1 ; 1|2|3|1 ; 2.5|4.0|6.0|8.0')
local cities = data.CSV(path, { target = 'city', usecols = { 'price' }, missing = 'drop' })
assert(#cities == 3)
check(list(cities:classes()), 'Paris|Rome, old')
check(row(select(2, cities:get(2))), '2')
check(row(data.CSV(path, { target = { 'price', 'area' }, missing = 'drop' }):get(2)), '0.0|1.0 ; 4.0|3.0')
check(row(data.CSV(path):get(1)), row(data.CSV(path, { usecols = { 'area', 'city', 'price' } }):get(1)))
local numbered = data.CSV(write 'label,x\n10,1\n9,2\n10,3\n', { target = 'label', categories = 'label' })
check(list(numbered:classes()), '9|10')
-- Whole numbers from 2^53 on keep their digits: they are categories.
local ids = data.CSV(write 'id,n\n9007199254740992,1\n9007199254740993,9007199254740991\n-123456789012345678901,3\n', { target = 'id', standardize = false })
check(list(ids:classes()), '-123456789012345678901|9007199254740992|9007199254740993')
check(row(select(2, ids:get(2))), '3')

-- ---- several tables ----
local january, february = write('area,city,price\n1,Paris,2\n3,Rome,4\n', 'january.csv'), write('area,city,price\n101,Rome,5\n103,Oslo,6\n', 'february.csv')
local first, second = data.CSV(january, { target = 'price' }), data.CSV(february, { target = 'price' })
local joined, why = pcall(data.ConcatDataset, { first, second })
assert(not joined and why:find("february.csv' has learned other means, deviations or classes", 1, true), why)
second:load_state_dict(first:state_dict())
local both = data.ConcatDataset { first, data.Subset(second, { 2, 1 }) }
check(row(both:get(4)), '99.0|0.0|1.0 ; 5.0')
assert(both:state_dict().features[1].mean == 2)
both:load_state_dict(data.CSV(february, { target = 'price' }):state_dict())
check(row(both:get(4)), '-1.0|0.0|1.0 ; 5.0')
check(row(first:get(1)), '-101.0|0.0|0.0 ; 2.0')
-- Means that scale nothing may differ, categories may not.
local function raw_of(name, columns) return data.CSV(name, { target = 'price', usecols = columns, standardize = false }) end
assert(#data.ConcatDataset { raw_of(january, { 'area' }), raw_of(february, { 'area' }) } == 4)
assert(not pcall(data.ConcatDataset, { raw_of(january, { 'city' }), raw_of(february, { 'city' }) }))
local beside_each_other = data.StackDataset(data.TensorDataset(torch.ones(2)), data.CSV(january))
beside_each_other:load_state_dict(data.StackDataset(data.TensorDataset(torch.ones(2)), data.CSV(february)):state_dict())
check(row(beside_each_other:get(1)), '1.0 ; -101.0|0.0|0.0|-7.0')
assert(data.StackDataset(data.TensorDataset(torch.ones(2))):state_dict() == nil)
-- Streams of tables keep it, too.
assert(not pcall(data.ChainDataset, { data.CSV(january), data.CSV(february) }))
local stream = data.Shuffler(data.ChainDataset { data.TensorDataset(torch.ones(1)), data.CSV(january) })
stream:load_state_dict(data.CSV(february):state_dict())
assert(stream:state_dict().features[1].mean == 102)
assert(data.Shuffler(data.ChainDataset { data.TensorDataset(torch.ones(1)) }):state_dict() == nil)

-- ---- formats ----
local odd = data.CSV(write '\xef\xbb\xbfa,b\r\n1,"x ""y"" z"\r\n\r\n2 ,"li\nne"\r\n"3",q', { target = 'b', standardize = false })
check(list(odd:classes()), 'li\nne|q|x "y" z')
check(row(odd:get(2)), '2.0 ; 1')
local plain = { standardize = false }
check(row(data.CSV(write('a\tb\n1,5\t2\n', 'a.tsv'), { standardize = false, decimal = ',' }):get(1)), '1.5|2.0')
check(row(data.CSV(write 'a;b\n+1;-2e1\n', plain):get(1)), '1.0|-20.0')
check(row(data.CSV(write '5.1,3.5\n4,3\n', plain):get(2)), '4.0|3.0')  -- no header
assert(#data.CSV(write '2019,2020\n4,3\n', { header = true }) == 1)
check(row(data.CSV(write 'a,b\n1,-999\n2,4\n', { na_values = '-999', standardize = false }):get(1)), '1.0|4.0')
check(row(data.CSV(write "a,b\n1,'x,y'\n2,z\n", { quote = "'", target = 2, standardize = false }):get(1)), '1.0 ; 1')
if os.execute('gzip -c ' .. path .. ' >' .. folder .. '/b.csv.gz 2>/dev/null') then
  write(houses)
  os.execute('gzip -c ' .. path .. ' >' .. folder .. '/b.csv.gz')
  check(row(data.CSV(folder .. '/b.csv.gz', { target = 'price' }):get(1)), row(ds:get(1)))
end
-- rows of many lengths across the pieces in which the file is read
local lines, total = { 'text,n' }, 0
for i = 1, 3000 do
  local text = ('x'):rep(i % 1500)
  lines[#lines + 1] = (i % 3 == 0 and '"%s"\n' or '%s\n'):format(text .. (i % 3 == 0 and '""\n,' or '')):gsub('\n$', ',' .. i)
  total = total + i
end
local long = data.CSV(write(table.concat(lines, '\n')), { target = 'n', encode = 'codes' })
local sum = 0
for _, v in data.DataLoader(long, { batch_size = 500 }) do sum = sum + v:sum():item() end
assert(#long == 3000 and sum == total)

-- ---- what was learned ----
local state = ds:state_dict()
check(row(state.features[1].mean, list(state.features[2].categories), state.target[1].mean), '3.0 ; Paris|Rome, old ; 5.125')
torch.save(state, folder .. '/state.h5')
state = torch.load(folder .. '/state.h5')
check(row(data.CSV(write 'price,city,area\n2,Oslo,3\n', { like = ds }):get(1)), '0.0|0.0|0.0 ; 2.0')
check(row(data.CSV(write 'city,area,more\n"Rome, old",3,x\n', { like = state }):get(1)), '0.0|0.0|1.0')
local other = data.CSV(write 'area,city,price\n7,Rome\t,2\n9,Paris,1\n', { target = 'price' })
assert(not pcall(other.load_state_dict, other, { features = {}, target = {} }))
other:load_state_dict(state)
check(row(other:get(2)), row(torch.tensor { 6 / math.sqrt(8 / 3), 1, 0 }, 1.0))
local train, val = data.random_split(data.CSV(write(houses), { target = 'price' }), { 3, 1 }, { seed = 3 })
train:state_dict()
local whole = data.CSV(path, { target = 'price' })
local part = data.Subset(whole, { 1, 2 })
assert(whole:fit(part) == whole)
check(row(part:state_dict().features[1].mean, list(part:state_dict().features[2].categories)), '2.0 ; Paris|Rome, old')
whole:fit(data.Subset(whole, { 1, 4 }))
check(list(whole:features()), 'area|city=Paris')
check(tostring(data.TensorDataset(torch.zeros(2)):state_dict()), 'nil')

-- ---- bad files ----
local function bad(text, options, ...)
  local ok, why = pcall(data.CSV, write(text), options)
  assert(not ok, text)
  for _, part in ipairs { ... } do assert(why:find(part, 1, true), why) end
end
local none = {}
bad('', none, 'is empty')
bad('\n\n', none, 'is empty')
bad('a,b\n', none, 'has no rows')
bad('a,b\n1,2\n3\n', none, 'line 3', "column 'b'", '1 values')
bad('a,b\n1,2\n3,4,5\n', none, 'line 3', '3 values', "behind column 'b'")
bad('a,b\n1,2\n5,"2\n3,4\n', none, 'line 3', "column 'b'", 'does not end')
bad('a,b\n"1\n",2\n1,"2"x\n3,4\n', none, 'line 4', "column 'b'", 'follows the quote')
bad('a,b\n1,2\n\n3,x\n', none, 'line 4', "column 'b'", "'x' is no number")
bad('a,b\n1,x\n3,7\n', none, 'line 3', "column 'b'", 'a number among texts')
bad('a,b\n1,2\n3,9007199254740993\n', none, 'line 3', "column 'b'", '9007199254740993 would lose digits', "categories = {'b'}")
bad('a,b\n1,2\n3,inf\n', none, 'line 3', "column 'b'", "'inf' is no number")
bad('a,b\n1,2\n3,\0\n', none, 'line 3', "column 'b'", 'zero byte')
bad('\xff\xfea\0', none, 'UTF-16')
bad('a,a\n1,2\n', none, "two columns of the name 'a'")
bad('a;b\n1,5;2\n', none, 'line 2', "column 'a'", "decimal = ','")
bad('a,b\n1,\n2,\n', none, "column 'b' has no values")
bad('a,b\n1,x\n2,x\n', { target = 'b' }, "'b' has one class alone, 'x'")
bad('a,b\n1,x\n2,\n', { target = 'b' }, 'line 3', "column 'b'", 'the target is missing')
bad('a,b\n1,x\n,y\n', { missing = 'error' }, 'line 3', "column 'a'")
bad('a,b\n1,x\n2,y\n', { target = 'bb' }, "no column 'bb'")
bad('price,b\n1,x\n2,y\n', { target = 'prise' }, "did you mean 'price'?")
bad('a,b\n1,x\n2,y\n', { targt = 'b' }, "did you mean 'target'?")
bad('a,b\n1,x\n2,y\n', { target = 3 }, 'no column 3')
bad('a,b\n1,x\n2,y\n', { target = { 'a', 'b' } }, 'no columns for features')
bad('a,b,c\n1,x,2\n2,y,3\n', { target = { 'a', 'b' } }, "'b' holds categories")
bad('a,b\n1,x\n2,y\n', { encode = 'onehot' }, "'one_hot' or 'codes'")
bad('a,b\n1,x\n2,y\n', { delimiter = '::' }, 'delimiter is one character')
bad('a,b\n1,x\n2,y\n', 'b', 'expects a table of settings')
bad('a,b\n1,x\n2,y\n', { target = 'b', usecols = { 'a', 'b' } }, "'b' is a target and a feature")
bad('city,area,price\nRome,x,2\n', { like = ds }, 'line 2', "column 'area'", "'x' is no number")
bad('city,price\nRome,3\n', { like = ds }, "no column 'area'")
bad('a,b\n1,z\n', { like = data.CSV(write 'a,b\n1,x\n2,y\n', { target = 'b' }) }, "class 'z' of 'b' is none")
assert(not pcall(whole.fit, whole, ds))
os.execute('rm -r ' .. folder)
