-- data.JSONLines and data.SQLite: the same tables as data.CSV, from other files.
local folder = os.tmpname()
os.remove(folder)
assert(os.execute('mkdir ' .. folder))
local function write(text)
  local path = folder .. '/a.jsonl'
  local file <close> = assert(io.open(path, 'wb'))
  file:write(text)
  return path
end
local function row(...)
  local all = {}
  for i, v in ipairs { ... } do all[i] = torch.is_tensor(v) and table.concat(v:reshape(-1):tolist(), '|') or tostring(v) end
  return table.concat(all, ' ; ')
end
local function check(found, expected) assert(found == expected, string.format('%s, expected %s', found, expected)) end
local function fails(text, f, ...)
  local good, message = pcall(f, ...)
  assert(not good and message:find(text, 1, true), tostring(message) .. ' instead of ' .. text)
end

-- ---- JSON lines ----
local path = write('\xef\xbb\xbf{"area": 10, "sold": true, "place": {"city": "Rome"}, "price": 2}\n\n'
                   .. '{"price": 3.5, "area": null, "sold": false, "place": {"city": "Oslo", "xy": [1, 2]}}\r\n'
                   .. '{"area": 30, "place": {"city": "Rome", "xy": [5, 6]}, "price": 4, "sold": true}')
local ds = data.JSONLines(path, { target = 'price', standardize = false })
check(table.concat(ds:features(), '|'), 'area|sold|place.city=Oslo|place.city=Rome|place.xy.1|place.xy.2')  -- as they come
check(row(ds:get(1)), '10.0|1.0|0.0|1.0|3.0|4.0 ; 2.0')
check(row(ds:get(2)), '20.0|0.0|1.0|0.0|1.0|2.0 ; 3.5')
check(row(data.JSONLines(path, { target = 'place.city', usecols = { 'area' }, standardize = false }):get(2)), '20.0 ; 1')
check(row(data.JSONLines(write '{"x": "a", "y": "7"}\n{"x": "b", "y": "8"}\n', { target = 'y' }):get(2)), '0.0|1.0 ; 2')
local ids = write '{"id": 9007199254740993, "n": "18446744073709551616"}\n{"id": -9223372036854775808, "n": "\\"1"}\n{"id": 18446744073709551615, "n": "a"}\n'
check(table.concat(data.JSONLines(ids, { target = 'id' }):classes(), '|'), '-9223372036854775808|9007199254740993|18446744073709551615')
for _, number in ipairs { '18446744073709551616', '-9223372036854775809' } do
  fails('line 1: a whole number has more than 64 bits', data.JSONLines, write('{"n": "1", "id": ' .. number .. '}\n'))
