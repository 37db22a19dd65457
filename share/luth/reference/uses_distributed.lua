-- Examples of torch.distributed and nn.parallel (share/luth/reference/uses.lua), name: code ;; code. `dist` is torch.distributed.

-- In a run of this process alone.
local alone = [[
torch.distributed.init_process_group: dist.is_initialized()
torch.distributed.is_initialized: dist.is_initialized()
torch.distributed.get_rank: dist.get_rank()
torch.distributed.get_world_size: dist.get_world_size()
torch.distributed.get_backend: dist.get_backend()
torch.distributed.get_process_group_ranks: dist.get_process_group_ranks(dist.new_group {0})
torch.distributed.get_global_rank: dist.get_global_rank(dist.new_group {0}, 0)
torch.distributed.get_group_rank: dist.get_group_rank(dist.new_group {0}, 0)
torch.distributed.new_group: dist.new_group({0}, {timeout = 60}):size()
torch.distributed.new_subgroups: local own, all = dist.new_subgroups(1) ;; #all
torch.distributed.GroupMember: dist.new_group {0} ~= dist.GroupMember.NON_GROUP_MEMBER
torch.distributed.ReduceOp: local x = torch.tensor {3.0, 1.0} ;; dist.all_reduce(x, dist.ReduceOp.MAX) ;; x
torch.distributed.all_reduce: local x = torch.ones(2) ;; dist.all_reduce(x) ;; x
torch.distributed.broadcast: local x = torch.ones(2) ;; dist.broadcast(x, 0) ;; x
torch.distributed.reduce: local x = torch.ones(2) ;; dist.reduce(x, 0) ;; x
torch.distributed.all_gather: local list = {} ;; for rank = 0, dist.get_world_size() - 1 do list[rank + 1] = torch.empty(2) end ;; dist.all_gather(list, torch.ones(2)) ;; list
torch.distributed.all_gather_into_tensor: local all = torch.empty(2 * dist.get_world_size(), 3) ;; dist.all_gather_into_tensor(all, torch.ones(2, 3)) ;; all
torch.distributed.gather: local list = dist.get_rank() == 0 and {} or nil ;; for i = 1, list and dist.get_world_size() or 0 do list[i] = torch.empty(2) end ;; dist.gather(torch.ones(2), list, 0) ;; list
torch.distributed.scatter: local x, list = torch.empty(2), dist.get_rank() == 0 and {} or nil ;; for i = 1, list and dist.get_world_size() or 0 do list[i] = torch.ones(2) * i end ;; dist.scatter(x, list, 0) ;; x
torch.distributed.reduce_scatter: local y, list = torch.empty(2), {} ;; for i = 1, dist.get_world_size() do list[i] = torch.ones(2) * i end ;; dist.reduce_scatter(y, list) ;; y
torch.distributed.reduce_scatter_tensor: local y = torch.empty(2, 3) ;; dist.reduce_scatter_tensor(y, torch.ones(2 * dist.get_world_size(), 3)) ;; y
torch.distributed.all_to_all: local out, list = {}, {} ;; for i = 1, dist.get_world_size() do out[i], list[i] = torch.empty(2), torch.ones(2) * i end ;; dist.all_to_all(out, list) ;; out
torch.distributed.all_to_all_single: local x = torch.ones(2 * dist.get_world_size(), 3) ;; local y = torch.empty_like(x) ;; dist.all_to_all_single(y, x) ;; y
torch.distributed.barrier: dist.barrier() ;; dist.get_rank()
torch.distributed.monitored_barrier: dist.monitored_barrier {timeout = 10, wait_all_ranks = true} ;; dist.get_rank()
torch.distributed.all_gather_object: local list = {} ;; dist.all_gather_object(list, {epoch = 3}) ;; list[1].epoch
torch.distributed.gather_object: local list = {} ;; dist.gather_object({epoch = 3}, list, 0) ;; list[1].epoch
torch.distributed.broadcast_object_list: local list = {dist.get_rank() == 0 and 'a name' or 'none yet'} ;; dist.broadcast_object_list(list, 0) ;; list[1]
torch.distributed.scatter_object_list: local own, list = {}, {} ;; for i = 1, dist.get_world_size() do list[i] = {part = i} end ;; dist.scatter_object_list(own, list, 0) ;; own[1].part
nn.parallel.DistributedDataParallel: local ddp = nn.parallel.DistributedDataParallel(nn.Linear(3, 1)) ;; ddp(torch.ones(4, 3)):sum():backward() ;; ddp.module.weight.grad
nn.parallel.FullyShardedDataParallel: local net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)) ;; local fsdp = nn.parallel.FullyShardedDataParallel(net, {auto_wrap_policy = {nn.Linear}}) ;; local opt = optim.SGD(fsdp:parameters(), {lr = 0.1}) ;; fsdp(torch.ones(2, 3)):sum():backward() ;; opt:step() ;; fsdp:state_dict()['1.weight']
nn.parallel.ColumnParallelLinear: local m = nn.parallel.ColumnParallelLinear(4, 6) ;; m(torch.randn(2, 4))
nn.parallel.RowParallelLinear: local m = nn.parallel.RowParallelLinear(6, 4) ;; m(torch.randn(2, 6))
nn.parallel.VocabParallelEmbedding: local m = nn.parallel.VocabParallelEmbedding(10, 3) ;; m(torch.tensor {1, 10, 2})
nn.parallel.Pipeline: local stages = {nn.Linear(3, 4), nn.Linear(4, 1)} ;; local pipe = nn.parallel.Pipeline(stages, {chunks = 2, loss_fn = F.mse_loss}) ;; pipe:step(torch.ones(4, 3), torch.zeros(4, 1))
optim.ZeroRedundancyOptimizer: local w = nn.Parameter(torch.ones(2)) ;; local opt = optim.ZeroRedundancyOptimizer({w}, {optimizer_class = optim.SGD, lr = 0.5}) ;; w:sum():backward() ;; opt:step() ;; w
allreduce_hook: local ddp = nn.parallel.DistributedDataParallel(nn.Linear(3, 1)) ;; ddp:register_comm_hook(nil, dist.allreduce_hook) ;; ddp(torch.ones(4, 3)):sum():backward() ;; ddp.module.weight.grad
fp16_compress_hook: local ddp = nn.parallel.DistributedDataParallel(nn.Linear(3, 1)) ;; ddp:register_comm_hook(nil, dist.fp16_compress_hook) ;; ddp(torch.ones(4, 3)):sum():backward() ;; ddp.module.weight.grad
bf16_compress_hook: local ddp = nn.parallel.DistributedDataParallel(nn.Linear(3, 1)) ;; ddp:register_comm_hook(nil, dist.bf16_compress_hook) ;; ddp(torch.ones(4, 3)):sum():backward() ;; ddp.module.weight.grad
fp16_compress_wrapper: local hooks = dist.algorithms.ddp_comm_hooks.default_hooks ;; local ddp = nn.parallel.DistributedDataParallel(nn.Linear(3, 1)) ;; ddp:register_comm_hook(nil, hooks.fp16_compress_wrapper(hooks.allreduce_hook)) ;; ddp(torch.ones(4, 3)):sum():backward() ;; ddp.module.weight.grad
bf16_compress_wrapper: local hooks = dist.algorithms.ddp_comm_hooks.default_hooks ;; local ddp = nn.parallel.DistributedDataParallel(nn.Linear(3, 1)) ;; ddp:register_comm_hook(nil, hooks.bf16_compress_wrapper(hooks.allreduce_hook)) ;; ddp(torch.ones(4, 3)):sum():backward() ;; ddp.module.weight.grad
powerSGD_hook: local power = dist.algorithms.ddp_comm_hooks.powerSGD_hook ;; local ddp = nn.parallel.DistributedDataParallel(nn.Linear(8, 8)) ;; local state = power.PowerSGDState {matrix_approximation_rank = 1, start_powerSGD_iter = 2} ;; ddp:register_comm_hook(state, power.powerSGD_hook) ;; ddp(torch.ones(4, 8)):sum():backward() ;; ddp.module.weight.grad
group:name: type(dist.new_group {0}:name())
group:rank: dist.new_group {0}:rank()
group:size: dist.new_group {0}:size()
work:wait: local x = torch.ones(2) ;; local work = dist.all_reduce(x, {async_op = true}) ;; work:wait() ;; work:is_completed()
]]

