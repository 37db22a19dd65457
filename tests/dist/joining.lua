-- Every way to name the place where ranks meet, under a launcher that keeps a store of its own.
local t, s = torch.Tester(), torch.TestSuite()
local dist = torch.distributed
dist.init_process_group { timeout = 60 }
local rank, n = dist.get_rank(), dist.get_world_size()

-- What rank 0 says, on all.
local function shared(value)
  local list = { value }
  dist.broadcast_object_list(list)
  return list[1]
end
local function free_port()
  local port = rank == 0 and dist.TCPStore('127.0.0.1', 0, 1, true):port()
  collectgarbage()
  collectgarbage()
  return shared(port)
end
local folder = shared(rank == 0 and os.tmpname())
local port, another = free_port(), free_port()
dist.destroy_process_group()

local function works(options)
  options.timeout = 60
  dist.init_process_group(options)
  t:eq(dist.get_rank(), rank)
  t:eq(dist.get_world_size(), n)
  local x = torch.tensor { rank + 1 }
  dist.all_reduce(x)
  t:eq(x:item(), n * (n + 1) // 2)
  dist.destroy_process_group()
end
local function named(options)
  options.rank, options.world_size = rank, n
  return options
end

function s.byTheEnvironment()
  works {}
  works { backend = 'gloo', init_method = 'env://' }
end
function s.byAnAddress()
  works(named { init_method = 'tcp://127.0.0.1:' .. port })
  works { init_method = ('tcp://%s:%s'):format(os.getenv 'MASTER_ADDR', os.getenv 'MASTER_PORT') }
end
function s.byAFile() works(named { init_method = 'file://' .. folder .. '.meet' }) end
function s.byAStore()
  works(named { store = dist.TCPStore('127.0.0.1', another, n, rank == 0) })
  works(named { store = dist.FileStore(folder .. '.store', n) })
end

t:add(s)
t:run()
