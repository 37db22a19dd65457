-- The ranks of a run: processes that train or evaluate one recipe together, started by any launcher. A process without
-- a launcher is rank 0 of 1, for torch.distributed too; then nothing here waits or sends.
local native = require 'luth.native'
local launched = require('luth.dist').launched
local errors = require 'luth.train.errors'
local dist = torch.distributed

-- local_rank: the number among those of this machine.
local M = { rank = 0, size = 1, local_rank = 0 }

-- NCCL sends between GPUs where each rank of this machine has one; NCCL refuses ranks that share one, and Gloo does not.
-- One rank sends nothing, and needs neither.
local function backend_for(device, size, ranks_here)
  if size == 1 or device == 'cpu' or ranks_here == 0 or torch.cuda.device_count() < ranks_here then return nil end
  return dist.is_nccl_available() and 'cpu:gloo,cuda:nccl' or nil
end

local function good(seconds) return seconds and seconds > 0 and seconds < 1e9 end

--- Refuses a value of --dist-timeout that is none.
function M.check_timeout(timeout)
  if timeout and not good(tonumber(timeout)) then errors.usage("--dist-timeout takes seconds above 0, got '%s'", timeout) end
end

-- Joins the run that a launcher has started, or one of this process alone. `timeout`: seconds as text, nil for the usual
-- ones, as is a text of which the recipe may know more. `device`: what was given as --device.
function M.join(timeout, device)
  local seconds = good(tonumber(timeout)) and tonumber(timeout) or nil
  local rank, size, local_rank, ranks_here = launched()
  if not rank then rank, size, local_rank = 0, 1, 0 end
  dist.init_process_group(backend_for(device, size, ranks_here), { timeout = seconds, rank = rank, world_size = size })
  M.rank, M.size, M.local_rank = rank, size, local_rank
end

-- Whether this process is the one that speaks and writes; before join() too.
function M.is_first() return (launched() or 0) == 0 end

--- Whether no launcher has started this process.
function M.is_alone() return (select(2, launched()) or 1) == 1 end

-- ---- values -------------------------------------------------------------------------------------------------------------

-- What f() returns on rank 0, on all ranks: a plain value, or a table of these and of tensors.
function M.of_first(f)
  if M.size == 1 then return f() end
  local list = { M.rank == 0 and f() }
  dist.broadcast_object_list(list, 0)
  return list[1]
end

-- The values of all ranks, in their order.
function M.all(value)
  if M.size == 1 then return { value } end
  local list = {}
  dist.all_gather_object(list, value)
  return list
end

-- The numbers of all ranks, a list of lists.
function M.numbers(own)
  if M.size == 1 then return { own } end
  local mine, list = torch.tensor(own, { dtype = torch.float64 }), {}
  for i = 1, M.size do list[i] = torch.zeros_like(mine) end
  dist.all_gather(list, mine)
  for i, t in ipairs(list) do list[i] = t:tolist() end
  return list
end

-- The sums over the ranks of some numbers.
function M.sums(own)
  if M.size == 1 or #own == 0 then return own end
  local total = torch.tensor(own, { dtype = torch.float64 })
  dist.all_reduce(total)
  return total:tolist()
end

function M.barrier()
  if M.size > 1 then dist.barrier() end
end

-- ---- what ends a run ------------------------------------------------------------------------------------------------------

-- Refuses ranks that do not do the same; `what` says what this one does.
function M.check_same(what)
  local all = M.all(what)
  for rank = 1, M.size - 1 do
    if all[rank + 1] ~= all[1] then
      errors.usage('the ranks differ: rank 0 has %s, and rank %d has %s', all[1], rank, all[rank + 1])
    end
  end
end

-- Ends all ranks because of one of them, which alone has the exit code.
function M.fail(rank, code, text)
  if rank == M.rank then native.fail(code, text) end
  native.fail(6, string.format('rank %d has ended: %s', rank, text))
end

-- Ends all ranks with the code; rank 0 says why.
function M.finish(code, text)
  M.barrier()
  if M.rank == 0 then native.fail(code, text) end
  os.exit(code)
end

local asked  -- what the ranks have said of signals at the step before: {flag, work}

M.asks_to_save = 1  -- SIGUSR1, as M.signal gives it: below the numbers of SIGINT and SIGTERM

local own_signal = native.asked  -- of this rank

local function answer(asked)
  asked.work:wait()
  return asked.flag:item()
end

-- The signal that all ranks obey, 0 for none. Each says what it has got; the answer is there a step later, and nothing
-- waits for it, or `now`.
function M.signal(now)
  local own = own_signal()
  if M.size == 1 then return own end
  local before = asked
  local flag = torch.tensor({ own }, { dtype = torch.int32 })
  asked = { flag = flag, work = dist.all_reduce(flag, { op = dist.ReduceOp.MAX, async_op = true }) }
  local signal = before and answer(before) or 0
  if now then signal, asked = math.max(signal, answer(asked)), nil end
  return signal
end

-- ---- a launcher that starts the ranks again --------------------------------------------------------------------------------

-- The store of `luth launch`, which outlives an attempt; nil without it.
local function store_of_launcher()
  if os.getenv 'LUTH_STORE_IS_UP' ~= '1' then return nil end
  return dist.TCPStore(os.getenv 'MASTER_ADDR', tonumber(os.getenv 'MASTER_PORT'))
end
local key = 'luth.train/folder'

-- Leaves the run folder for the attempt that may follow.
function M.keep_folder(dir)
  local store = store_of_launcher()
  if store then store:set(key, dir) end
end

-- The run folder of the attempt before this one, nil for none.
function M.kept_folder()
  if (tonumber(os.getenv 'LUTH_RESTART_COUNT') or 0) == 0 then return nil end
  local store = store_of_launcher()
  return store and store:check { key } and store:get(key) or nil
end

return M