-- Messages, from one process to another.
local two = [[
torch.distributed.send: local x = torch.ones(2) ;; if dist.get_rank() == 0 then dist.send(x, 1) else dist.recv(x, 0) end
torch.distributed.recv: local x = torch.ones(2) * dist.get_rank() ;; if dist.get_rank() == 1 then dist.send(x, 0) else print(dist.recv(x)) end
torch.distributed.isend: local x, other = torch.ones(2), 1 - dist.get_rank() ;; local work = dist.isend(x, other) ;; dist.recv(torch.empty(2), other) ;; work:wait()
torch.distributed.irecv: local y, other = torch.empty(2), 1 - dist.get_rank() ;; local work = dist.irecv(y, other) ;; dist.send(torch.ones(2), other) ;; work:wait()
torch.distributed.batch_isend_irecv: local x, y, other = torch.ones(2), torch.empty(2), 1 - dist.get_rank() ;; local works = dist.batch_isend_irecv {dist.P2POp(dist.isend, x, other), dist.P2POp(dist.irecv, y, other)} ;; for _, work in ipairs(works) do work:wait() end
torch.distributed.send_object_list: local list = {'epoch', 3} ;; if dist.get_rank() == 0 then dist.send_object_list(list, 1) else dist.recv_object_list(list, 0) end
]]