end
check(row(data.JSONLines(write '{"x": 1e30, "y": 12345678901234567890.5}', { standardize = false }):get(1).dtype), 'torch.float32')
fails("line 2, column 'a': 9007199254740993 would lose digits", data.JSONLines, write '{"a": 1}\n{"a": 9007199254740993}\n')
fails('is empty', data.JSONLines, write '')
fails('line 2, column 9: this is no JSON', data.JSONLines, write '{"a": 1}\n{"a": 1,\n')
fails('line 2: the line is no object', data.JSONLines, write '{"a": 1}\n[1]\n')
fails("line 2, column 'a': 'x' is no number", data.JSONLines, write '{"a": 1}\n{"a": "x"}\n')
fails("line 2, column 'a': a number among texts", data.JSONLines, write '{"a": "x"}\n{"a": 3}\n')
fails('line 1, column 9: there is a zero byte', data.JSONLines, write '{"a": 1}\0\n')
fails('line 1: it is nested deeper', data.JSONLines, write('{"a": ' .. ('['):rep(40) .. (']'):rep(40) .. '}\n'))
-- Each of so many names would repeat the long one.
fails('of a column has more than 1024 bytes', data.JSONLines, write('{"' .. ('k'):rep(1025) .. '": [' .. ('[], '):rep(2000) .. '1]}\n'))
-- lists in lists, empty ones, and a name within one
check(table.concat(data.JSONLines(write '{"b": [[1, 2], [], [{"a": 3}]], "a": {}, "": 4}\n'):features(), '|'), 'b.1.1|b.1.2|b.3.1.a|')
fails('line 1: it is nested deeper', data.JSONLines, write('{"a": ' .. ('['):rep(16) .. (']'):rep(16) .. '}\n'))
check(#data.JSONLines(write('{"a": ' .. ('['):rep(15) .. '1' .. (']'):rep(15) .. '}\n')):features(), 1)
fails("line 2: the key 'a' is there twice", data.JSONLines, write '{"a": 1}\n{"a": 1, "b": 2, "a": 3}\n')
fails("line 1: the key 'a.b' is there twice", data.JSONLines, write '{"a": {"b": 1}, "a.b": 2}\n')
fails('a number is out of range', data.JSONLines, write '{"a": 1e999}\n')

-- ---- SQLite ----
-- The second view finds nothing, and never ends.
local views = 'CREATE VIEW cheap AS SELECT area FROM houses WHERE price < 4; '
  .. 'CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0;'
local made = os.execute(string.format([[command -v sqlite3 >/dev/null && sqlite3 %s/a.db "CREATE TABLE houses (area REAL, city TEXT, price INT, b BLOB);
  INSERT INTO houses VALUES (10, 'Rome', 2, x'00'), (NULL, 'Oslo', 3, NULL), (30, 'Rome', 4, NULL); CREATE TABLE none (a INT); %s"]], folder, views))
  or os.execute(string.format([[python3 -c "
import sqlite3
db = sqlite3.connect('%s/a.db')
db.execute('CREATE TABLE houses (area REAL, city TEXT, price INT, b BLOB)')
db.executemany('INSERT INTO houses VALUES (?, ?, ?, ?)', [(10, 'Rome', 2, b'0'), (None, 'Oslo', 3, None), (30, 'Rome', 4, None)])
db.execute('CREATE TABLE none (a INT)')
db.executescript('%s')
db.commit()" 2>/dev/null]], folder, views))
if not made then
  print 'there is neither sqlite3 nor python3'
  os.exit(77)
end
local db = folder .. '/a.db'
local works, table_of = pcall(data.SQLite, db, 'SELECT area, city, price FROM houses', { target = 'price', standardize = false })
if not works and table_of:find('libsqlite3-dev', 1, true) then
  print(table_of)
  os.exit(77)
end
assert(works, table_of)
check(row(table_of:get(2)), '20.0|1.0|0.0 ; 3.0')
check(tostring(table_of), "'" .. db .. "' of 3 samples")
check(row(data.SQLite(db, 'SELECT price * 2 AS p FROM houses WHERE area > 20;', { standardize = false }):get(1)), '8.0')
local big = data.SQLite(db, 'SELECT 9007199254740993 AS id, 1 AS n UNION SELECT -9223372036854775808, 2 ORDER BY n', { target = 'id' })
check(table.concat(big:classes(), '|'), '-9223372036854775808|9007199254740993')
fails('the query is wrong', data.SQLite, db, 'SELEC 1')
fails('no such column: prise', data.SQLite, db, 'SELECT prise FROM houses')
fails('the query writes', data.SQLite, db, 'DELETE FROM houses')
fails('more than one query', data.SQLite, db, 'SELECT 1 AS a; DROP TABLE houses')
fails('the query is empty', data.SQLite, db, '')
fails("row 1, column 'b': a blob", data.SQLite, db, 'SELECT * FROM houses')
fails('has no rows', data.SQLite, db, 'SELECT a FROM none')
if os.execute('mkfifo ' .. folder .. '/pipe') then fails('not a file', data.SQLite, folder .. '/pipe', 'SELECT 1 AS a') end  -- it would wait for ever
os.execute(('cp %s %s/b.db; ln -s b.db %s/c.db'):format(db, folder, folder))
if os.execute('mkfifo ' .. folder .. '/b.db-journal') then  -- and so would the library, for the end of another's change
  for _, name in ipairs { 'b.db', 'c.db' } do fails('b.db-journal\': it is a device or pipe', data.SQLite, folder .. '/' .. name, 'SELECT area FROM houses') end
end
check(row(data.SQLite(db, 'SELECT * FROM cheap', { standardize = false }):get(1)), '10.0')
fails("the view 'endless' of the file takes too long", data.SQLite, db, 'SELECT area FROM houses JOIN endless ON i = area')
fails('unable to open', data.SQLite, folder .. '/none.db', 'SELECT 1')
fails('not a database', data.SQLite, write(('x'):rep(2000)), 'SELECT * FROM houses')
fails('has no columns', data.SQLite, db, "ATTACH 'b.db' AS b")
os.execute('rm -r ' .. folder)
