-- PyTorch's answers for modules on a GPU: nn_golden.lua there.
local root = os.getenv('LUTH_SOURCE') or arg[0]:match('^(.*)/tests/lang/') or '.'
_G.golden_device = 'cuda'
dofile(root .. '/tests/lang/nn_golden.lua')
