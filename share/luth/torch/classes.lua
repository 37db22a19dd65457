-- Reads the file of luth's own that defines a class of modules, for models that name it in a file.
local files = {
  ParametrizationList = 'luth.torch.parametrize', AveragedModel = 'luth.optim.swa_utils',
  _WeightNorm = 'luth.torch.parametrizations', _SpectralNorm = 'luth.torch.parametrizations',
  _Orthogonal = 'luth.torch.parametrizations',
  ColumnParallelLinear = 'luth.torch.tensor_parallel', RowParallelLinear = 'luth.torch.tensor_parallel',
  FullyShardedDataParallel = 'luth.torch.fully_sharded', Pipeline = 'luth.torch.pipeline',
  VocabParallelEmbedding = 'luth.torch.tensor_parallel',
}

return function(name)
  if files[name] then require(files[name]) end
  if name:find('^models%.') then
    for _ in pairs(require 'models') do end
  end
end
