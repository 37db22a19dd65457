-- Shapes of inputs and results, for help and the reference. A test matches them with the samples of operators and the examples of modules.
local M = {}

-- Names: way | way ; remark. A way is `inputs -> results`. Letters are extents, the same at all places of a way; `*` is any
-- number of dims, which broadcast; `…` is any shape. Operators go by the names of the registry, with their inputs by name.
local text = [[
matmul: input [*, n, m], other [*, m, p] -> [*, n, p] | input [*, n, m], other [m] -> [*, n] | input [m], other [*, m, p] -> [*, p] | input [m], other [m] -> []
mm: input [n, m], mat2 [m, p] -> [n, p]
bmm: input [b, n, m], mat2 [b, m, p] -> [b, n, p]
mv: input [n, m], vec [m] -> [n]
dot: input [n], tensor [n] -> []
vdot: input [n], other [n] -> []
outer: input [n], vec2 [m] -> [n, m]
inner: input […], other […] -> … ; the last dims are equal; the dims of input, then those of other, without the last of each
addmm _addmm_activation: input […], mat1 [n, m], mat2 [m, p] -> [n, p] ; input broadcasts to [n, p]
addmv: input […], mat [n, m], vec [m] -> [n] ; input broadcasts to [n]
addr: input […], vec1 [n], vec2 [m] -> [n, m] ; input broadcasts to [n, m]
addbmm: input […], batch1 [b, n, m], batch2 [b, m, p] -> [n, p] ; input broadcasts to [n, p]
baddbmm: input […], batch1 [b, n, m], batch2 [b, m, p] -> [b, n, p] ; input broadcasts to [b, n, p]
cdist: x1 [*, n, d], x2 [*, m, d] -> [*, n, m]
pdist: input [n, d] -> [n * (n - 1) // 2]
trace: input [n, m] -> []
t: input [n, m] -> [m, n] | input [n] -> [n] | input [] -> []
cov corrcoef: input [variables, n] -> [variables, variables] | input [n] -> []
cross linalg_cross: input [*], other [*] -> [*] ; the dim `dim` has 3 elements
linear: input [*, in], weight [out, in], bias [out] -> [*, out] | input [*, in], weight [in] -> [*]
nn.Linear: [*, in_features] -> [*, out_features]
nn.LazyLinear: [*, in_features] -> [*, out_features]
bilinear: input1 [*, in1], input2 [*, in2], weight [out, in1, in2], bias [out] -> [*, out]
nn.Bilinear: [*, in1_features], [*, in2_features] -> [*, out_features]
embedding embedding.renormed: input [*], weight [num, dim] -> [*, dim]
nn.Embedding: [*] -> [*, embedding_dim] ; positions from 1
embedding_bag: input [bags, n], weight [num, dim] -> [bags, dim] | input [n], weight [num, dim], offsets [m] -> [bags, dim] ; m = bags, or bags + 1 with include_last_offset
nn.EmbeddingBag: [bags, n] -> [bags, embedding_dim] | [n], offsets [bags] -> [bags, embedding_dim]
conv1d conv1d.padding: input [N, C, L], weight [K, C_g, k], bias [K] -> [N, K, L_out] | input [C, L], weight [K, C_g, k], bias [K] -> [K, L_out] ; C_g = C / groups; L_out = (L + 2 padding - dilation (k - 1) - 1) // stride + 1
conv2d conv2d.padding: input [N, C, H, W], weight [K, C_g, kh, kw], bias [K] -> [N, K, H_out, W_out] | input [C, H, W], weight [K, C_g, kh, kw], bias [K] -> [K, H_out, W_out] ; C_g = C / groups; H_out = (H + 2 padding - dilation (kh - 1) - 1) // stride + 1
conv3d conv3d.padding: input [N, C, D, H, W], weight [K, C_g, kd, kh, kw], bias [K] -> [N, K, D_out, H_out, W_out] | input [C, D, H, W], weight [K, C_g, kd, kh, kw], bias [K] -> [K, D_out, H_out, W_out] ; C_g = C / groups; D_out = (D + 2 padding - dilation (kd - 1) - 1) // stride + 1
conv_transpose1d: input [N, C, L], weight [C, K_g, k], bias [K] -> [N, K, L_out] | input [C, L], weight [C, K_g, k], bias [K] -> [K, L_out] ; K_g = K / groups; L_out = (L - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1
conv_transpose2d: input [N, C, H, W], weight [C, K_g, kh, kw], bias [K] -> [N, K, H_out, W_out] | input [C, H, W], weight [C, K_g, kh, kw], bias [K] -> [K, H_out, W_out] ; K_g = K / groups; H_out = (H - 1) stride - 2 padding + dilation (kh - 1) + output_padding + 1
conv_transpose3d: input [N, C, D, H, W], weight [C, K_g, kd, kh, kw], bias [K] -> [N, K, D_out, H_out, W_out] | input [C, D, H, W], weight [C, K_g, kd, kh, kw], bias [K] -> [K, D_out, H_out, W_out] ; K_g = K / groups; D_out = (D - 1) stride - 2 padding + dilation (kd - 1) + output_padding + 1
nn.Conv1d nn.LazyConv1d: [N, C_in, L] -> [N, C_out, L_out] | [C_in, L] -> [C_out, L_out] ; L_out = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1
nn.Conv2d nn.LazyConv2d: [N, C_in, H, W] -> [N, C_out, H_out, W_out] | [C_in, H, W] -> [C_out, H_out, W_out] ; H_out = (H + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, W_out likewise
nn.Conv3d nn.LazyConv3d: [N, C_in, D, H, W] -> [N, C_out, D_out, H_out, W_out] | [C_in, D, H, W] -> [C_out, D_out, H_out, W_out] ; D_out = (D + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, the others likewise
nn.ConvTranspose1d nn.LazyConvTranspose1d: [N, C_in, L] -> [N, C_out, L_out] | [C_in, L] -> [C_out, L_out] ; L_out = (L - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1
nn.ConvTranspose2d nn.LazyConvTranspose2d: [N, C_in, H, W] -> [N, C_out, H_out, W_out] | [C_in, H, W] -> [C_out, H_out, W_out] ; H_out = (H - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1, W_out likewise
nn.ConvTranspose3d nn.LazyConvTranspose3d: [N, C_in, D, H, W] -> [N, C_out, D_out, H_out, W_out] | [C_in, D, H, W] -> [C_out, D_out, H_out, W_out] ; D_out = (D - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1, the others likewise
avg_pool1d nn.AvgPool1d: [N, C, L] -> [N, C, L_out] | [C, L] -> [C, L_out] ; L_out = (L + 2 padding - kernel_size) // stride + 1, rounded up with ceil_mode
max_pool1d nn.MaxPool1d: [N, C, L] -> [N, C, L_out] | [C, L] -> [C, L_out] ; L_out = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, rounded up with ceil_mode
avg_pool2d nn.AvgPool2d: [N, C, H, W] -> [N, C, H_out, W_out] | [C, H, W] -> [C, H_out, W_out] ; H_out = (H + 2 padding - kernel_size) // stride + 1, rounded up with ceil_mode
max_pool2d nn.MaxPool2d: [N, C, H, W] -> [N, C, H_out, W_out] | [C, H, W] -> [C, H_out, W_out] ; H_out = (H + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, rounded up with ceil_mode
max_pool2d_with_indices: [N, C, H, W] -> [N, C, H_out, W_out], [N, C, H_out, W_out] | [C, H, W] -> [C, H_out, W_out], [C, H_out, W_out]
avg_pool3d nn.AvgPool3d: [N, C, D, H, W] -> [N, C, D_out, H_out, W_out] | [C, D, H, W] -> [C, D_out, H_out, W_out] ; D_out = (D + 2 padding - kernel_size) // stride + 1, rounded up with ceil_mode
max_pool3d nn.MaxPool3d: [N, C, D, H, W] -> [N, C, D_out, H_out, W_out] | [C, D, H, W] -> [C, D_out, H_out, W_out] ; D_out = (D + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, rounded up with ceil_mode
max_pool3d_with_indices: [N, C, D, H, W] -> [N, C, D_out, H_out, W_out], [N, C, D_out, H_out, W_out] | [C, D, H, W] -> [C, D_out, H_out, W_out], [C, D_out, H_out, W_out]
adaptive_avg_pool1d nn.AdaptiveAvgPool1d nn.AdaptiveMaxPool1d lp_pool1d nn.LPPool1d: [N, C, L] -> [N, C, L_out] | [C, L] -> [C, L_out]
adaptive_max_pool1d: [N, C, L] -> [N, C, L_out], [N, C, L_out] | [C, L] -> [C, L_out], [C, L_out]
adaptive_avg_pool2d nn.AdaptiveAvgPool2d nn.AdaptiveMaxPool2d lp_pool2d nn.LPPool2d nn.FractionalMaxPool2d: [N, C, H, W] -> [N, C, H_out, W_out] | [C, H, W] -> [C, H_out, W_out]
adaptive_max_pool2d fractional_max_pool2d: [N, C, H, W] -> [N, C, H_out, W_out], [N, C, H_out, W_out] | [C, H, W] -> [C, H_out, W_out], [C, H_out, W_out]
adaptive_avg_pool3d nn.AdaptiveAvgPool3d nn.AdaptiveMaxPool3d lp_pool3d nn.LPPool3d nn.FractionalMaxPool3d: [N, C, D, H, W] -> [N, C, D_out, H_out, W_out] | [C, D, H, W] -> [C, D_out, H_out, W_out]
adaptive_max_pool3d fractional_max_pool3d: [N, C, D, H, W] -> [N, C, D_out, H_out, W_out], [N, C, D_out, H_out, W_out] | [C, D, H, W] -> [C, D_out, H_out, W_out], [C, D_out, H_out, W_out]
nn_functional_max_unpool1d nn.MaxUnpool1d: input [*, C, L], indices [*, C, L] -> [*, C, L_out]
nn_functional_max_unpool2d nn.MaxUnpool2d: input [*, C, H, W], indices [*, C, H, W] -> [*, C, H_out, W_out]
nn_functional_max_unpool3d nn.MaxUnpool3d: input [*, C, D, H, W], indices [*, C, D, H, W] -> [*, C, D_out, H_out, W_out]
nn_functional_unfold nn.Unfold: [N, C, H, W] -> [N, patch, L] | [C, H, W] -> [patch, L] ; patch = C kh kw, L is the number of places of the window
nn_functional_fold nn.Fold: [N, patch, L] -> [N, C, H_out, W_out] | [patch, L] -> [C, H_out, W_out] ; patch = C kh kw, [H_out, W_out] is output_size
nn_functional_interpolate nn_functional_upsample nn.Upsample: [N, C, L] -> [N, C, L_out] | [N, C, H, W] -> [N, C, H_out, W_out] | [N, C, D, H, W] -> [N, C, D_out, H_out, W_out]
nn_functional_upsample_bilinear nn_functional_upsample_nearest nn.UpsamplingBilinear2d nn.UpsamplingNearest2d: [N, C, H, W] -> [N, C, H_out, W_out]
nn_functional_grid_sample: input [N, C, H, W], grid [N, H_out, W_out, 2] -> [N, C, H_out, W_out] | input [N, C, D, H, W], grid [N, D_out, H_out, W_out, 3] -> [N, C, D_out, H_out, W_out]
nn_functional_affine_grid: theta [N, 2, 3] -> [N, H, W, 2] | theta [N, 3, 4] -> [N, D, H, W, 3]
pixel_shuffle nn.PixelShuffle: [*, C_in, H, W] -> [*, C_out, H_out, W_out] ; C_in = C_out r^2, H_out = H r, W_out = W r, where r is upscale_factor
pixel_unshuffle nn.PixelUnshuffle: [*, C_in, H, W] -> [*, C_out, H_out, W_out] ; C_out = C_in r^2, H_out = H / r, W_out = W / r, where r is downscale_factor
channel_shuffle nn.ChannelShuffle: [*] -> [*] ; channels are the dim 2
glu nn.GLU: […] -> […] ; the dim `dim` of the result is half of the input's
batch_norm: input [N, C, *], running_mean [C], running_var [C], weight [C], bias [C] -> [N, C, *]
instance_norm: input [N, C, *], running_mean [C], running_var [C], weight [C], bias [C] -> [N, C, *]
group_norm: input [N, C, *], weight [C], bias [C] -> [N, C, *]
nn.BatchNorm1d nn.LazyBatchNorm1d: [N, C] -> [N, C] | [N, C, L] -> [N, C, L]
nn.BatchNorm2d nn.LazyBatchNorm2d: [N, C, H, W] -> [N, C, H, W]
nn.BatchNorm3d nn.LazyBatchNorm3d: [N, C, D, H, W] -> [N, C, D, H, W]
nn.InstanceNorm1d nn.LazyInstanceNorm1d: [N, C, L] -> [N, C, L] | [C, L] -> [C, L]
nn.InstanceNorm2d nn.LazyInstanceNorm2d: [N, C, H, W] -> [N, C, H, W] | [C, H, W] -> [C, H, W]
nn.InstanceNorm3d nn.LazyInstanceNorm3d: [N, C, D, H, W] -> [N, C, D, H, W] | [C, D, H, W] -> [C, D, H, W]
nn.GroupNorm nn.SyncBatchNorm nn.CrossMapLRN2d nn.LocalResponseNorm local_response_norm: [N, C, *] -> [N, C, *]
layer_norm rms_norm: input [*] -> [*] ; weight and bias have the last dims, normalized_shape
nn.LayerNorm nn.RMSNorm: [*] -> [*] ; the last dims are normalized_shape
scaled_dot_product_attention: query [*, L, E], key [*, S, E], value [*, S, V] -> [*, L, V] | query [N, H, L, E], key [N, G, S, E], value [N, G, S, V] -> [N, H, L, V] ; the second with enable_gqa, where G divides H; attn_mask broadcasts to [*, L, S]
nn.MultiheadAttention: query [L, N, embed_dim], key [S, N, kdim], value [S, N, vdim] -> [L, N, embed_dim], [N, L, S] | query [L, embed_dim], key [S, kdim], value [S, vdim] -> [L, embed_dim], [L, S] ; with batch_first N comes first
nn.Transformer: source [S, N, d_model], target [T, N, d_model] -> [T, N, d_model] ; with batch_first N comes first
nn.TransformerEncoder nn.TransformerEncoderLayer: [S, N, d_model] -> [S, N, d_model] | [S, d_model] -> [S, d_model] ; with batch_first N comes first
nn.TransformerDecoder nn.TransformerDecoderLayer: target [T, N, d_model], memory [S, N, d_model] -> [T, N, d_model] | target [T, d_model], memory [S, d_model] -> [T, d_model] ; with batch_first N comes first
nn.RNN nn.GRU: [L, N, input_size], h_0 [layers, N, hidden_size] -> [L, N, features], [layers, N, hidden_size] | [L, input_size], h_0 [layers, hidden_size] -> [L, features], [layers, hidden_size] ; layers = num_layers, twice as many if bidirectional; features = hidden_size, likewise; with batch_first N comes first in input and output
nn.LSTM: [L, N, input_size], {h_0 [layers, N, hidden_size], c_0 [layers, N, hidden_size]} -> [L, N, features], {h_n [layers, N, hidden_size], c_n [layers, N, hidden_size]} ; layers = num_layers, twice as many if bidirectional; features = hidden_size, likewise; with batch_first N comes first in input and output; with proj_size h and features have its extent; without a batch the dim N is missing
nn.RNNCell nn.GRUCell: [N, input_size], h [N, hidden_size] -> [N, hidden_size] | [input_size], h [hidden_size] -> [hidden_size]
nn.LSTMCell: [N, input_size], {h [N, hidden_size], c [N, hidden_size]} -> [N, hidden_size], [N, hidden_size] | [input_size], {h [hidden_size], c [hidden_size]} -> [hidden_size], [hidden_size]
cross_entropy nn.CrossEntropyLoss: input [N, C, *], target [N, *] -> … | input [N, C, *], target [N, C, *] -> … | input [C], target [] -> … | input [C], target [C] -> … ; labels, or probabilities of the classes; weight is [C]; the result is [], with reduction 'none' [N, *]
nll_loss nn.NLLLoss: input [N, C, *], target [N, *] -> … | input [C], target [] -> … ; weight is [C]; the result is [], with reduction 'none' that of target
mse_loss l1_loss huber_loss smooth_l1_loss poisson_nll_loss kl_div binary_cross_entropy_with_logits nn.MSELoss nn.L1Loss nn.HuberLoss nn.SmoothL1Loss nn.PoissonNLLLoss nn.KLDivLoss nn.BCEWithLogitsLoss: input [*], target [*] -> … ; the result is [], with reduction 'none' [*]
binary_cross_entropy nn.BCELoss hinge_embedding_loss nn.HingeEmbeddingLoss soft_margin_loss nn.SoftMarginLoss: input [*], target [*] -> … ; the result is [], with reduction 'none' [*]
gaussian_nll_loss nn.GaussianNLLLoss: input [*], target [*], var […] -> … ; var is [*], or has the last dim 1 or none; the result is [], with reduction 'none' [*]
margin_ranking_loss nn.MarginRankingLoss: input1 [*], input2 [*], target [*] -> … ; target is 1 or -1; the result is [], with reduction 'none' [*]
cosine_embedding_loss nn.CosineEmbeddingLoss: input1 [N, D], input2 [N, D], target [N] -> … | input1 [D], input2 [D], target [] -> … ; target is 1 or -1; the result is [], with reduction 'none' that of target
triplet_margin_loss nn.TripletMarginLoss nn.TripletMarginWithDistanceLoss: anchor [*, D], positive [*, D], negative [*, D] -> … ; the result is [], with reduction 'none' [*]
multi_margin_loss nn.MultiMarginLoss: input [N, C], target [N] -> … | input [C], target [] -> … | input [C], target [1] -> … ; the result is [], with reduction 'none' that of target
multilabel_margin_loss nn.MultiLabelMarginLoss: input [N, C], target [N, C] -> … | input [C], target [C] -> … ; labels first, then -1; the result is [], with reduction 'none' [N]
multilabel_soft_margin_loss nn.MultiLabelSoftMarginLoss: input [*, C], target [*, C] -> … ; the result is [], with reduction 'none' [*]
ctc_loss: log_probs [T, N, C], targets [N, S], input_lengths [N], target_lengths [N] -> … | log_probs [T, N, C], targets [sum], input_lengths [N], target_lengths [N] -> … | log_probs [T, C], targets [S], input_lengths […], target_lengths […] -> … ; the result is [], with reduction 'none' [N]
nn.CTCLoss: log_probs [T, N, C], targets [N, S], input_lengths [N], target_lengths [N] -> … ; the result is [], with reduction 'none' [N]
nn.AdaptiveLogSoftmaxWithLoss: [N, in_features], target [N] -> [N], [] | [in_features], target [] -> [], []
cosine_similarity nn.CosineSimilarity: x1 [*], x2 [*] -> … ; the dim `dim` is left out
pairwise_distance nn.PairwiseDistance: x1 [*, D], x2 [*, D] -> … ; [*], with keepdim [*, 1]
normalize softmax log_softmax softmin logcumsumexp cumsum cumprod flip roll: [*] -> [*]
nn.Softmax nn.LogSoftmax nn.Softmin nn.Softmax2d nn.Dropout nn.Dropout1d nn.Dropout2d nn.Dropout3d nn.AlphaDropout nn.FeatureAlphaDropout nn.Identity: [*] -> [*]
nn.CELU nn.ELU nn.GELU nn.Hardshrink nn.Hardsigmoid nn.Hardswish nn.Hardtanh nn.LeakyReLU nn.LogSigmoid nn.Mish nn.PReLU nn.RReLU nn.ReLU nn.ReLU6 nn.SELU nn.SiLU nn.Sigmoid nn.Softplus nn.Softshrink nn.Softsign nn.Tanh nn.Tanhshrink nn.Threshold: [*] -> [*]
dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout: [*] -> [*]
nn.Flatten: [N, …] -> [N, features] ; the dims from start_dim to end_dim become one
nn.Unflatten: […] -> […] ; the dim `dim` becomes those of unflattened_size
nn.CircularPad1d nn.ConstantPad1d nn.ReflectionPad1d nn.ReplicationPad1d nn.ZeroPad1d: [*, L] -> [*, L_out] ; L_out = L + left + right
nn.CircularPad2d nn.ConstantPad2d nn.ReflectionPad2d nn.ReplicationPad2d nn.ZeroPad2d: [*, H, W] -> [*, H_out, W_out] ; H_out = H + top + bottom, W_out = W + left + right
nn.CircularPad3d nn.ConstantPad3d nn.ReflectionPad3d nn.ReplicationPad3d nn.ZeroPad3d: [*, D, H, W] -> [*, D_out, H_out, W_out] ; D_out = D + front + back, and so on
nn_functional_pad constant_pad_nd: […] -> […] ; each pair of `pad` adds to a dim, the first to the last one
gather: input […], index […] -> index ; index has as many dims as input and is no larger, except along dim
take_along_dim: input […], indices […] -> … ; both broadcast except along dim; without dim both are one row
take: input […], index [*] -> [*]
put: input [*], index […], source […] -> [*] ; source has as many elements as index
scatter scatter_add scatter_reduce: input [*], index […], src […] -> [*] ; index has as many dims as input, is no larger than src, and no larger than input except along dim
scatter.value: input [*], index […] -> [*] ; index has as many dims as input, and is no larger except along dim
index_select: input […], index [n] -> […] ; the dim `dim` has extent n
index_add index_copy index_reduce: input [*], index […], source […] -> [*] ; index is [n], source the input with extent n along dim
index_fill: input [*], index […] -> [*] ; index is [n] or []
masked_select: input […], mask […] -> [n] ; both broadcast
masked_scatter: input […], mask […], source […] -> … ; the first two broadcast; source has an element for each true one
select: […] -> […] ; the dim `dim` is left out
narrow: […] -> […] ; the dim `dim` has the extent `length`
topk: […] -> […], […] ; the dim `dim` has extent k
sort cummax cummin: [*] -> [*], [*]
argsort msort tril triu clone contiguous detach fliplr flipud nan_to_num: [*] -> [*]
kthvalue median.dim nanmedian.dim mode max.dim min.dim: […] -> […], […] ; the dim is left out, or has extent 1 with keepdim
max min median nanmedian: […] -> []
nonzero argwhere: [*] -> [n, dims] ; a row for each element that is not 0, with its position
one_hot: [*] -> [*, num_classes]
multinomial: [n] -> [num_samples] | [m, n] -> [m, num_samples]
bincount: input [n], weights [n] -> [length] ; length is the largest value, or minlength
histc: […] -> [bins]
searchsorted: sorted_sequence [n], values [*] -> [*] | sorted_sequence [*, n], values [*, m] -> [*, m]
bucketize: input [*], boundaries [n] -> [*]
cat: tensors […] -> […] ; the extents along dim add up, the others are equal
stack: tensors [*] -> … ; one dim more than each, at `dim`, of as many elements as there are tensors
split chunk tensor_split split.sizes: […] -> list ; each a part of the dim `dim`
unbind: […] -> list ; each without the dim `dim`
unsqueeze: […] -> […] ; one dim more, of extent 1, at `dim`
squeeze: […] -> […] ; without the dims of extent 1, or without those of `dim` that have it
transpose swapaxes: […] -> […] ; the two dims change places
permute: […] -> […] ; dim i of the result is dim dims[i] of the input
flatten: […] -> […] ; the dims from start_dim to end_dim become one
unfold: […] -> […] ; the dim `dimension` has an element for each window; the windows are a last dim of extent `size`
repeat_interleave repeat_interleave.each: […] -> […] ; along dim each element comes several times; without dim the result is one row
diag: [n] -> [m, m] | [n, p] -> [m]
diag_embed: [*, n] -> … ; [*, m, m], m = n + |offset|; dim1 and dim2 say which dims the two m are
diagonal: […] -> […] ; without the two dims, and with their diagonal as the last one
kron: input […], other […] -> … ; extents multiply, from the last dim on
tensordot tensordot.dims: a […], b […] -> … ; the dims of a that are left, then those of b
linalg_solve linalg_solve_ex: A [*, n, n], B [*, n, k] -> … | A [*, n, n], B [*, n] -> … ; X as B
linalg_solve_triangular: A [*, n, n], B [*, n, k] -> [*, n, k] | A [*, n, n], B [*, k, n] -> [*, k, n] ; the second with left = false
linalg_lstsq: A [*, m, n], B [*, m, k] -> … | A [m, n], B [m] -> … ; the solution [*, n, k], residuals [*, k], rank, singular values
linalg_inv inverse linalg_cholesky cholesky linalg_matrix_sqrth matrix_exp matrix_power cholesky_inverse: A [*, n, n] -> [*, n, n]
linalg_pinv pinverse: A [*, m, n] -> [*, n, m]
linalg_det det logdet: A [*, n, n] -> [*]
linalg_slogdet slogdet: A [*, n, n] -> [*], [*]
linalg_eigh: A [*, n, n] -> [*, n], [*, n, n]
linalg_eigvalsh: A [*, n, n] -> [*, n]
linalg_qr qr: A [*, m, n] -> [*, m, k], [*, k, n] ; k = min(m, n), or m with mode 'complete'
linalg_svd: A [*, m, n] -> [*, m, k], [*, r], [*, p, n] ; r = min(m, n); with full_matrices k = m and p = n, else both are r
svd: A [*, m, n] -> [*, m, k], [*, r], [*, n, p] ; r = min(m, n); k = p = r, or with some = false m and n
linalg_svdvals: A [*, m, n] -> [*, k] ; k = min(m, n)
linalg_matrix_rank: A [*, m, n] -> [*]
linalg_cond linalg_cond.named: A [*, m, n] -> [*]
linalg_vecdot: x [*], y [*] -> … ; the dim `dim` is left out
linalg_matrix_norm linalg_matrix_norm.named: A [*, m, n] -> … ; the two dims are left out, or have extent 1 with keepdim
]]

local ways_of, remarks = {}, {}
for names, line in text:gmatch '([^\n:]*): ([^\n]*)\n' do
  local rest, remark = line:match '^(.-) ; (.*)$'
  local ways = {}
  for way in ((rest or line) .. ' | '):gmatch '(.-) | ' do ways[#ways + 1] = way end
  for name in names:gmatch '%S+' do ways_of[name], remarks[name] = ways, remark end
end

--- Name of an operator or module -> its ways.
M.ways = ways_of

local function reduces(form)
  for _, p in ipairs(form.params) do
    if p.name == 'keepdim' then return true end
  end
end
local function has_optional_dim(form)
  for _, p in ipairs(form.params) do
    if p.name == 'dim' then return not p.required and p.default ~= '-1' end
  end
end

--- The lines on shapes of a name, `form` of the operator if it is one; nil where there are none.
function M.lines(name, form)
  local ways = ways_of[name]
  if ways then
    local lines = table.move(ways, 1, #ways, 1, {})
    lines[#lines + 1] = remarks[name]
    return lines
  end
  if not form then return nil end
  local inputs = 0
  for _, p in ipairs(form.params) do inputs = inputs + (p.input and 1 or 0) end
  if form.elementwise and inputs == 1 then return { 'The result has the shape of the input.' } end
  if form.elementwise and inputs > 1 then return { 'The inputs broadcast, and the result has the shape that they broadcast to.' } end
  if reduces(form) then
    return { 'Dims that are reduced are left out, or have extent 1 with keepdim.' .. (has_optional_dim(form) and ' Without dim all are.' or '') }
  end
end

return M
