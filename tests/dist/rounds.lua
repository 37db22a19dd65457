-- A process may leave the run and join it again, as often as it likes, and keeps nothing of it: no descriptor, no thread, no port.
local dist = torch.distributed

local stat <close> = io.open '/proc/self/stat'
local process = '/proc/' .. stat:read 'n'
-- How many words a command prints about this process, once popen has closed its end of the pipe.
local function count(command)
  local p <close> = assert(io.popen('sleep 0.1; ' .. command:gsub('PROCESS', process)))
  return select(2, p:read('a'):gsub('%S+', ''))
end
local function held()
  collectgarbage()
  return ('%d descriptors, %d threads, %d processes'):format(count 'ls PROCESS/fd', count 'ls PROCESS/task',
    count 'cat PROCESS/task/*/children')
end

local kept = {}  -- groups that have ended hold nothing either
local function round(i)
  dist.init_process_group { timeout = 60 }
  local n, rank = dist.get_world_size(), dist.get_rank()
  local x = torch.full({ 10 }, rank + i + 0.0)
  dist.all_reduce(x)
  assert(torch.equal(x, torch.full({ 10 }, n * (n - 1) / 2 + n * i)), 'round ' .. i)
  if i % 20 == 1 then
    local group = dist.new_group()
    kept[#kept + 1] = group
    local y = torch.ones(1)
    dist.all_reduce(y, { group = group })
    assert(y:item() == n)
    local work = n > 1 and rank == 0 and dist.irecv(y, 1)  -- which never comes
    dist.destroy_process_group()
    if work then assert(not pcall(work.wait, work)) end
    assert(not pcall(dist.all_reduce, y, { group = group }))
  else
    dist.destroy_process_group()
  end
end

for i = 1, 3 do round(i) end
local before = held()
for i = 4, 200 do round(i) end
local after = held()
assert(before == after, ('before: %s; after: %s'):format(before, after))
