-- A campaign: ranks call random collectives without end, and one of them is killed, stopped, or stopped and then killed (which
-- leaves bytes on their way) at a random instant. Every other rank must then end with code 6 and name it: within 5 s of a kill,
-- within the time-out and 5 s of a stop.
--   luth tests/faults/ranks.lua --minutes M --ranks N --seed S
local limit = 3  -- the time-out of collectives, in seconds

local function work(seed, signals)
  local dist = torch.distributed
  dist.init_process_group { timeout = limit }
  local n, rank = dist.get_world_size(), dist.get_rank()
  local stat <close> = io.open '/proc/self/stat'
  print('process ' .. stat:read 'n')
  dist.barrier()
  print 'begun'
  io.stdout:flush()
  math.randomseed(seed)  -- the same calls on all ranks
  local function list(size)
    local l = {}
    for i = 1, n do l[i] = torch.zeros(size) end
    return l
  end
  local calls = {
    function(size) dist.all_reduce(torch.ones(size)) end,
    function(size, r) dist.broadcast(torch.ones(size), r) end,
    function(size, r) dist.reduce(torch.ones(size), r) end,
    function(size) dist.all_gather(list(size), torch.ones(size)) end,
    function(size, r) dist.gather(torch.ones(size), { gather_list = rank == r and list(size) or nil, dst = r }) end,
    function(size, r) dist.scatter(torch.ones(size), { scatter_list = rank == r and list(size) or nil, src = r }) end,
    function(size) dist.reduce_scatter(torch.ones(size), list(size)) end,
    function(size) dist.all_to_all(list(size), list(size)) end,
    function(size, r)
      local to = (r + 1) % n
      if rank == r then dist.send(torch.ones(size), to) elseif rank == to then dist.recv(torch.ones(size), r) end
    end,
    function() dist.barrier() end,
  }
  if signals ~= 'STOP' then  -- more than connections hold
    calls[#calls + 1] = function(_, r) dist.broadcast(torch.ones(10000000), r) end
  end
  while true do calls[math.random(#calls)](10 ^ math.random(0, 5) // 1, math.random(0, n - 1)) end
end

if arg[1] == 'work' then return work(tonumber(arg[2]), arg[3]) end

local option = { minutes = 1, ranks = 3, seed = os.time() }
for i = 1, #arg, 2 do
  local name = arg[i]:match '^%-%-(%l+)$'
  assert(name and option[name], 'unknown option ' .. arg[i])
  option[name] = assert(tonumber(arg[i + 1]), arg[i] .. ' expects a number')
end
math.randomseed(option.seed)

local function output(command)
  local p <close> = assert(io.popen(command))
  return p:read('a'):gsub('%s+$', '')
end
local function now() return tonumber((output 'date +%s.%N')) end
local function text_of(path)
  local file <close> = io.open(path)
  return file and file:read 'a' or ''
end
local function wait_for(seconds, condition)
  for _ = 1, seconds * 20 do
    if condition() then return true end
    os.execute 'sleep 0.05'
  end
  return condition()
end

local stat <close> = io.open '/proc/self/stat'
local luth = output(('readlink /proc/%d/exe'):format(stat:read 'n'))
local folder = output 'mktemp -d'

-- Ranks without a launcher, so that each end is seen: rank 0 keeps the store. A rank's file of its end: code and time.
local function start(n, seed, signals)
  local port = output(('%s -e "print(torch.distributed.TCPStore(\'127.0.0.1\', 0, nil, true):port())"'):format(luth))
  for r = 0, n - 1 do
    os.execute(('rm -f %s/%d.*'):format(folder, r))
    os.execute(([[(RANK=%d WORLD_SIZE=%d MASTER_ADDR=127.0.0.1 MASTER_PORT=%s LUTH_THREADS=1 timeout 100 %s %s work %d '%s' \
      > %s/%d.log 2>&1; echo $? $(date +%%s.%%N) > %s/%d.part; mv %s/%d.part %s/%d.end) &]]):format(r, n, port, luth,
      arg[0], seed, signals, folder, r, folder, r, folder, r, folder, r))
  end
  local function log(r) return text_of(('%s/%d.log'):format(folder, r)) end
  local all = wait_for(30, function()
    for r = 0, n - 1 do
      if not log(r):find 'begun' then return false end
    end
    return true
  end)
  assert(all, 'the ranks have not begun:\n' .. log(0))
  return log
end

local function check(n, victim, signals, log, began)
  local seconds = (signals == 'STOP' and limit or 0) + 5
  local bad = {}
  for r = 0, n - 1 do
    local path, code, at = ('%s/%d.end'):format(folder, r), nil, nil
    if r ~= victim then
      wait_for(seconds + 5, function() return text_of(path) ~= '' end)
      code, at = text_of(path):match '(%d+) (%S+)'
      local after = at and tonumber(at) - began or math.huge
      if code ~= '6' or after > seconds or not log(r):find('rank ' .. victim .. ' ') then
        bad[#bad + 1] = ('rank %d ended with code %s after %.1f s, saying: %s'):format(r, code, after, log(r))
      end
    end
  end
  return bad
end

local rounds, finish = 0, os.time() + option.minutes * 60
repeat
  local n, seed, victim = option.ranks, math.random(1 << 30), math.random(0, option.ranks - 1)
  local signals, delay = ({ 'KILL', 'STOP', 'STOP KILL' })[math.random(3)], math.random() / 2
  local what = ('round %d: signals %s to rank %d of %d after %.3f s'):format(rounds + 1, signals, victim, n, delay)
  local log = start(n, seed, signals)
  os.execute(('sleep %.3f'):format(delay))
  local began
  for signal in signals:gmatch '%u+' do
    if began then os.execute 'sleep 0.2' end
    began = now()
    os.execute(('kill -%s %s'):format(signal, log(victim):match 'process (%d+)'))
  end
  local bad = check(n, victim, signals, log, began)
  for r = 0, n - 1 do os.execute(('kill -KILL %s 2>/dev/null'):format(log(r):match 'process (%d+)')) end
  wait_for(5, function() return text_of(('%s/%d.end'):format(folder, victim)) ~= '' end)
  if bad[1] then error(('seed %d, %s\n%s'):format(option.seed, what, table.concat(bad, '\n')), 0) end
  rounds = rounds + 1
until os.time() >= finish
os.execute('rm -rf ' .. folder)
print(('%d rounds, each rank named the one that was killed or stopped'):format(rounds))