-- Without a run.
local plain = [[
torch.distributed.destroy_process_group: local dist = torch.distributed ;; dist.init_process_group {rank = 0, world_size = 1} ;; dist.destroy_process_group() ;; dist.is_initialized()
torch.distributed.is_available: torch.distributed.is_available()
torch.distributed.is_gloo_available: type(torch.distributed.is_gloo_available())
torch.distributed.is_nccl_available: type(torch.distributed.is_nccl_available())
torch.distributed.is_mpi_available: type(torch.distributed.is_mpi_available())
torch.distributed.P2POp: = torch.distributed.batch_isend_irecv
torch.distributed.recv_object_list: = torch.distributed.send_object_list
torch.distributed.TCPStore: local store = torch.distributed.TCPStore('127.0.0.1', 0, {world_size = 1, is_master = true}) ;; store:set('key', 'text') ;; store:get 'key'
torch.distributed.FileStore: = store:get
torch.distributed.algorithms: torch.distributed.algorithms.ddp_comm_hooks.default_hooks ~= nil
PowerSGDState: = powerSGD_hook
work:exception: = work:wait
work:is_completed: = work:wait
work:is_success: = work:wait
work:source_rank: = work:wait
]]

local first = 'local dist = torch.distributed ;; '
local last = ' ;; dist.destroy_process_group()'

-- A result is read before the run ends.
local function within_run(name, code, result)
  local named = result:find '^%w+$'
  return ('%s: %sdist.init_process_group {rank = 0, world_size = 1} ;; %s%s%s ;; %s\n'):format(
    name, first, code, named and '' or 'local result = ' .. result, last, named and result or 'result'):gsub(' ;;  ;; ', ' ;; ')
end

local texts = { plain }
for name, code in alone:gmatch '([%w_.:]+): ([^\n]*)\n' do
  local before, result = code:match '^(.* ;; )(.-)$'
  texts[#texts + 1] = within_run(name, before or '', result or code)
end
for name, code in two:gmatch '([%w_.:]+): ([^\n]*)\n' do
  texts[#texts + 1] = ("%s: %sif os.getenv 'WORLD_SIZE' == '2' then  -- luth launch --nproc 2 script.lua ;;   dist.init_process_group() ;;   %s%s ;; end\n")
    :format(name, first, code:gsub(' ;; ', ' ;;   '), (last:gsub(' ;; ', ' ;;   ')))
end
return table.concat(texts)
