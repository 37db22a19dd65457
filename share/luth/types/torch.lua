---@meta luth
---@diagnostic disable: lowercase-global
-- Made by `luth scripts/reference.lua` from what the program knows; changes here are lost.

---@class torch.dtype
---@field [any] any

---@class torch.device
---@field [any] any

---@class torch.Size
---@field [any] any

---@class torch.memory_format
---@field [any] any

---@class torch.Tensor
---@field shape torch.Size The extents as a torch.Size; x:size(1) is the first.
---@field dtype torch.dtype The type of the elements: torch.float32.
---@field device torch.device Where the elements lie: torch.device.
---@field grad torch.Tensor|nil The gradient that backward left, a tensor or nil; assignable.
---@field grad_fn torch.autograd.Node|nil The node that made it, nil for a leaf; it has name(), next_functions, register_hook and register_prehook.
---@field is_leaf boolean Whether nothing recorded made it.
---@field requires_grad boolean Whether operators on it are recorded; assignable.
---@field data torch.Tensor The same memory without history; assignable.
---@field T torch.Tensor A view with the dims in reverse order.
---@field mT torch.Tensor A view with the last two dims exchanged.
---@field H torch.Tensor The transpose of a matrix, as x:t(): luth has no complex numbers.
---@field mH torch.Tensor As x.mT: luth has no complex numbers.
---@field real any x itself: luth has no complex numbers.
---@field is_cuda boolean Whether it lies on a GPU.
---@field ndim integer The number of dims.
---@field _base torch.Tensor|nil The tensor whose memory x is a view of; nil where x is no view.
---@field output_nr integer Which result of its grad_fn it is, from 0.
---@field retains_grad boolean Whether retain_grad() has been called on it, and it is no leaf.
---@field itemsize integer Bytes per element.
---@field is_sparse any false: luth has no sparse tensors.
---@field is_quantized any false: luth has no quantized tensors.
---@field is_meta boolean Whether it has a shape and no data.
---@field is_cpu boolean Whether it lies in the memory of the CPU.
---@operator add(torch.Tensor|number): torch.Tensor
---@operator sub(torch.Tensor|number): torch.Tensor
---@operator mul(torch.Tensor|number): torch.Tensor
---@operator div(torch.Tensor|number): torch.Tensor
---@operator idiv(torch.Tensor|number): torch.Tensor
---@operator mod(torch.Tensor|number): torch.Tensor
---@operator pow(torch.Tensor|number): torch.Tensor
---@operator band(torch.Tensor|number): torch.Tensor
---@operator bor(torch.Tensor|number): torch.Tensor
---@operator shl(torch.Tensor|number): torch.Tensor
---@operator shr(torch.Tensor|number): torch.Tensor
---@operator unm: torch.Tensor
---@operator bnot: torch.Tensor
---@operator len: integer
---@field [any] any
local Tensor = {}

--- relu of addmm, or with use_gelu the tanh form of gelu of it.
---@param mat1 torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, use_gelu?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:_addmm_activation(mat1, mat2, opts) end

--- Whether x is a view of another tensor, x._base.
---@return any
function Tensor:_is_view() end

--- How often the storage has been written in place.
---@return any
function Tensor:_version() end

--- Absolute value of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:abs(opts) end

--- Absolute value of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:abs_(opts) end

--- Absolute value of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:absolute(opts) end

--- Absolute value of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:absolute_(opts) end

--- The angle from 0 to pi whose cosine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:acos(opts) end

--- The angle from 0 to pi whose cosine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:acos_(opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:acosh(opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:acosh_(opts) end

--- Sum of input and alpha times other.
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:add(other, opts) end

--- Sum of input and alpha times other.
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:add_(other, opts) end

--- beta * input + alpha * the sum over the batch of batch1 @ batch2; input broadcasts.
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addbmm(batch1, batch2, opts) end

--- beta * input + alpha * the sum over the batch of batch1 @ batch2; input broadcasts.
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addbmm_(batch1, batch2, opts) end

--- input + value tensor1 / tensor2.
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addcdiv(tensor1, tensor2, opts) end

--- input + value tensor1 / tensor2.
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addcdiv_(tensor1, tensor2, opts) end

--- input + value tensor1 tensor2.
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addcmul(tensor1, tensor2, opts) end

--- input + value tensor1 tensor2.
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addcmul_(tensor1, tensor2, opts) end

--- beta * input + alpha * (mat1 @ mat2); input broadcasts.
---@param mat1 torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addmm(mat1, mat2, opts) end

--- beta * input + alpha * (mat1 @ mat2); input broadcasts.
---@param mat1 torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addmm_(mat1, mat2, opts) end

--- beta * input + alpha * (mat @ vec); input broadcasts.
---@param mat torch.Tensor
---@param vec torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addmv(mat, vec, opts) end

--- beta * input + alpha * (mat @ vec); input broadcasts.
---@param mat torch.Tensor
---@param vec torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addmv_(mat, vec, opts) end

--- beta * input + alpha * outer(vec1, vec2); input broadcasts.
---@param vec1 torch.Tensor
---@param vec2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addr(vec1, vec2, opts) end

--- beta * input + alpha * outer(vec1, vec2); input broadcasts.
---@param vec1 torch.Tensor
---@param vec2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:addr_(vec1, vec2, opts) end

--- A view with the last two dims exchanged, as x.mH.
---@return any
function Tensor:adjoint() end

--- Whether all elements are not 0.
---@overload fun(self: torch.Tensor, dim?: integer|integer[]|torch.Size, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function Tensor:all(opts) end

--- Whether |input - other| <= atol + rtol |other| everywhere.
---@overload fun(self: torch.Tensor, other: torch.Tensor, opts?: {rtol?: number, atol?: number, equal_nan?: boolean, out?: torch.Tensor|torch.Tensor[]}): boolean
---@param other torch.Tensor
---@param rtol? number relative tolerance
---@param atol? number absolute tolerance
---@param equal_nan? boolean count nan as equal to nan
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function Tensor:allclose(other, rtol, atol, equal_nan, opts) end

--- Dropout that keeps mean 0 and variance 1 of selu's results.
---@overload fun(self: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:alpha_dropout_(p, training, opts) end

--- The largest element over dims; where several are, they share the gradient.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:amax(dim, keepdim, opts) end

--- The smallest element over dims; where several are, they share the gradient.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:amin(dim, keepdim, opts) end

--- The smallest and the largest element, of all or along a dim.
---@param opts? {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:aminmax(opts) end

--- The angle in the complex plane: pi where an element is negative, else 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:angle(opts) end

--- Whether some element is not 0.
---@overload fun(self: torch.Tensor, dim?: integer|integer[]|torch.Size, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function Tensor:any(opts) end

--- Each element becomes f(element), a function of the script: slow.
---@param f any
---@return any
function Tensor:apply_(f) end

--- The angle from 0 to pi whose cosine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arccos(opts) end

--- The angle from 0 to pi whose cosine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arccos_(opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arccosh(opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arccosh_(opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arcsin(opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arcsin_(opts) end

--- The number whose hyperbolic sine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arcsinh(opts) end

--- The number whose hyperbolic sine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arcsinh_(opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arctan(opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arctan2(other, opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arctan2_(other, opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arctan_(opts) end

--- The number whose hyperbolic tangent is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arctanh(opts) end

--- The number whose hyperbolic tangent is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:arctanh_(opts) end

--- Where the first largest element is.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer the dim to reduce; nil: the position in the flattened tensor
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:argmax(dim, keepdim, opts) end

--- Where the first smallest element is.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer the dim to reduce; nil: the position in the flattened tensor
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:argmin(dim, keepdim, opts) end

--- The positions that would sort the elements along a dim.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer, descending?: boolean, stable?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer the dim to sort along
---@param descending? boolean the largest first
---@param opts? {stable?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:argsort(dim, descending, opts) end

--- The positions of elements that are not 0, one per row; as nonzero.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:argwhere(opts) end

--- A view of the storage with any shape, strides and offset.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, stride: integer|integer[]|torch.Size, storage_offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param stride integer|integer[]|torch.Size the strides, in elements
---@param storage_offset? integer elements before the first; nil: input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:as_strided(size, stride, storage_offset, opts) end

--- A view of the storage with any shape, strides and offset.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, stride: integer|integer[]|torch.Size, storage_offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param stride integer|integer[]|torch.Size the strides, in elements
---@param storage_offset? integer elements before the first; nil: input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:as_strided_(size, stride, storage_offset, opts) end

--- Input with src in the places that as_strided names.
---@overload fun(self: torch.Tensor, src: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, stride: integer|integer[]|torch.Size, storage_offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param src torch.Tensor
---@param size integer|integer[]|torch.Size the shape of src
---@param stride integer|integer[]|torch.Size the strides, in elements
---@param storage_offset? integer elements before the first; nil: input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:as_strided_scatter(src, size, stride, storage_offset, opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:asin(opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:asin_(opts) end

--- The number whose hyperbolic sine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:asinh(opts) end

--- The number whose hyperbolic sine is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:asinh_(opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:atan(opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:atan2(other, opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:atan2_(other, opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:atan_(opts) end

--- The number whose hyperbolic tangent is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:atanh(opts) end

--- The number whose hyperbolic tangent is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:atanh_(opts) end

--- Accumulates the gradient of x into the grad of every leaf, or of `inputs` alone.
---@param gradient? any
---@param opts? {retain_graph?: boolean, create_graph?: boolean, inputs?: any}
---@return any
function Tensor:backward(gradient, opts) end

--- beta * input + alpha * (batch1 @ batch2); input broadcasts.
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:baddbmm(batch1, batch2, opts) end

--- beta * input + alpha * (batch1 @ batch2); input broadcasts.
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:baddbmm_(batch1, batch2, opts) end

--- 1 with the probability that input gives, else 0.
---@overload fun(self: torch.Tensor, p: number, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {p: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bernoulli(opts) end

--- Fills with 1 with the probability that p gives, else 0.
---@overload fun(self: torch.Tensor, p?: number, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {p?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bernoulli_(p, opts) end

--- The tensor as bfloat16.
---@return any
function Tensor:bfloat16() end

--- How often each position comes in a list of them, or the sum of its weights.
---@overload fun(self: torch.Tensor, weights?: torch.Tensor, opts?: {minlength?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param weights? torch.Tensor
---@param minlength? integer the least number of bins
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bincount(weights, minlength, opts) end

--- Bits that both have; `and` of masks.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_and(other, opts) end

--- Bits that both have; `and` of masks.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_and_(other, opts) end

--- Bits moved up by other places.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_left_shift(other, opts) end

--- Bits moved up by other places.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_left_shift_(other, opts) end

--- Each element with its bits inverted; the opposite of a bool.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_not(opts) end

--- Each element with its bits inverted; the opposite of a bool.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_not_(opts) end

--- Bits that one of them has; `or` of masks.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_or(other, opts) end

--- Bits that one of them has; `or` of masks.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_or_(other, opts) end

--- Bits moved down by other places; the sign stays.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_right_shift(other, opts) end

--- Bits moved down by other places; the sign stays.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_right_shift_(other, opts) end

--- Bits that just one of them has.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_xor(other, opts) end

--- Bits that just one of them has.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bitwise_xor_(other, opts) end

--- The products of the matrices of two batches, [b, n, k] and [b, k, m].
---@param mat2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:bmm(mat2, opts) end

--- Whether each element is not 0.
---@return any
function Tensor:bool() end

--- A view in which extents of 1 are repeated; as expand.
---@overload fun(self: torch.Tensor, opts?: {shape: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param shape integer|integer[]|torch.Size the shape to expand to
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:broadcast_to(shape, opts) end

--- The tensor as uint8.
---@return any
function Tensor:byte() end

--- Fills with numbers of the Cauchy distribution.
---@overload fun(self: torch.Tensor, opts?: {median?: number, sigma?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param median? number the median
---@param sigma? number half the distance between the quartiles
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cauchy_(median, sigma, opts) end

--- The smallest integer not below each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:ceil(opts) end

--- The smallest integer not below each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:ceil_(opts) end

--- Each element, alpha (exp(x / alpha) - 1) where it is negative.
---@overload fun(self: torch.Tensor, opts?: {alpha?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param alpha? number the limit on the left is -alpha
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:celu_(alpha, opts) end

--- The tensor as int8.
---@return any
function Tensor:char() end

--- The older form of linalg.cholesky.
---@overload fun(self: torch.Tensor, opts?: {upper?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param upper? boolean U of Uᵀ U
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cholesky(upper, opts) end

--- The inverse of the matrix of which input is the Cholesky factor.
---@overload fun(self: torch.Tensor, opts?: {upper?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param upper? boolean the factor is upper triangular
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cholesky_inverse(upper, opts) end

--- The solution X of A X = input, where input2 is the Cholesky factor of A.
---@overload fun(self: torch.Tensor, L: torch.Tensor, opts?: {upper?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param L torch.Tensor
---@param upper? boolean the factor is upper triangular
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cholesky_solve(L, upper, opts) end

--- The tensor in at most `chunks` parts of equal size along a dim.
---@overload fun(self: torch.Tensor, opts?: {chunks: integer, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param chunks integer how many parts
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function Tensor:chunk(chunks, dim, opts) end

--- Each element, not below min and not above max.
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:clamp(min, max, opts) end

--- Each element, not below min and not above max.
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:clamp_(min, max, opts) end

--- Each element, not above max.
---@param max torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:clamp_max(max, opts) end

--- Each element, not above max.
---@param max torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:clamp_max_(max, opts) end

--- Each element, not below min.
---@param min torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:clamp_min(min, opts) end

--- Each element, not below min.
---@param min torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:clamp_min_(min, opts) end

--- Each element, not below min and not above max.
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:clip(min, max, opts) end

--- Each element, not below min and not above max.
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:clip_(min, max, opts) end

--- A copy of the tensor, with memory of its own.
---@param opts? {memory_format?: torch.memory_format|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:clone(opts) end

--- All combinations of r elements of a vector, one in each row.
---@overload fun(self: torch.Tensor, opts?: {r?: integer, with_replacement?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param r? integer how many elements in each
---@param with_replacement? boolean an element may be taken again
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:combinations(r, with_replacement, opts) end

--- x itself: luth has no complex numbers.
---@return any
function Tensor:conj() end

--- x itself: luth has no complex numbers.
---@return any
function Tensor:conj_physical() end

--- x itself: luth has no complex numbers.
---@return any
function Tensor:conj_physical_() end

--- The tensor itself if it lies in memory in that order, else a copy that does.
---@overload fun(self: torch.Tensor, opts?: {memory_format?: torch.memory_format|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param memory_format? torch.memory_format|string the order in memory
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:contiguous(memory_format, opts) end

--- The elements of src, broadcast to input's shape, in input's dtype and device. In place: writes into the tensor and returns it.
---@param src any
---@param non_blocking? boolean
---@return any
function Tensor:copy(src, non_blocking) end

--- The elements of src, broadcast to input's shape, in input's dtype and device.
---@overload fun(self: torch.Tensor, src: torch.Tensor|number|boolean, opts?: {non_blocking?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param src torch.Tensor|number|boolean
---@param non_blocking? boolean return before a copy between devices is done
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:copy_(src, non_blocking, opts) end

--- Input with the sign of other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:copysign(other, opts) end

--- Input with the sign of other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:copysign_(other, opts) end

--- The correlations of the variables that are the rows of a matrix.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:corrcoef(opts) end

--- Cosine of each element, in radians.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cos(opts) end

--- Cosine of each element, in radians.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cos_(opts) end

--- Hyperbolic cosine of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cosh(opts) end

--- Hyperbolic cosine of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cosh_(opts) end

--- How many elements are not 0, over dims.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to count over; all of them where nil
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:count_nonzero(dim, opts) end

--- The covariances of the variables that are the rows of a matrix.
---@param opts? {correction?: integer, fweights?: torch.Tensor, aweights?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cov(opts) end

--- The tensor in the CPU's memory.
---@return any
function Tensor:cpu() end

--- The cross products of vectors of 3 elements along a dim.
---@overload fun(self: torch.Tensor, other: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param other torch.Tensor
---@param dim? integer the dim of the vectors; nil: the first that has 3 elements
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cross(other, dim, opts) end

--- The tensor on a GPU, the current one if none is named; an error says why there is none.
---@param device? any
---@param opts? {non_blocking?: boolean}
---@return any
function Tensor:cuda(device, opts) end

--- The largest element so far along a dim, and where the last such one is.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param dim integer the dim to go along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:cummax(dim, opts) end

--- The smallest element so far along a dim, and where the last such one is.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param dim integer the dim to go along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:cummin(dim, opts) end

--- The product of the elements so far along a dim; integers in int64.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim to multiply along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cumprod(dim, opts) end

--- The product of the elements so far along a dim; integers in int64.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim to multiply along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cumprod_(dim, opts) end

--- The sum of the elements so far along a dim; integers in int64.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim to sum along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cumsum(dim, opts) end

--- The sum of the elements so far along a dim; integers in int64.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim to sum along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:cumsum_(dim, opts) end

--- The address of the first element, as an integer.
---@return any
function Tensor:data_ptr() end

--- Degrees as radians.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:deg2rad(opts) end

--- Degrees as radians.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:deg2rad_(opts) end

--- The determinants of matrices; as linalg.det.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:det(opts) end

--- The same memory without history.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:detach(opts) end

--- Forgets how x was made: it becomes a leaf.
---@return any
function Tensor:detach_() end

--- A vector as the diagonal of a matrix, or the diagonal of a matrix, copied.
---@overload fun(self: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param diagonal? integer how far above the main diagonal; negative: below it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:diag(diagonal, opts) end

--- Matrices of zeros with the rows of input as diagonals.
---@overload fun(self: torch.Tensor, opts?: {offset?: integer, dim1?: integer, dim2?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param dim1? integer where the rows stand in the result
---@param dim2? integer where the columns stand in the result
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:diag_embed(offset, dim1, dim2, opts) end

--- All elements as the diagonal of a matrix.
---@overload fun(self: torch.Tensor, opts?: {offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:diagflat(offset, opts) end

--- A view of the diagonals between two dims, which become the last dim.
---@overload fun(self: torch.Tensor, opts?: {offset?: integer, dim1?: integer, dim2?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param dim1? integer the dim of rows
---@param dim2? integer the dim of columns
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:diagonal(offset, dim1, dim2, opts) end

--- Input with src in the place of the diagonals.
---@overload fun(self: torch.Tensor, src: torch.Tensor, opts?: {offset?: integer, dim1?: integer, dim2?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param src torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param dim1? integer the dim of rows
---@param dim2? integer the dim of columns
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:diagonal_scatter(src, offset, dim1, dim2, opts) end

--- The n-th differences of neighbours along a dim; of bools whether they differ.
---@overload fun(self: torch.Tensor, opts?: {n?: integer, dim?: integer, prepend?: torch.Tensor, append?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param n? integer how often to take differences
---@param dim? integer the dim
---@param prepend? torch.Tensor
---@param append? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:diff(n, dim, prepend, append, opts) end

--- The derivative of lgamma.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:digamma(opts) end

--- The derivative of lgamma.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:digamma_(opts) end

--- The number of dims.
---@return integer
function Tensor:dim() end

--- The p-norm of input - other.
---@overload fun(self: torch.Tensor, other: torch.Tensor, opts?: {p?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param other torch.Tensor
---@param p? number|boolean the exponent of the norm
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:dist(other, p, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(self: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:div(other, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(self: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:div_(other, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(self: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:divide(other, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(self: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:divide_(other, opts) end

--- The sum of the products of the elements of two vectors.
---@param tensor torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:dot(tensor, opts) end

--- The tensor as float64.
---@return any
function Tensor:double() end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(self: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:dropout1d_(p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(self: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:dropout2d_(p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(self: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:dropout3d_(p, training, opts) end

--- In training, each element 0 with probability p, and the rest / (1 - p).
---@overload fun(self: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p? number the probability of 0
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:dropout_(p, training, opts) end

--- Parts one behind the other, of the third dim.
---@overload fun(self: torch.Tensor, opts?: {indices_or_sections: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, indices_or_sections: number|number[], opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, opts?: {indices_or_sections: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param indices_or_sections integer how many equal parts
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function Tensor:dsplit(indices_or_sections, opts) end

--- Bytes per element.
---@return any
function Tensor:element_size() end

--- Each element, alpha (exp(x) - 1) where it is negative.
---@overload fun(self: torch.Tensor, opts?: {alpha?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param alpha? number the limit on the left is -alpha
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:elu_(alpha, opts) end

--- Whether the elements are equal.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:eq(other, opts) end

--- Whether the elements are equal.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:eq_(other, opts) end

--- Whether shapes and all elements are the same.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function Tensor:equal(other, opts) end

--- Error function of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:erf(opts) end

--- Error function of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:erf_(opts) end

--- 1 - erf(x), accurate where erf is near 1.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:erfc(opts) end

--- 1 - erf(x), accurate where erf is near 1.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:erfc_(opts) end

--- The number whose erf is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:erfinv(opts) end

--- The number whose erf is the element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:erfinv_(opts) end

--- e to the power of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:exp(opts) end

--- 2 to the power of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:exp2(opts) end

--- 2 to the power of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:exp2_(opts) end

--- e to the power of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:exp_(opts) end

--- A view in which extents of 1 are repeated; -1 keeps an extent.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape to expand to
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:expand(size, opts) end

--- A view of input expanded to other's shape.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:expand_as(other, opts) end

--- 1 / (1 + exp(-x)) for each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:expit(opts) end

--- 1 / (1 + exp(-x)) for each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:expit_(opts) end

--- exp(x) - 1, accurate near 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:expm1(opts) end

--- exp(x) - 1, accurate near 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:expm1_(opts) end

--- Fills with exponentially distributed numbers of rate lambd.
---@overload fun(self: torch.Tensor, opts?: {lambd?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param lambd? number the rate, one over the mean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:exponential_(lambd, opts) end

--- Alpha_dropout of whole channels (dim 1).
---@overload fun(self: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:feature_alpha_dropout_(p, training, opts) end

--- Every element set to value, a number or a 0-dimensional tensor. In place: writes into the tensor and returns it.
---@param value any
---@return any
function Tensor:fill(value) end

--- Every element set to value, a number or a 0-dimensional tensor.
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:fill_(value, opts) end

--- Writes a number to the main diagonal, where all positions are equal.
---@overload fun(self: torch.Tensor, opts?: {fill_value: number|boolean, wrap?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param fill_value number|boolean the number
---@param wrap? boolean the diagonal of a tall matrix begins again below its square, a row further down
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:fill_diagonal_(fill_value, wrap, opts) end

--- Each element without its fraction.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:fix(opts) end

--- Each element without its fraction.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:fix_(opts) end

--- Dims from start_dim to end_dim made one.
---@overload fun(self: torch.Tensor, opts?: {start_dim?: integer, end_dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param start_dim? integer the first of the dims to join
---@param end_dim? integer the last
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:flatten(start_dim, end_dim, opts) end

--- The tensor with the order along some dims turned round; a copy.
---@overload fun(self: torch.Tensor, opts?: {dims: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dims integer|integer[]|torch.Size the dims
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:flip(dims, opts) end

--- The columns in reverse order; a copy.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:fliplr(opts) end

--- The rows in reverse order; a copy.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:flipud(opts) end

--- The tensor as float32.
---@return any
function Tensor:float() end

--- Input to the power of exponent, in float64.
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:float_power(exponent, opts) end

--- Input to the power of exponent, in float64.
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:float_power_(exponent, opts) end

--- The largest integer not above each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:floor(opts) end

--- The largest integer not above each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:floor_(opts) end

--- The largest integer not above input / other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:floor_divide(other, opts) end

--- The largest integer not above input / other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:floor_divide_(other, opts) end

--- The larger of each pair, and the other one where one is nan.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:fmax(other, opts) end

--- The smaller of each pair, and the other one where one is nan.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:fmin(other, opts) end

--- What division leaves: the sign is input's.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:fmod(other, opts) end

--- What division leaves: the sign is input's.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:fmod_(other, opts) end

--- The fraction of each element, with its sign.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:frac(opts) end

--- The fraction of each element, with its sign.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:frac_(opts) end

--- Lets go of the memory now, not when the collector comes. x cannot be used after.
---@return any
function Tensor:free() end

--- mantissa and exponent with input = mantissa 2^exponent, 1/2 <= |mantissa| < 1.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:frexp(opts) end

--- Element [i][j] of the result is input[index[i][j]][j] for the first dim, and so on.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:gather(dim, index, opts) end

--- The greatest common divisor of each pair; of two zeros 0.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:gcd(other, opts) end

--- The greatest common divisor of each pair; of two zeros 0.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:gcd_(other, opts) end

--- Whether input is at least other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:ge(other, opts) end

--- Whether input is at least other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:ge_(other, opts) end

--- Fills with how many trials the first success takes, 1 or more.
---@overload fun(self: torch.Tensor, opts?: {p: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p number the probability of success, above 0 and below 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:geometric_(p, opts) end

--- LAPACK's form of a QR factorization: R above reflectors, and their factors.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:geqrf(opts) end

--- The matrix of products of the elements of two vectors.
---@param vec2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:ger(vec2, opts) end

--- The number of the GPU that has the tensor, from 0; -1: the CPU.
---@return any
function Tensor:get_device() end

--- Whether input is greater than other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:greater(other, opts) end

--- Whether input is greater than other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:greater_(other, opts) end

--- Whether input is at least other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:greater_equal(other, opts) end

--- Whether input is at least other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:greater_equal_(other, opts) end

--- Whether input is greater than other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:gt(other, opts) end

--- Whether input is greater than other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:gt_(other, opts) end

--- The tensor as float16.
---@return any
function Tensor:half() end

--- Each element, or 0 where it is between -lambd and lambd.
---@overload fun(self: torch.Tensor, opts?: {lambd?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param lambd? number what is not farther from 0 becomes 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:hardshrink(lambd, opts) end

--- relu6(x + 3) / 6: sigmoid of straight parts.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:hardsigmoid_(opts) end

--- x relu6(x + 3) / 6: silu of straight and parabolic parts.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:hardswish_(opts) end

--- Each element, not below min_val and not above max_val.
---@overload fun(self: torch.Tensor, opts?: {min_val?: number, max_val?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param min_val? number the least result
---@param max_val? number the greatest result
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:hardtanh_(min_val, max_val, opts) end

--- 0 where input is negative, values where it is 0, else 1.
---@param values torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:heaviside(values, opts) end

--- 0 where input is negative, values where it is 0, else 1.
---@param values torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:heaviside_(values, opts) end

--- How many elements lie in each of `bins` equal parts of [min, max].
---@overload fun(self: torch.Tensor, opts?: {bins?: integer, min?: number|boolean, max?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param bins? integer how many parts
---@param min? number|boolean where they begin; where min is max, the smallest element
---@param max? number|boolean where they end; where min is max, the largest element
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:histc(bins, min, max, opts) end

--- How many elements lie in each of `bins` equal parts, and the edges of these.
---@overload fun(self: torch.Tensor, opts?: {bins?: integer, range?: number|number[], weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, bins: torch.Tensor, opts?: {weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param bins? integer how many parts
---@param opts? {range?: number|number[], weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:histogram(bins, opts) end

--- Parts side by side: of the second dim, of a vector the first.
---@overload fun(self: torch.Tensor, opts?: {indices_or_sections: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, indices_or_sections: number|number[], opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, opts?: {indices_or_sections: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param indices_or_sections integer how many equal parts
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function Tensor:hsplit(indices_or_sections, opts) end

--- The square root of input² + other², without overflow.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:hypot(other, opts) end

--- The square root of input² + other², without overflow.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:hypot_(other, opts) end

--- The modified Bessel function of the first kind, of order 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:i0(opts) end

--- The modified Bessel function of the first kind, of order 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:i0_(opts) end

--- The regularised lower incomplete gamma function.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:igamma(other, opts) end

--- The regularised lower incomplete gamma function.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:igamma_(other, opts) end

--- The regularised upper incomplete gamma function.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:igammac(other, opts) end

--- The regularised upper incomplete gamma function.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:igammac_(other, opts) end

--- Input with alpha times source added at the positions along a dim that index lists.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:index_add(dim, index, source, opts) end

--- Input with alpha times source added at the positions along a dim that index lists.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:index_add_(dim, index, source, opts) end

--- Input with source written to the positions along a dim that index lists; the last of several writes to one place stays.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:index_copy(dim, index, source, opts) end

--- Input with source written to the positions along a dim that index lists; the last of several writes to one place stays.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:index_copy_(dim, index, source, opts) end

--- Input with value at the positions along a dim that index lists.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:index_fill(dim, index, value, opts) end

--- Input with value at the positions along a dim that index lists.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:index_fill_(dim, index, value, opts) end

--- Input with values written where one index tensor or mask per dim points.
---@overload fun(self: torch.Tensor, indices: torch.Tensor[], values: torch.Tensor|number|boolean, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param indices torch.Tensor[]
---@param values torch.Tensor|number|boolean
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:index_put(indices, values, accumulate, opts) end

--- Input with values written where one index tensor or mask per dim points.
---@overload fun(self: torch.Tensor, indices: torch.Tensor[], values: torch.Tensor|number|boolean, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param indices torch.Tensor[]
---@param values torch.Tensor|number|boolean
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:index_put_(indices, values, accumulate, opts) end

--- Input with source joined to the positions along a dim that index lists; 'prod', 'mean', 'amax' or 'amin'.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:index_reduce(dim, index, source, reduce, opts) end

--- Input with source joined to the positions along a dim that index lists; 'prod', 'mean', 'amax' or 'amin'.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:index_reduce_(dim, index, source, reduce, opts) end

--- The positions along a dim that index lists, in its order.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:index_select(dim, index, opts) end

--- Sums of products over the last dims of both.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:inner(other, opts) end

--- The tensor as int32.
---@return any
function Tensor:int() end

--- The inverses of matrices; as linalg.inv.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:inverse(opts) end

--- Whether the elements lie in memory in that order without gaps.
---@param opts? {memory_format?: any}
---@return any
function Tensor:isContiguous(opts) end

--- Whether the shapes are equal.
---@param y any
---@return any
function Tensor:isSameSizeAs(y) end

--- false: luth has no complex dtypes.
---@return any
function Tensor:is_complex() end

--- false: luth has no complex dtypes.
---@return any
function Tensor:is_conj() end

--- Whether the elements lie in memory in that order without gaps.
---@param opts? {memory_format?: any}
---@return any
function Tensor:is_contiguous(opts) end

--- Whether the dtype is a float.
---@return any
function Tensor:is_floating_point() end

--- Whether torch.inference_mode() was on when it was made.
---@return any
function Tensor:is_inference() end

--- false: no view of luth negates what it shows.
---@return any
function Tensor:is_neg() end

--- Whether the only element is not 0.
---@return any
function Tensor:is_nonzero() end

--- Whether pin_memory made it.
---@return any
function Tensor:is_pinned() end

--- Whether the shapes are equal.
---@param y any
---@return any
function Tensor:is_same_size(y) end

--- Whether both are the same view of the same memory.
---@param y any
---@return any
function Tensor:is_set_to(y) end

--- false: no other process has the memory of a tensor.
---@return any
function Tensor:is_shared() end

--- Whether the dtype has negative numbers.
---@return any
function Tensor:is_signed() end

--- Whether x is a view of another tensor, x._base.
---@return any
function Tensor:is_view() end

--- Whether input is within atol + rtol |other| of other.
---@overload fun(self: torch.Tensor, other: torch.Tensor, opts?: {rtol?: number, atol?: number, equal_nan?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param other torch.Tensor
---@param rtol? number tolerance relative to other
---@param atol? number absolute tolerance
---@param equal_nan? boolean nan is close to nan
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:isclose(other, rtol, atol, equal_nan, opts) end

--- Whether each element is neither infinite nor nan.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:isfinite(opts) end

--- Whether each element is infinite.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:isinf(opts) end

--- Whether each element is nan.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:isnan(opts) end

--- Whether each element is minus infinity.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:isneginf(opts) end

--- Whether each element is infinity.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:isposinf(opts) end

--- Whether each element has no imaginary part: true.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:isreal(opts) end

--- The number in a tensor of one element: integer, float or boolean.
---@return number|boolean
function Tensor:item() end

--- Kronecker's product: every element of input times the whole of other, side by side.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:kron(other, opts) end

--- The k-th smallest elements along a dim, and where they are.
---@overload fun(self: torch.Tensor, opts?: {k: integer, dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param k integer which: 1 is the smallest
---@param dim? integer the dim to reduce
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:kthvalue(k, dim, keepdim, opts) end

--- The least common multiple of each pair; 0 where one is 0.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:lcm(other, opts) end

--- The least common multiple of each pair; 0 where one is 0.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:lcm_(other, opts) end

--- Input times 2^other.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:ldexp(other, opts) end

--- Input times 2^other.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:ldexp_(other, opts) end

--- Whether input is at most other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:le(other, opts) end

--- Whether input is at most other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:le_(other, opts) end

--- Each element, times negative_slope where it is negative.
---@overload fun(self: torch.Tensor, opts?: {negative_slope?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param negative_slope? number the slope below 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:leaky_relu_(negative_slope, opts) end

--- input + weight (end - input): input at weight 0, end at 1.
---@param end_ torch.Tensor
---@param weight torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:lerp(end_, weight, opts) end

--- input + weight (end - input): input at weight 0, end at 1.
---@param end_ torch.Tensor
---@param weight torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:lerp_(end_, weight, opts) end

--- Whether input is less than other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:less(other, opts) end

--- Whether input is less than other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:less_(other, opts) end

--- Whether input is at most other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:less_equal(other, opts) end

--- Whether input is at most other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:less_equal_(other, opts) end

--- The logarithm of the absolute value of the gamma function.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:lgamma(opts) end

--- The logarithm of the absolute value of the gamma function.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:lgamma_(opts) end

--- Natural logarithm of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:log(opts) end

--- Logarithm to base 10 of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:log10(opts) end

--- Logarithm to base 10 of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:log10_(opts) end

--- log(1 + x), accurate near 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:log1p(opts) end

--- log(1 + x), accurate near 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:log1p_(opts) end

--- Logarithm to base 2 of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:log2(opts) end

--- Logarithm to base 2 of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:log2_(opts) end

--- Natural logarithm of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:log_(opts) end

--- Fills with numbers whose logarithms are normally distributed.
---@overload fun(self: torch.Tensor, opts?: {mean?: number, std?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param mean? number the mean of the logarithms
---@param std? number their standard deviation
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:log_normal_(mean, std, opts) end

--- The logarithm of softmax, computed without underflow.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that sums to one
---@param dtype? torch.dtype|string convert to this dtype first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:log_softmax(dim, dtype, opts) end

--- The logarithm of exp(input) + exp(other), without overflow.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logaddexp(other, opts) end

--- The logarithm to base 2 of 2^input + 2^other, without overflow.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logaddexp2(other, opts) end

--- The logarithm of the sum of the exponentials so far along a dim.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim to sum along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logcumsumexp(dim, opts) end

--- The logarithms of determinants; nan where one is negative.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logdet(opts) end

--- Whether both elements are not 0.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logical_and(other, opts) end

--- Whether both elements are not 0.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logical_and_(other, opts) end

--- Whether each element is 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logical_not(opts) end

--- Whether each element is 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logical_not_(opts) end

--- Whether one of the elements is not 0.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logical_or(other, opts) end

--- Whether one of the elements is not 0.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logical_or_(other, opts) end

--- Whether just one of the elements is not 0.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logical_xor(other, opts) end

--- Whether just one of the elements is not 0.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logical_xor_(other, opts) end

--- log(x / (1 - x)), of x held within eps of 0 and 1 where eps is given.
---@overload fun(self: torch.Tensor, opts?: {eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param eps? number elements are held in [eps, 1 - eps]; nil: they are not
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logit(eps, opts) end

--- log(x / (1 - x)), of x held within eps of 0 and 1 where eps is given.
---@overload fun(self: torch.Tensor, opts?: {eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param eps? number elements are held in [eps, 1 - eps]; nil: they are not
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logit_(eps, opts) end

--- The logarithm of sigmoid, without underflow.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logsigmoid_(opts) end

--- The logarithm of the sum of exponentials over dims.
---@overload fun(self: torch.Tensor, opts?: {dim: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer|integer[]|torch.Size the dim or dims to reduce
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:logsumexp(dim, keepdim, opts) end

--- The tensor as int64; nan becomes 0, large values saturate.
---@return any
function Tensor:long() end

--- Whether input is less than other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:lt(other, opts) end

--- Whether input is less than other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:lt_(other, opts) end

--- The factors of A = P L U in one matrix, with the exchanges of rows, counted from 1; with get_infos also info, the first zero on U's diagonal, counted from 1, or 0.
---@overload fun(self: torch.Tensor, opts?: {pivot?: boolean, get_infos?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param pivot? boolean exchange rows; LAPACK knows no other way
---@param get_infos? boolean also return info
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:lu(pivot, get_infos, opts) end

--- The solution X of A X = input, from what lu gives of A.
---@param LU_data torch.Tensor
---@param LU_pivots torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:lu_solve(LU_data, LU_pivots, opts) end

--- Each element becomes f(element, element of y), a function of the script: slow. y broadcasts.
---@param y any
---@param f any
---@return any
function Tensor:map_(y, f) end

--- Input with value where mask is true.
---@param mask torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:masked_fill(mask, value, opts) end

--- Input with value where mask is true.
---@param mask torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:masked_fill_(mask, value, opts) end

--- Input with its elements where mask is true replaced by those of source, in order.
---@param mask torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:masked_scatter(mask, source, opts) end

--- Input with its elements where mask is true replaced by those of source, in order.
---@param mask torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:masked_scatter_(mask, source, opts) end

--- The elements of input where mask is true, as one dim.
---@param mask torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:masked_select(mask, opts) end

--- The product of vectors, matrices or batches of matrices; batch dims broadcast.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:matmul(other, opts) end

--- The exponentials of matrices: I + A + A²/2 + A³/6 + …
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:matrix_exp(opts) end

--- The n-th powers of matrices; of their inverses for n < 0.
---@overload fun(self: torch.Tensor, opts?: {n: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param n integer the exponent
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:matrix_power(n, opts) end

--- The largest element of all.
---@overload fun(self: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, other: torch.Tensor, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:max(opts) end

--- The larger of each pair; nan where one is nan.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:maximum(other, opts) end

--- Mean over dims.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:mean(dim, keepdim, opts) end

--- The median of all elements; nan where one is nan.
---@overload fun(self: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:median(opts) end

--- The smallest element of all.
---@overload fun(self: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, other: torch.Tensor, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:min(opts) end

--- The smaller of each pair; nan where one is nan.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:minimum(other, opts) end

--- Each element times tanh(softplus(x)).
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:mish_(opts) end

--- The product of two matrices.
---@param mat2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:mm(mat2, opts) end

--- The elements that come most often along a dim, the smallest of them, and where the last of these is.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param dim? integer the dim to reduce
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:mode(dim, keepdim, opts) end

--- A view with some dims moved to other places.
---@overload fun(self: torch.Tensor, opts?: {source: integer|integer[]|torch.Size, destination: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param source integer|integer[]|torch.Size the dims to move
---@param destination integer|integer[]|torch.Size where they go
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:moveaxis(source, destination, opts) end

--- A view with some dims moved to other places.
---@overload fun(self: torch.Tensor, opts?: {source: integer|integer[]|torch.Size, destination: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param source integer|integer[]|torch.Size the dims to move
---@param destination integer|integer[]|torch.Size where they go
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:movedim(source, destination, opts) end

--- The elements in order along the first dim.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:msort(opts) end

--- Product of input and other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:mul(other, opts) end

--- Product of input and other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:mul_(other, opts) end

--- Positions drawn with the weights of each row as chances.
---@overload fun(self: torch.Tensor, opts?: {num_samples: integer, replacement?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param num_samples integer how many of each row
---@param replacement? boolean whether a position may come again
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:multinomial(num_samples, replacement, opts) end

--- Product of input and other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:multiply(other, opts) end

--- Product of input and other.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:multiply_(other, opts) end

--- The product of a matrix and a vector.
---@param vec torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:mv(vec, opts) end

--- The logarithm of the multivariate gamma function of dimension p.
---@overload fun(self: torch.Tensor, opts?: {p: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p integer the dimension, at least 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:mvlgamma(p, opts) end

--- The logarithm of the multivariate gamma function of dimension p.
---@overload fun(self: torch.Tensor, opts?: {p: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p integer the dimension, at least 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:mvlgamma_(p, opts) end

--- The number of dims.
---@return any
function Tensor:nDimension() end

--- The number of elements.
---@return any
function Tensor:nElement() end

--- Numbers in place of nan and infinities.
---@overload fun(self: torch.Tensor, opts?: {nan?: number, posinf?: number, neginf?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param nan? number in place of nan; nil: 0
---@param posinf? number in place of infinity; nil: the greatest number of the dtype
---@param neginf? number in place of minus infinity; nil: the least number of the dtype
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:nan_to_num(nan, posinf, neginf, opts) end

--- Numbers in place of nan and infinities.
---@overload fun(self: torch.Tensor, opts?: {nan?: number, posinf?: number, neginf?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param nan? number in place of nan; nil: 0
---@param posinf? number in place of infinity; nil: the greatest number of the dtype
---@param neginf? number in place of minus infinity; nil: the least number of the dtype
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:nan_to_num_(nan, posinf, neginf, opts) end

--- Mean over dims of what is not nan; nan where all are.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:nanmean(dim, keepdim, opts) end

--- The median of all elements that are not nan.
---@overload fun(self: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:nanmedian(opts) end

--- Quantile of what is not nan.
---@overload fun(self: torch.Tensor, opts?: {q: number, dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, q: torch.Tensor, dim?: integer, keepdim?: boolean, opts?: {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, q: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param q number which part of the elements lies below, from 0 to 1
---@param dim? integer the dim to reduce; nil: all elements as one dim
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:nanquantile(q, dim, keepdim, opts) end

--- Sum over dims of what is not nan; integers and bool as sum.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:nansum(dim, keepdim, opts) end

--- A view of `length` positions along a dim, from `start`.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, start: integer, length: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim
---@param start integer the first position
---@param length integer how many
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:narrow(dim, start, length, opts) end

--- A copy of `length` positions along a dim, from `start`.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, start: integer, length: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim
---@param start integer the first position
---@param length integer how many
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:narrow_copy(dim, start, length, opts) end

--- Bytes of all elements.
---@return any
function Tensor:nbytes() end

--- The number of dims.
---@return any
function Tensor:ndimension() end

--- Whether the elements differ.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:ne(other, opts) end

--- Whether the elements differ.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:ne_(other, opts) end

--- Each element with its sign changed.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:neg(opts) end

--- Each element with its sign changed.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:neg_(opts) end

--- Each element with its sign changed.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:negative(opts) end

--- Each element with its sign changed.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:negative_(opts) end

--- The number of elements.
---@return any
function Tensor:nelement() end

--- As the function without new_, in the dtype and on the device of input.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:new_empty(size, opts) end

--- A tensor with the given strides, in the dtype and on the device of input, not set.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, stride: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param stride integer|integer[]|torch.Size the strides, in elements
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:new_empty_strided(size, stride, opts) end

--- As the function without new_, in the dtype and on the device of input.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, fill_value: number|boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param fill_value number|boolean the number
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:new_full(size, fill_value, opts) end

--- As the function without new_, in the dtype and on the device of input.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:new_ones(size, opts) end

--- As the function without new_, in the dtype and on the device of input.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:new_rand(size, opts) end

--- As the function without new_, in the dtype and on the device of input.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:new_randn(size, opts) end

--- As torch.tensor, in the dtype and on the device of x.
---@param data any
---@param opts? {dtype?: any, device?: any, requires_grad?: boolean}
---@return any
function Tensor:new_tensor(data, opts) end

--- As the function without new_, in the dtype and on the device of input.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:new_zeros(size, opts) end

--- The next number of the dtype from input towards other.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:nextafter(other, opts) end

--- The next number of the dtype from input towards other.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:nextafter_(other, opts) end

--- The positions of elements that are not 0, one per row.
---@overload fun(self: torch.Tensor, opts?: {as_tuple: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:nonzero(opts) end

--- The positions of elements that are not 0, one per row, in exactly `size` rows.
---@param opts? {size: integer, fill_value?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:nonzero_static(opts) end

--- The p-norm over dims: the p-th root of the sum of |x|^p; inf: the largest |x|.
---@overload fun(self: torch.Tensor, opts?: {p?: number|boolean, dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, p: string, dim?: integer|integer[]|torch.Size, keepdim?: boolean, opts?: {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {p: string, dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p? number|boolean the exponent; 2 is the Euclidean norm
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:norm(p, dim, keepdim, opts) end

--- Fills with normally distributed numbers. In place: writes into the tensor and returns it.
---@param mean? number
---@param std? number
---@param opts? {generator?: any}
---@return any
function Tensor:normal(mean, std, opts) end

--- Fills with normally distributed numbers.
---@overload fun(self: torch.Tensor, opts?: {mean?: number, std?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param mean? number the mean
---@param std? number the standard deviation
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:normal_(mean, std, opts) end

--- Whether the elements differ.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:not_equal(other, opts) end

--- Whether the elements differ.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:not_equal_(other, opts) end

--- The number of elements.
---@return integer
function Tensor:numel() end

--- The older name of linalg.householder_product.
---@param tau torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:orgqr(tau, opts) end

--- The product of reflectors (input, with factors input2) times the matrix input3.
---@overload fun(self: torch.Tensor, tau: torch.Tensor, other: torch.Tensor, opts?: {left?: boolean, transpose?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param tau torch.Tensor
---@param other torch.Tensor
---@param left? boolean the product stands on the left
---@param transpose? boolean the product is transposed
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:ormqr(tau, other, left, transpose, opts) end

--- The matrix of products of the elements of two vectors.
---@param vec2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:outer(vec2, opts) end

--- A view with the dims in another order.
---@overload fun(self: torch.Tensor, opts?: {dims: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dims integer|integer[]|torch.Size which dim comes first, second, …
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:permute(dims, opts) end

--- A copy in memory of the CPU that copies to a GPU need not wait for; the same tensor where it is there already.
---@return any
function Tensor:pin_memory() end

--- As linalg.pinv.
---@overload fun(self: torch.Tensor, opts?: {rcond?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param rcond? number singular values up to it times the largest count as 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:pinverse(rcond, opts) end

--- The n-th derivative of digamma.
---@overload fun(opts?: {n: integer, input: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, n: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {n: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:polygamma(input, opts) end

--- The n-th derivative of digamma.
---@overload fun(opts?: {n: integer, input: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, n: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {n: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:polygamma_(input, opts) end

--- The elements themselves.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:positive(opts) end

--- The elements themselves.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:positive_(opts) end

--- Input to the power of exponent.
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:pow(exponent, opts) end

--- Input to the power of exponent.
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:pow_(exponent, opts) end

--- Each element, times weight where it is negative; one weight, or one per channel.
---@param weight torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:prelu(weight, opts) end

--- Product over all elements or along one dim.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer the dim to reduce; all where nil
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:prod(dim, keepdim, opts) end

--- Input with source's elements at positions of its flat form.
---@overload fun(self: torch.Tensor, index: torch.Tensor, source: torch.Tensor, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param index torch.Tensor
---@param source torch.Tensor
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:put(index, source, accumulate, opts) end

--- Input with source's elements at positions of its flat form.
---@overload fun(self: torch.Tensor, index: torch.Tensor, source: torch.Tensor, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param index torch.Tensor
---@param source torch.Tensor
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:put_(index, source, accumulate, opts) end

--- The older form of linalg.qr.
---@overload fun(self: torch.Tensor, opts?: {some?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param some? boolean false: Q is square
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:qr(some, opts) end

--- Where a part q of the elements lies below, along a dim or of all.
---@overload fun(self: torch.Tensor, opts?: {q: number, dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, q: torch.Tensor, dim?: integer, keepdim?: boolean, opts?: {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, q: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param q number which part of the elements lies below, from 0 to 1
---@param dim? integer the dim to reduce; nil: all elements as one dim
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:quantile(q, dim, keepdim, opts) end

--- Radians as degrees.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:rad2deg(opts) end

--- Radians as degrees.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:rad2deg_(opts) end

--- Fills with integers from 0 to the largest that the dtype holds exactly.
---@overload fun(self: torch.Tensor, to: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {to: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, from: integer, to?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {from: integer, to?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:random_(opts) end

--- One dim of all elements.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:ravel(opts) end

--- 1 over each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:reciprocal(opts) end

--- 1 over each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:reciprocal_(opts) end

--- The memory of x is not used again before the stream s has done what it was given.
---@param s any
---@return any
function Tensor:record_stream(s) end

--- f sees the gradient of x and may return another one; the handle's remove() undoes it.
---@param f any
---@return any
function Tensor:register_hook(f) end

--- f(x) runs when a backward has added to x.grad, for a leaf; the handle's remove() undoes it.
---@param f any
---@return any
function Tensor:register_post_accumulate_grad_hook(f) end

--- Each element, or 0 where it is negative.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:relu(opts) end

--- Each element, not below 0 and not above 6.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:relu6_(opts) end

--- Each element, or 0 where it is negative.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:relu_(opts) end

--- input - other * floor(input / other): the sign is other's.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:remainder(other, opts) end

--- input - other * floor(input / other): the sign is other's.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:remainder_(other, opts) end

--- Slices along a dim whose p-norm is above maxnorm, brought down to it.
---@overload fun(self: torch.Tensor, opts?: {p: number|boolean, dim: integer, maxnorm: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p number|boolean the exponent of the norm, above 0
---@param dim integer the dim whose positions are the slices
---@param maxnorm number|boolean the largest norm
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:renorm(p, dim, maxnorm, opts) end

--- Slices along a dim whose p-norm is above maxnorm, brought down to it.
---@overload fun(self: torch.Tensor, opts?: {p: number|boolean, dim: integer, maxnorm: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param p number|boolean the exponent of the norm, above 0
---@param dim integer the dim whose positions are the slices
---@param maxnorm number|boolean the largest norm
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:renorm_(p, dim, maxnorm, opts) end

--- Copies of the tensor side by side: as many along each dim as named.
---@overload fun(self: torch.Tensor, opts?: {repeats: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param repeats integer|integer[]|torch.Size how often along each dim; more of them than dims make new first dims
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
Tensor["repeat"] = function(self, repeats, opts) end

--- Copies of the tensor side by side: as many along each dim as named.
---@param repeats any
---@return any
function Tensor:repeatTensor(repeats) end

--- Each position along a dim, or each element, repeated.
---@overload fun(self: torch.Tensor, opts?: {repeats: integer, dim?: integer, output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, repeats: torch.Tensor, dim?: integer, opts?: {output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, repeats: torch.Tensor, opts?: {dim?: integer, output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param repeats integer how often
---@param dim? integer the dim; nil: of all elements as one dim
---@param opts? {output_size?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:repeat_interleave(repeats, dim, opts) end

--- Makes operators on x record gradients.
---@param requires_grad? boolean
---@return any
function Tensor:requires_grad_(requires_grad) end

--- Another shape; a view where strides allow it, else a copy. One extent may be -1.
---@overload fun(self: torch.Tensor, opts?: {shape: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param shape integer|integer[]|torch.Size the new shape
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:reshape(shape, opts) end

--- Input in other's shape.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:reshape_as(other, opts) end

--- Changes the shape in place; new elements are not initialised.
---@param ... any
---@return any
function Tensor:resize(...) end

--- Changes the shape in place to that of the_template.
---@param the_template any
---@return any
function Tensor:resizeAs(the_template) end

--- Changes the shape in place; new elements are not initialised.
---@param ... any
---@return any
function Tensor:resize_(...) end

--- Changes the shape in place to that of the_template.
---@param the_template any
---@return any
function Tensor:resize_as_(the_template) end

--- x itself: luth has no complex numbers.
---@return any
function Tensor:resolve_conj() end

--- x itself: no view of luth negates what it shows.
---@return any
function Tensor:resolve_neg() end

--- Keeps the gradient of a tensor that is no leaf in its grad.
---@return any
function Tensor:retain_grad() end

--- The tensor moved along some dims; what leaves at one end comes in at the other.
---@overload fun(self: torch.Tensor, opts?: {shifts: integer|integer[]|torch.Size, dims?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param shifts integer|integer[]|torch.Size how far along each of dims, towards the end
---@param dims? integer|integer[]|torch.Size the dims; none: along all elements as one dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:roll(shifts, dims, opts) end

--- The tensor turned by right angles in the plane of two dims.
---@overload fun(self: torch.Tensor, opts?: {k?: integer, dims?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param k? integer how many right angles, from the first of dims towards the second
---@param dims? integer|integer[]|torch.Size the plane
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:rot90(k, dims, opts) end

--- The nearest integer to each element, halves to even; to `decimals` places.
---@param opts? {decimals?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:round(opts) end

--- The nearest integer to each element, halves to even; to `decimals` places.
---@param opts? {decimals?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:round_(opts) end

--- Each element, times a slope from [lower, upper] where it is negative.
---@overload fun(self: torch.Tensor, opts?: {lower?: number, upper?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param lower? number the least slope
---@param upper? number the greatest slope
---@param training? boolean draw a slope for each element; otherwise all take the mean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:rrelu_(lower, upper, training, opts) end

--- 1 over the square root of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:rsqrt(opts) end

--- 1 over the square root of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:rsqrt_(opts) end

--- Input with src's elements written to the positions along a dim that index gives; the last of several writes to one place stays.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, opts?: {reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {reduce?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:scatter(dim, index, src, opts) end

--- Input with src's elements written to the positions along a dim that index gives; the last of several writes to one place stays.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, opts?: {reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {reduce?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:scatter_(dim, index, src, opts) end

--- Input with src's elements added at the positions along a dim that index gives, in order.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:scatter_add(dim, index, src, opts) end

--- Input with src's elements added at the positions along a dim that index gives, in order.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:scatter_add_(dim, index, src, opts) end

--- Input with src's elements joined to the positions along a dim that index gives; elements that nothing is joined to stay.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:scatter_reduce(dim, index, src, reduce, opts) end

--- Input with src's elements joined to the positions along a dim that index gives; elements that nothing is joined to stay.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:scatter_reduce_(dim, index, src, reduce, opts) end

--- A view of one position along a dim, which goes away.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, index: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim
---@param index integer the position
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:select(dim, index, opts) end

--- Input with src at one position along a dim.
---@overload fun(self: torch.Tensor, src: torch.Tensor, opts?: {dim: integer, index: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param src torch.Tensor
---@param dim integer the dim
---@param index integer the position
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:select_scatter(src, dim, index, opts) end

--- elu scaled so that layers keep mean 0 and variance 1.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:selu_(opts) end

--- Makes x a view of the memory of source.
---@param source? any
---@param storage_offset? any
---@param size? any
---@param stride? any
---@return any
function Tensor:set_(source, storage_offset, size, stride) end

--- -1, 0 or 1 by the sign of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sgn(opts) end

--- -1, 0 or 1 by the sign of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sgn_(opts) end

--- x itself: threads share all memory, and processes none of luth's.
---@return any
function Tensor:share_memory_() end

--- The tensor as int16.
---@return any
function Tensor:short() end

--- 1 / (1 + exp(-x)) for each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sigmoid(opts) end

--- 1 / (1 + exp(-x)) for each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sigmoid_(opts) end

--- -1, 0 or 1 by the sign of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sign(opts) end

--- -1, 0 or 1 by the sign of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sign_(opts) end

--- Whether the sign of each element is minus; -0 has it too.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:signbit(opts) end

--- Each element times its sigmoid.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:silu_(opts) end

--- Sine of each element, in radians.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sin(opts) end

--- Sine of each element, in radians.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sin_(opts) end

--- sin(pi x) / (pi x), and 1 at 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sinc(opts) end

--- sin(pi x) / (pi x), and 1 at 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sinc_(opts) end

--- Hyperbolic sine of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sinh(opts) end

--- Hyperbolic sine of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sinh_(opts) end

--- The shape as a torch.Size, or the extent of one dim.
---@param dim? any
---@return any
function Tensor:size(dim) end

--- Input with src at positions start, start + step, … of a dim.
---@overload fun(self: torch.Tensor, src: torch.Tensor, opts?: {dim?: integer, start?: integer, stop?: integer, step?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param src torch.Tensor
---@param dim? integer the dim
---@param start? integer the first position; nil: the first of the dim
---@param end_? integer where the positions stop; nil: at the end of the dim
---@param step? integer the distance between positions
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:slice_scatter(src, dim, start, end_, step, opts) end

--- As linalg.slogdet.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:slogdet(opts) end

--- Exponentials along a dim, scaled to sum to one.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim that sums to one
---@param dtype? torch.dtype|string convert to this dtype first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:softmax(dim, dtype, opts) end

--- The elements along a dim in order, and where they were.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer, descending?: boolean, stable?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param dim? integer the dim to sort along
---@param descending? boolean the largest first
---@param opts? {stable?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:sort(dim, descending, opts) end

--- Parts of split_size positions along a dim; the last may be smaller.
---@overload fun(self: torch.Tensor, opts?: {split_size_or_sections: integer, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, split_size_or_sections: number|number[], dim?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, opts?: {split_size_or_sections: number|number[], dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param split_size_or_sections integer positions in each part
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function Tensor:split(split_size_or_sections, dim, opts) end

--- Parts of the given sizes along a dim.
---@overload fun(self: torch.Tensor, opts?: {split_sizes: number|number[], dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param split_sizes number|number[] the size of each part
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function Tensor:split_with_sizes(split_sizes, dim, opts) end

--- Square root of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sqrt(opts) end

--- Square root of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sqrt_(opts) end

--- Each element times itself.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:square(opts) end

--- Each element times itself.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:square_(opts) end

--- A view without dims of extent 1: all of them, or those named.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer|integer[]|torch.Size the dims to drop, if their extent is 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:squeeze(dim, opts) end

--- A view without dims of extent 1: all of them, or those named.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer|integer[]|torch.Size the dims to drop, if their extent is 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:squeeze_(dim, opts) end

--- Standard deviation over dims: the square root of var.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, unbiased?: boolean, keepdim?: boolean, correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, unbiased: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {unbiased: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param unbiased? boolean false: the same as correction 0
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:std(dim, unbiased, keepdim, opts) end

--- Elements of the storage before the first, from 0.
---@return any
function Tensor:storageOffset() end

--- Elements of the storage before the first, from 0.
---@return any
function Tensor:storage_offset() end

--- The strides in elements, as a table, or that of one dim.
---@param dim? any
---@return any
function Tensor:stride(dim) end

--- Input less alpha times other.
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sub(other, opts) end

--- Input less alpha times other.
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sub_(other, opts) end

--- Input less alpha times other.
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:subtract(other, opts) end

--- Input less alpha times other.
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:subtract_(other, opts) end

--- Sum over dims; integers and bool accumulate in int64.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sum(dim, keepdim, opts) end

--- Sums over the dims along which `size` would be broadcast.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape of the result
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:sum_to_size(size, opts) end

--- The older form of linalg.svd, with V in place of its transpose.
---@overload fun(self: torch.Tensor, opts?: {some?: boolean, compute_uv?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param some? boolean min(m, n) columns; false: U and V are square
---@param compute_uv? boolean false: U and V are zeros
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:svd(some, compute_uv, opts) end

--- A view with two dims exchanged.
---@overload fun(self: torch.Tensor, opts?: {axis0: integer, axis1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, dim0: integer, dim1: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param axis0 integer one dim
---@param axis1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:swapaxes(axis0, axis1, opts) end

--- A view with two dims exchanged.
---@overload fun(self: torch.Tensor, opts?: {axis0: integer, axis1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, dim0: integer, dim1: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param axis0 integer one dim
---@param axis1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:swapaxes_(axis0, axis1, opts) end

--- A view with two dims exchanged.
---@overload fun(self: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:swapdims(dim0, dim1, opts) end

--- A view with two dims exchanged.
---@overload fun(self: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:swapdims_(dim0, dim1, opts) end

--- The transpose of a matrix; tensors of fewer dims as they are.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:t(opts) end

--- The transpose of a matrix; tensors of fewer dims as they are.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:t_(opts) end

--- The elements at positions of the flattened input.
---@param index torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:take(index, opts) end

--- Gather, where input and indices broadcast in the other dims; without dim of all elements.
---@overload fun(self: torch.Tensor, indices: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param indices torch.Tensor
---@param dim? integer the dim that indices count along; nil: all elements as one dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:take_along_dim(indices, dim, opts) end

--- Tangent of each element, in radians.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:tan(opts) end

--- Tangent of each element, in radians.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:tan_(opts) end

--- Hyperbolic tangent of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:tanh(opts) end

--- Hyperbolic tangent of each element.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:tanh_(opts) end

--- Parts along a dim; where they cannot be equal the first are larger.
---@overload fun(self: torch.Tensor, opts?: {indices_or_sections: integer, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, indices_or_sections: number|number[], dim?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, opts?: {indices_or_sections: number|number[], dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, indices_or_sections: torch.Tensor, dim?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, indices_or_sections: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param indices_or_sections integer how many parts
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function Tensor:tensor_split(indices_or_sections, dim, opts) end

--- Each element, or value where it is not above threshold.
---@overload fun(self: torch.Tensor, opts?: {threshold: number|boolean, value: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param threshold number|boolean elements above it stay
---@param value number|boolean what the others become
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:threshold_(threshold, value, opts) end

--- Copies of the tensor side by side, as repeat; numbers for the last dims may stand alone.
---@overload fun(self: torch.Tensor, opts?: {dims: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dims integer|integer[]|torch.Size how often along each dim, the last of them last
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:tile(dims, opts) end

--- The tensor in another dtype or on another device; the same tensor where nothing changes. With non_blocking, copies from and to pinned memory do not wait.
---@param dtype any
---@param opts? {dtype?: any, device?: any, copy?: boolean, non_blocking?: boolean, memory_format?: any}
---@return any
function Tensor:to(dtype, opts) end

--- A string of the memory of the elements in row-major order; torch.frombuffer reads it.
---@return any
function Tensor:tobytes() end

--- The elements as nested tables; a number for a tensor without dims.
---@return any
function Tensor:tolist() end

--- The k largest elements along a dim, and where they are.
---@overload fun(self: torch.Tensor, opts?: {k: integer, dim?: integer, largest?: boolean, sorted?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param k integer how many
---@param dim? integer the dim
---@param largest? boolean false: the smallest
---@param sorted? boolean in order; luth always sorts them
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function Tensor:topk(k, dim, largest, sorted, opts) end

--- The sum of a matrix's main diagonal.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:trace(opts) end

--- A view with two dims exchanged.
---@overload fun(self: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:transpose(dim0, dim1, opts) end

--- A view with two dims exchanged.
---@overload fun(self: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:transpose_(dim0, dim1, opts) end

--- The lower triangle of matrices, zeros above a diagonal.
---@overload fun(self: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param diagonal? integer the last diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:tril(diagonal, opts) end

--- The lower triangle of matrices, zeros above a diagonal.
---@overload fun(self: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param diagonal? integer the last diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:tril_(diagonal, opts) end

--- The upper triangle of matrices, zeros below a diagonal.
---@overload fun(self: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param diagonal? integer the first diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:triu(diagonal, opts) end

--- The upper triangle of matrices, zeros below a diagonal.
---@overload fun(self: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param diagonal? integer the first diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:triu_(diagonal, opts) end

--- Input divided by other: a float, whatever they are.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:true_divide(other, opts) end

--- Input divided by other: a float, whatever they are.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:true_divide_(other, opts) end

--- Each element without its fraction.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:trunc(opts) end

--- Each element without its fraction.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:trunc_(opts) end

--- The type's name such as 'torch.FloatTensor', or the tensor in another dtype.
---@param dtype? any
---@return any
function Tensor:type(dtype) end

--- The tensor in other's dtype and on its device.
---@param other any
---@return any
function Tensor:type_as(other) end

--- The positions along a dim as tensors of their own.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function Tensor:unbind(dim, opts) end

--- One dim split into several.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, sizes: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer the dim to split
---@param sizes integer|integer[]|torch.Size its new extents; one may be -1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:unflatten(dim, sizes, opts) end

--- A view of all windows of `size` positions along a dim, `step` apart; the places in a window become the last dim.
---@overload fun(self: torch.Tensor, opts?: {dimension: integer, size: integer, step: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dimension integer the dim
---@param size integer positions in a window
---@param step integer the distance between windows
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:unfold(dimension, size, step, opts) end

--- Fills with numbers from [from, to), all equally likely. In place: writes into the tensor and returns it.
---@param from? number
---@param to? number
---@param opts? {generator?: any}
---@return any
function Tensor:uniform(from, to, opts) end

--- Fills with numbers from [from, to), all equally likely.
---@overload fun(self: torch.Tensor, opts?: {from?: number, to?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param from? number the least number
---@param to? number numbers stay below it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:uniform_(from, to, opts) end

--- The different elements, or positions along a dim, in ascending order.
---@overload fun(self: torch.Tensor, opts?: {sorted?: boolean, return_inverse?: boolean, return_counts?: boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param sorted? boolean in ascending order; luth always sorts them
---@param return_inverse? boolean also where each element is among the results
---@param return_counts? boolean also how many elements each result stands for
---@param dim? integer compare whole positions along this dim; nil: all elements
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:unique(sorted, return_inverse, return_counts, dim, opts) end

--- The elements, or the positions along a dim, without those that equal the one before.
---@overload fun(self: torch.Tensor, opts?: {return_inverse?: boolean, return_counts?: boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param return_inverse? boolean also where each element is among the results
---@param return_counts? boolean also how many elements each result stands for
---@param dim? integer compare whole positions along this dim; nil: all elements
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:unique_consecutive(return_inverse, return_counts, dim, opts) end

--- A view with a new dim of extent 1.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer where the new dim stands
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:unsqueeze(dim, opts) end

--- A view with a new dim of extent 1.
---@overload fun(self: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim integer where the new dim stands
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:unsqueeze_(dim, opts) end

--- Variance over dims: squared distances from the mean over n - correction.
---@overload fun(self: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, unbiased?: boolean, keepdim?: boolean, correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, unbiased: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {unbiased: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param unbiased? boolean false: the same as correction 0
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:var(dim, unbiased, keepdim, opts) end

--- The same as dot, for real numbers.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:vdot(other, opts) end

--- The same memory under another shape; one extent may be -1. Throws where strides forbid it.
---@overload fun(self: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, dtype: torch.dtype|string, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(self: torch.Tensor, opts?: {dtype: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the new shape
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:view(size, opts) end

--- A view of input in other's shape.
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:view_as(other, opts) end

--- Parts below each other, of the first dim.
---@overload fun(self: torch.Tensor, opts?: {indices_or_sections: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, indices_or_sections: number|number[], opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(self: torch.Tensor, opts?: {indices_or_sections: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param indices_or_sections integer how many equal parts
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function Tensor:vsplit(indices_or_sections, opts) end

--- Elements of x where condition is true, of other, a tensor or a number, elsewhere.
---@param condition any
---@param other any
---@return any
function Tensor:where(condition, other) end

--- Input times the logarithm of other; 0 where input is 0.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:xlogy(other, opts) end

--- Input times the logarithm of other; 0 where input is 0.
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:xlogy_(other, opts) end

--- Every element set to 0. In place: writes into the tensor and returns it.
---@return any
function Tensor:zero() end

--- Every element set to 0.
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function Tensor:zero_(opts) end

---@class data.DataLoader
local data_DataLoader = {}

--- An iterator over one pass that leaves out the first `from` batches.
---@param from any
---@return any
function data_DataLoader:batches(from) end

--- The epoch, counted from 0, that the next pass reads; order and augmentation depend on (seed, epoch).
---@param epoch any
---@return any
function data_DataLoader:set_epoch(epoch) end

---@class data.Dataset
local data_Dataset = {}

--- The values of sample i, counted from 1.
---@param i any
---@return any
function data_Dataset:get(i) end

--- The test data that a built-in dataset brings; nil for others.
---@return any
function data_Dataset:test_part() end

---@class nn.Module
---@overload fun(...: any): torch.Tensor
---@operator concat(nn.Module): nn.Module
---@field [any] any
local nn_Module = {}

--- Registers a child.
---@param name any
---@param module any
---@return any
function nn_Module:add_module(name, module) end

--- Calls f(module) for all modules below, then for itself.
---@param f any
---@return any
function nn_Module:apply(f) end

--- Converts to bfloat16.
---@return any
function nn_Module:bfloat16() end

--- All buffers, each once.
---@param opts? {recurse?: boolean}
---@return any
function nn_Module:buffers(opts) end

--- The modules directly in it.
---@return any
function nn_Module:children() end

--- A deep copy.
---@return any
function nn_Module:clone() end

--- Moves to the CPU.
---@return any
function nn_Module:cpu() end

--- Moves to a GPU, the current one if none is named.
---@param device? any
---@return any
function nn_Module:cuda(device) end

--- Converts to float64.
---@return any
function nn_Module:double() end

--- Sets evaluation mode.
---@return any
function nn_Module:eval() end

--- Converts to float32.
---@return any
function nn_Module:float() end

--- What the module computes; a call m(…) runs hooks, too.
---@param ... any
---@return any
function nn_Module:forward(...) end

--- The buffer at a dotted path.
---@param path any
---@return any
function nn_Module:get_buffer(path) end

--- The parameter at a dotted path.
---@param path any
---@return any
function nn_Module:get_parameter(path) end

--- The module at a dotted path.
---@param path any
---@return any
function nn_Module:get_submodule(path) end

--- Converts to float16.
---@return any
function nn_Module:half() end

--- The constructor of the base, which the init of a class made from it calls first.
---@param ... any
---@return any
function nn_Module:init(...) end

--- Copies tensors by name, all or none; base = 0 takes PyTorch's names. Gives {missing_keys, unexpected_keys}.
---@param dict any
---@param opts? {strict?: boolean, base?: integer}
---@return any
function nn_Module:load_state_dict(dict, opts) end

--- It and all modules below, each once.
---@return any
function nn_Module:modules() end

--- Iterates over names and buffers.
---@param prefix? any
---@param recurse? boolean
---@return any
function nn_Module:named_buffers(prefix, recurse) end

--- Iterates over names and children.
---@return any
function nn_Module:named_children() end

--- Iterates over paths and modules, itself first.
---@return any
function nn_Module:named_modules() end

--- Iterates over names and parameters.
---@param prefix? any
---@param recurse? boolean
---@return any
function nn_Module:named_parameters(prefix, recurse) end

--- All parameters, each once.
---@param opts? {recurse?: boolean}
---@return any
function nn_Module:parameters(opts) end

--- Registers a tensor that is saved and moved along and gets no gradient.
---@param name any
---@param tensor any
---@param opts? {persistent?: boolean}
---@return any
function nn_Module:register_buffer(name, tensor, opts) end

--- f(module, inputs, output) runs after each forward and may return another output; handle:remove().
---@param f any
---@return any
function nn_Module:register_forward_hook(f) end

--- f(module, inputs) runs before each forward and may return other inputs; handle:remove().
---@param f any
---@return any
function nn_Module:register_forward_pre_hook(f) end

--- f(module, grad_inputs, grad_outputs) runs when backward has the gradients of the arguments, and may return other ones, a table; handle:remove().
---@param f any
---@return any
function nn_Module:register_full_backward_hook(f) end

--- f(module, grad_outputs) runs when backward reaches the module, and may return other grad_outputs, a table; handle:remove().
---@param f any
---@return any
function nn_Module:register_full_backward_pre_hook(f) end

--- Registers a child.
---@param name any
---@param module any
---@return any
function nn_Module:register_module(name, module) end

--- Registers a parameter.
---@param name any
---@param parameter any
---@return any
function nn_Module:register_parameter(name, parameter) end

--- Whether the parameters require gradients.
---@param requires_grad? boolean
---@return any
function nn_Module:requires_grad_(requires_grad) end

--- Draws its parameters anew.
---@return any
function nn_Module:reset_parameters() end

--- Parameters and buffers by dotted path; pairs() keeps their order. They share memory with the module.
---@param opts? {base?: integer}
---@return any
function nn_Module:state_dict(opts) end

--- Moves and converts parameters and buffers.
---@param device any
---@param opts? {device?: any, dtype?: any}
---@return any
function nn_Module:to(device, opts) end

--- Sets training mode, or evaluation with false.
---@param mode? boolean
---@return any
function nn_Module:train(mode) end

--- Drops the gradients of all parameters, or fills them with zeros.
---@param opts? {set_to_none?: boolean}
---@return any
function nn_Module:zero_grad(opts) end

---@class optim.Optimizer
local optim_Optimizer = {}

--- Adds parameters with settings of their own.
---@param opts? {params?: any, lr?: any}
---@return any
function optim_Optimizer:add_param_group(opts) end

--- Takes up what state_dict gave.
---@param table any
---@return any
function optim_Optimizer:load_state_dict(table) end

--- State and settings as a table, for torch.save.
---@return any
function optim_Optimizer:state_dict() end

--- One step with the present gradients; gives what the closure gave.
---@param closure? any
---@return any
function optim_Optimizer:step(closure) end

--- Drops the gradients of all parameters, or fills them with zeros.
---@param opts? {set_to_none?: boolean}
---@return any
function optim_Optimizer:zero_grad(opts) end

---@class optim.lr_scheduler
local optim_lr_scheduler = {}

--- Gives an optimizer to a schedule made without one.
---@param optimizer any
---@return any
function optim_lr_scheduler:attach(optimizer) end

--- The present rates, one per parameter group.
---@return any
function optim_lr_scheduler:get_last_lr() end

--- Takes up what state_dict gave.
---@param table any
---@return any
function optim_lr_scheduler:load_state_dict(table) end

--- Where it stands, as a table.
---@return any
function optim_lr_scheduler:state_dict() end

--- The rates of the next epoch (or batch).
---@param metric? any
---@return any
function optim_lr_scheduler:step(metric) end

---@class torch.Generator
local torch_Generator = {}

--- Where the stream is, as a tensor.
---@return any
function torch_Generator:get_state() end

--- The seed with which the stream began.
---@return any
function torch_Generator:initial_seed() end

--- Begins the stream anew; gives g back.
---@param seed any
---@return any
function torch_Generator:manual_seed(seed) end

--- Begins the stream anew with a seed by chance, which is the result.
---@return any
function torch_Generator:seed() end

--- Goes back to where get_state was called; gives g back.
---@param state any
---@return any
function torch_Generator:set_state(state) end

---@class torch.autocast
local torch_autocast = {}

--- Ends mixed precision; <close> does it at the end of the block.
---@return any
function torch_autocast:close() end

---@class torch.autograd.Node
---@field next_functions any[][] Pairs of a node, or torch.none, and a number.
---@field variable torch.Tensor|nil
local torch_autograd_Node = {}

--- The name of the step of backward: 'PowBackward0'.
---@return any
function torch_autograd_Node:name() end

--- f(grad_inputs, grad_outputs) runs after the node and may return other grad_inputs, a table; handle:remove().
---@param f any
---@return any
function torch_autograd_Node:register_hook(f) end

--- f(grad_outputs) runs before the node and may return other grad_outputs, a table; handle:remove().
---@param f any
---@return any
function torch_autograd_Node:register_prehook(f) end

---@class torch.autograd.function.ctx
---@field saved_tensors torch.Tensor[]
---@field needs_input_grad boolean[]
---@field [any] any
local torch_autograd_function_ctx = {}

--- Says which arguments forward has written into; it must return them.
---@param ... any
---@return any
function torch_autograd_function_ctx:mark_dirty(...) end

--- Says which results have no gradient.
---@param ... any
---@return any
function torch_autograd_function_ctx:mark_non_differentiable(...) end

--- Keeps tensors for backward, where they are ctx.saved_tensors, a table; nil is kept too.
---@param ... any
---@return any
function torch_autograd_function_ctx:save_for_backward(...) end

--- false: backward gets nil, not zeros, for results that nothing depends on.
---@param value any
---@return any
function torch_autograd_function_ctx:set_materialize_grads(value) end

---@class torch.autograd.scope
local torch_autograd_scope = {}

--- Puts anomaly mode back; <close> does it at the end of the block.
---@return any
function torch_autograd_scope:close() end

---@class torch.cuda.Event
local torch_cuda_Event = {}

--- Milliseconds from e to `later`; both were made with enable_timing = true.
---@param later any
---@return any
function torch_cuda_Event:elapsed_time(later) end

--- Whether the GPU has reached the event.
---@return any
function torch_cuda_Event:query() end

--- Marks this point of a stream, of the current one if none is given.
---@param stream? any
---@return any
function torch_cuda_Event:record(stream) end

--- Waits until the GPU has reached the event.
---@return any
function torch_cuda_Event:synchronize() end

--- Lets a stream wait for the event.
---@param stream? any
---@return any
function torch_cuda_Event:wait(stream) end

---@class torch.cuda.Stream
local torch_cuda_Stream = {}

--- Whether all work of the stream is done.
---@return any
function torch_cuda_Stream:query() end

--- Records an event, a new one if none is given, and returns it.
---@param event? any
---@return any
function torch_cuda_Stream:record_event(event) end

--- Waits until all work of the stream is done.
---@return any
function torch_cuda_Stream:synchronize() end

--- What s is given from now on runs after the event.
---@param event any
---@return any
function torch_cuda_Stream:wait_event(event) end

--- What s is given from now on runs after what `other` has been given.
---@param other any
---@return any
function torch_cuda_Stream:wait_stream(other) end

---@class torch.device.scope
local torch_device_scope = {}

--- Puts device or stream back; <close> does it at the end of the block.
---@return any
function torch_device_scope:close() end

---@class torch.hook
local torch_hook = {}

--- The hook is called no more.
---@return any
function torch_hook:remove() end

---@class torch.scope
local torch_scope = {}

--- Puts the grad mode back; <close> does it at the end of the block.
---@return any
function torch_scope:close() end

--- Tensors, operators, gradients, files, random numbers.
torch = {}

--- A stream of random numbers of its own, for operators' argument `generator`: manual_seed, seed, initial_seed, get_state, set_state, device.
---@param device? any
---@return any
function torch.Generator(device) end

--- A shape: s[1], #s, s:numel(), s:tolist(); equal shapes are ==.
---@param opts? table
---@return any
function torch.Size(opts) end

--- A table of tests that keeps their order.
---@return any
function torch.TestSuite() end

--- Runs tests: tester:add(suite):run(). Checks: assert, eq, ne, lt, le, gt, ge, close, assertError, fails, …
---@return any
function torch.Tester() end

--- relu of addmm, or with use_gelu the tanh form of gelu of it.
---@param input torch.Tensor
---@param mat1 torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, use_gelu?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch._addmm_activation(input, mat1, mat2, opts) end

--- Absolute value of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.abs(input, opts) end

--- Absolute value of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.abs_(input, opts) end

--- Absolute value of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.absolute(input, opts) end

--- Absolute value of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.absolute_(input, opts) end

--- The angle from 0 to pi whose cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.acos(input, opts) end

--- The angle from 0 to pi whose cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.acos_(input, opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.acosh(input, opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.acosh_(input, opts) end

--- Means of windows of equal share of a sequence.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size the length of the result
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.adaptive_avg_pool1d(input, output_size, opts) end

--- Means of windows of equal share, as many as asked for.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size height and width of the result; -1 keeps the input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.adaptive_avg_pool2d(input, output_size, opts) end

--- Means of windows of equal share of a volume.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size the extents of the result; -1 keeps the input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.adaptive_avg_pool3d(input, output_size, opts) end

--- Largest elements of windows of equal share of a sequence.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size the extents of the result; -1 keeps the input's
---@param return_indices? boolean also return where they stand in the input, row by row
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.adaptive_max_pool1d(input, output_size, return_indices, opts) end

--- Largest elements of windows of equal share.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size the extents of the result; -1 keeps the input's
---@param return_indices? boolean also return where they stand in the input, row by row
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.adaptive_max_pool2d(input, output_size, return_indices, opts) end

--- Largest elements of windows of equal share of a volume.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size the extents of the result; -1 keeps the input's
---@param return_indices? boolean also return where they stand in the input, row by row
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.adaptive_max_pool3d(input, output_size, return_indices, opts) end

--- Sum of input and alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.add(input, other, opts) end

--- Sum of input and alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.add_(input, other, opts) end

--- beta * input + alpha * the sum over the batch of batch1 @ batch2; input broadcasts.
---@param input torch.Tensor
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addbmm(input, batch1, batch2, opts) end

--- beta * input + alpha * the sum over the batch of batch1 @ batch2; input broadcasts.
---@param input torch.Tensor
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addbmm_(input, batch1, batch2, opts) end

--- input + value tensor1 / tensor2.
---@param input torch.Tensor
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addcdiv(input, tensor1, tensor2, opts) end

--- input + value tensor1 / tensor2.
---@param input torch.Tensor
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addcdiv_(input, tensor1, tensor2, opts) end

--- input + value tensor1 tensor2.
---@param input torch.Tensor
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addcmul(input, tensor1, tensor2, opts) end

--- input + value tensor1 tensor2.
---@param input torch.Tensor
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addcmul_(input, tensor1, tensor2, opts) end

--- beta * input + alpha * (mat1 @ mat2); input broadcasts.
---@param input torch.Tensor
---@param mat1 torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addmm(input, mat1, mat2, opts) end

--- beta * input + alpha * (mat1 @ mat2); input broadcasts.
---@param input torch.Tensor
---@param mat1 torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addmm_(input, mat1, mat2, opts) end

--- beta * input + alpha * (mat @ vec); input broadcasts.
---@param input torch.Tensor
---@param mat torch.Tensor
---@param vec torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addmv(input, mat, vec, opts) end

--- beta * input + alpha * (mat @ vec); input broadcasts.
---@param input torch.Tensor
---@param mat torch.Tensor
---@param vec torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addmv_(input, mat, vec, opts) end

--- beta * input + alpha * outer(vec1, vec2); input broadcasts.
---@param input torch.Tensor
---@param vec1 torch.Tensor
---@param vec2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addr(input, vec1, vec2, opts) end

--- beta * input + alpha * outer(vec1, vec2); input broadcasts.
---@param input torch.Tensor
---@param vec1 torch.Tensor
---@param vec2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.addr_(input, vec1, vec2, opts) end

--- A view with the last two dims exchanged, as x.mH.
---@param x any
---@return any
function torch.adjoint(x) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@return any
function torch.alias_copy(input) end

--- Whether all elements are not 0.
---@overload fun(input: torch.Tensor, dim?: integer|integer[]|torch.Size, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function torch.all(input, opts) end

--- Whether |input - other| <= atol + rtol |other| everywhere.
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {rtol?: number, atol?: number, equal_nan?: boolean, out?: torch.Tensor|torch.Tensor[]}): boolean
---@param input torch.Tensor
---@param other torch.Tensor
---@param rtol? number relative tolerance
---@param atol? number absolute tolerance
---@param equal_nan? boolean count nan as equal to nan
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function torch.allclose(input, other, rtol, atol, equal_nan, opts) end

--- Dropout that keeps mean 0 and variance 1 of selu's results.
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.alpha_dropout(input, p, training, opts) end

--- Dropout that keeps mean 0 and variance 1 of selu's results.
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.alpha_dropout_(input, p, training, opts) end

--- The largest element over dims; where several are, they share the gradient.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.amax(input, dim, keepdim, opts) end

--- The smallest element over dims; where several are, they share the gradient.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.amin(input, dim, keepdim, opts) end

--- The smallest and the largest element, of all or along a dim.
---@param input torch.Tensor
---@param opts? {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.aminmax(input, opts) end

--- Where PyTorch has autocast too.
torch.amp = {}

--- The angle in the complex plane: pi where an element is negative, else 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.angle(input, opts) end

--- Whether some element is not 0.
---@overload fun(input: torch.Tensor, dim?: integer|integer[]|torch.Size, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function torch.any(input, opts) end

--- The numbers 0, 1, … before end.
---@overload fun(opts?: {stop: number|boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(start: number|boolean, end_: number|boolean, step?: number|boolean, opts?: {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(opts?: {start: number|boolean, stop: number|boolean, step?: number|boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param end_ number|boolean the numbers stop before it
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arange(end_, opts) end

--- The angle from 0 to pi whose cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arccos(input, opts) end

--- The angle from 0 to pi whose cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arccos_(input, opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arccosh(input, opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arccosh_(input, opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arcsin(input, opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arcsin_(input, opts) end

--- The number whose hyperbolic sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arcsinh(input, opts) end

--- The number whose hyperbolic sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arcsinh_(input, opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arctan(input, opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arctan2(input, other, opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arctan2_(input, other, opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arctan_(input, opts) end

--- The number whose hyperbolic tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arctanh(input, opts) end

--- The number whose hyperbolic tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.arctanh_(input, opts) end

--- What use_deterministic_algorithms was told.
---@return any
function torch.are_deterministic_algorithms_enabled() end

--- Where the first largest element is.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to reduce; nil: the position in the flattened tensor
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.argmax(input, dim, keepdim, opts) end

--- Where the first smallest element is.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to reduce; nil: the position in the flattened tensor
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.argmin(input, dim, keepdim, opts) end

--- The positions that would sort the elements along a dim.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, descending?: boolean, stable?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to sort along
---@param descending? boolean the largest first
---@param opts? {stable?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.argsort(input, dim, descending, opts) end

--- The positions of elements that are not 0, one per row; as nonzero.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.argwhere(input, opts) end

--- A view of the storage with any shape, strides and offset.
---@overload fun(input: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, stride: integer|integer[]|torch.Size, storage_offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param stride integer|integer[]|torch.Size the strides, in elements
---@param storage_offset? integer elements before the first; nil: input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.as_strided(input, size, stride, storage_offset, opts) end

--- A view of the storage with any shape, strides and offset.
---@overload fun(input: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, stride: integer|integer[]|torch.Size, storage_offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param stride integer|integer[]|torch.Size the strides, in elements
---@param storage_offset? integer elements before the first; nil: input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.as_strided_(input, size, stride, storage_offset, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param size any
---@param stride any
---@param storage_offset? any
---@return any
function torch.as_strided_copy(input, size, stride, storage_offset) end

--- Input with src in the places that as_strided names.
---@overload fun(input: torch.Tensor, src: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, stride: integer|integer[]|torch.Size, storage_offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param src torch.Tensor
---@param size integer|integer[]|torch.Size the shape of src
---@param stride integer|integer[]|torch.Size the strides, in elements
---@param storage_offset? integer elements before the first; nil: input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.as_strided_scatter(input, src, size, stride, storage_offset, opts) end

--- The same, but a tensor that fits already is not copied.
---@param data any
---@param opts? {dtype?: any, device?: any}
---@return any
function torch.as_tensor(data, opts) end

--- A tensor of data; of a tensor that fits already, that tensor. copy = true: always one of its own memory; copy = false: an error where memory cannot be shared.
---@param data any
---@param opts? {dtype?: any, device?: any, copy?: any, requires_grad?: boolean}
---@return any
function torch.asarray(data, opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.asin(input, opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.asin_(input, opts) end

--- The number whose hyperbolic sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.asinh(input, opts) end

--- The number whose hyperbolic sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.asinh_(input, opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.atan(input, opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.atan2(input, other, opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.atan2_(input, other, opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.atan_(input, opts) end

--- The number whose hyperbolic tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.atanh(input, opts) end

--- The number whose hyperbolic tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.atanh_(input, opts) end

--- Each tensor with at least one dim.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.atleast_1d(tensors, opts) end

--- Each tensor with at least two dims; new ones come first.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.atleast_2d(tensors, opts) end

--- Each tensor with at least three dims; a vector becomes 1 x n x 1, a matrix m x n x 1.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.atleast_3d(tensors, opts) end

--- While the scope is open, or while f runs, matrix products and convolutions on such a device compute in dtype, and what needs range or precision (exp, log, softmax, sum, norms, losses) in float32. Weights are cast once.
---@param device any
---@param opts? {dtype?: any, enabled?: boolean, cache_enabled?: boolean}
---@return any
function torch.autocast(device, opts) end

--- The mean of each window of a sequence.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, ceil_mode?: boolean, count_include_pad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size the length of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size zeros around the input
---@param ceil_mode? boolean count a last window that is only partly inside
---@param count_include_pad? boolean whether padding counts in the mean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, opts) end

--- The mean of each window.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, ceil_mode?: boolean, count_include_pad?: boolean, divisor_override?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size zeros around the input
---@param ceil_mode? boolean count a last window that is only partly inside
---@param count_include_pad? boolean whether padding counts in the mean
---@param divisor_override? integer divide the sums by this number instead
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, opts) end

--- The mean of each window of a volume.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, ceil_mode?: boolean, count_include_pad?: boolean, divisor_override?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size depth, height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size zeros around the input
---@param ceil_mode? boolean count a last window that is only partly inside
---@param count_include_pad? boolean whether padding counts in the mean
---@param divisor_override? integer divide the sums by this number instead
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, opts) end

--- beta * input + alpha * (batch1 @ batch2); input broadcasts.
---@param input torch.Tensor
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.baddbmm(input, batch1, batch2, opts) end

--- beta * input + alpha * (batch1 @ batch2); input broadcasts.
---@param input torch.Tensor
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.baddbmm_(input, batch1, batch2, opts) end

--- A triangle that begins at 0.
---@overload fun(opts?: {window_length: integer, periodic?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param window_length integer how many numbers
---@param periodic? boolean one period of a window that repeats; false: symmetric
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bartlett_window(window_length, periodic, opts) end

--- Each channel normalised over the batch, or by running statistics.
---@overload fun(input: torch.Tensor, running_mean?: torch.Tensor, running_var?: torch.Tensor, weight?: torch.Tensor, bias?: torch.Tensor, opts?: {training?: boolean, momentum?: number, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param running_mean? torch.Tensor
---@param running_var? torch.Tensor
---@param weight? torch.Tensor
---@param bias? torch.Tensor
---@param training? boolean normalise by the batch, and move the running statistics
---@param momentum? number the weight of this batch in the running statistics
---@param eps? number added to the variance
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps, opts) end

--- 1 with the probability that input gives, else 0.
---@overload fun(input: torch.Tensor, p: number, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {p: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bernoulli(input, opts) end

--- A dtype: floats of 2 bytes. It has is_floating_point and itemsize.
---@type any
torch.bfloat16 = nil

--- input1 @ weight[o] @ input2 over the last dims, for each output o, plus bias.
---@param input1 torch.Tensor
---@param input2 torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bilinear(input1, input2, weight, bias, opts) end

--- Cross entropy of probabilities (0 to 1) and targets; logarithms are cut off at -100.
---@overload fun(input: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, opts?: {reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.binary_cross_entropy(input, target, weight, reduction, opts) end

--- Cross entropy of sigmoid(input) and targets, without overflow.
---@overload fun(input: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, opts?: {reduction?: string, pos_weight?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param pos_weight? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.binary_cross_entropy_with_logits(input, target, weight, reduction, pos_weight, opts) end

--- How often each position comes in a list of them, or the sum of its weights.
---@overload fun(input: torch.Tensor, weights?: torch.Tensor, opts?: {minlength?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weights? torch.Tensor
---@param minlength? integer the least number of bins
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bincount(input, weights, minlength, opts) end

--- How many of count trials succeed, each with probability prob: float32 or float64.
---@param count torch.Tensor
---@param prob torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.binomial(count, prob, opts) end

--- Bits that both have; `and` of masks.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_and(input, other, opts) end

--- Bits that both have; `and` of masks.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_and_(input, other, opts) end

--- Bits moved up by other places.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_left_shift(input, other, opts) end

--- Bits moved up by other places.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_left_shift_(input, other, opts) end

--- Each element with its bits inverted; the opposite of a bool.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_not(input, opts) end

--- Each element with its bits inverted; the opposite of a bool.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_not_(input, opts) end

--- Bits that one of them has; `or` of masks.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_or(input, other, opts) end

--- Bits that one of them has; `or` of masks.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_or_(input, other, opts) end

--- Bits moved down by other places; the sign stays.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_right_shift(input, other, opts) end

--- Bits moved down by other places; the sign stays.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_right_shift_(input, other, opts) end

--- Bits that just one of them has.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_xor(input, other, opts) end

--- Bits that just one of them has.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bitwise_xor_(input, other, opts) end

--- Blackman's window: three cosine terms.
---@overload fun(opts?: {window_length: integer, periodic?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param window_length integer how many numbers
---@param periodic? boolean one period of a window that repeats; false: symmetric
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.blackman_window(window_length, periodic, opts) end

--- A matrix with the given ones along its diagonal.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.block_diag(tensors, opts) end

--- The products of the matrices of two batches, [b, n, k] and [b, k, m].
---@param input torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bmm(input, mat2, opts) end

--- A dtype: true or false of 1 byte. It has is_floating_point and itemsize.
---@type any
torch.bool = nil

--- The torch.Size to which tensors of these shapes broadcast.
---@param shape any
---@param ... any
---@return any
function torch.broadcast_shapes(shape, ...) end

--- Views of all tensors in the shape they broadcast to.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.broadcast_tensors(tensors, opts) end

--- A view in which extents of 1 are repeated; as expand.
---@overload fun(input: torch.Tensor, opts?: {shape: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param shape integer|integer[]|torch.Size the shape to expand to
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.broadcast_to(input, shape, opts) end

--- Between which of the ascending boundaries each element lies.
---@param input torch.Tensor|number|boolean
---@param boundaries torch.Tensor
---@param opts? {out_int32?: boolean, right?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.bucketize(input, boundaries, opts) end

--- Whether promotion lets `from` be written into `to`.
---@param from any
---@param to any
---@return any
function torch.can_cast(from, to) end

--- All ways to take one element of each vector, one in each row; a vector alone stays.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cartesian_prod(tensors, opts) end

--- The tensors one after the other along a dim.
---@overload fun(tensors: torch.Tensor[], opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param tensors torch.Tensor[]
---@param dim? integer the dim to join along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cat(tensors, dim, opts) end

--- The p-norm of the difference of each row of x1 [.., n, k] and each of x2 [.., m, k]: [.., n, m]; batch dims broadcast.
---@overload fun(x1: torch.Tensor, x2: torch.Tensor, opts?: {p?: number, compute_mode?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param x1 torch.Tensor
---@param x2 torch.Tensor
---@param p? number the norm: 0 counts differences, inf takes the largest
---@param compute_mode? string 'use_mm_for_euclid_dist' computes p = 2 by a matrix product, quicker and less exact; 'use_mm_for_euclid_dist_if_necessary' where there are more than 25 rows; 'donot_use_mm_for_euclid_dist'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cdist(x1, x2, p, compute_mode, opts) end

--- The smallest integer not below each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ceil(input, opts) end

--- The smallest integer not below each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ceil_(input, opts) end

--- Each element, alpha (exp(x / alpha) - 1) where it is negative.
---@overload fun(input: torch.Tensor, opts?: {alpha?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param alpha? number the limit on the left is -alpha
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.celu(input, alpha, opts) end

--- Each element, alpha (exp(x / alpha) - 1) where it is negative.
---@overload fun(input: torch.Tensor, opts?: {alpha?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param alpha? number the limit on the left is -alpha
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.celu_(input, alpha, opts) end

--- The product of several matrices, in the cheapest order.
---@param matrices torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.chain_matmul(matrices, opts) end

--- Channels [g, C / g] in the order [C / g, g], so that groups exchange theirs.
---@overload fun(input: torch.Tensor, opts?: {groups: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param groups integer g
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.channel_shuffle(input, groups, opts) end

--- The order of elements in memory: all channels of a pixel side by side.
---@type any
torch.channels_last = nil

--- The older form of linalg.cholesky.
---@overload fun(input: torch.Tensor, opts?: {upper?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param upper? boolean U of Uᵀ U
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cholesky(input, upper, opts) end

--- The inverse of the matrix of which input is the Cholesky factor.
---@overload fun(L: torch.Tensor, opts?: {upper?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param L torch.Tensor
---@param upper? boolean the factor is upper triangular
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cholesky_inverse(L, upper, opts) end

--- The solution X of A X = input, where input2 is the Cholesky factor of A.
---@overload fun(B: torch.Tensor, L: torch.Tensor, opts?: {upper?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param B torch.Tensor
---@param L torch.Tensor
---@param upper? boolean the factor is upper triangular
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cholesky_solve(B, L, upper, opts) end

--- The tensor in at most `chunks` parts of equal size along a dim.
---@overload fun(input: torch.Tensor, opts?: {chunks: integer, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param chunks integer how many parts
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.chunk(input, chunks, dim, opts) end

--- Each element, not below min and not above max.
---@param input torch.Tensor
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.clamp(input, min, max, opts) end

--- Each element, not below min and not above max.
---@param input torch.Tensor
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.clamp_(input, min, max, opts) end

--- Each element, not above max.
---@param input torch.Tensor
---@param max torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.clamp_max(input, max, opts) end

--- Each element, not above max.
---@param input torch.Tensor
---@param max torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.clamp_max_(input, max, opts) end

--- Each element, not below min.
---@param input torch.Tensor
---@param min torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.clamp_min(input, min, opts) end

--- Each element, not below min.
---@param input torch.Tensor
---@param min torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.clamp_min_(input, min, opts) end

--- Forgets the weights that were cast in the open scopes of autocast.
---@return any
function torch.clear_autocast_cache() end

--- Each element, not below min and not above max.
---@param input torch.Tensor
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.clip(input, min, max, opts) end

--- Each element, not below min and not above max.
---@param input torch.Tensor
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.clip_(input, min, max, opts) end

--- A copy of the tensor, with memory of its own.
---@param input torch.Tensor
---@param opts? {memory_format?: torch.memory_format|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.clone(input, opts) end

--- The tensors side by side, vectors as columns.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.column_stack(tensors, opts) end

--- All combinations of r elements of a vector, one in each row.
---@overload fun(input: torch.Tensor, opts?: {r?: integer, with_replacement?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param r? integer how many elements in each
---@param with_replacement? boolean an element may be taken again
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.combinations(input, r, with_replacement, opts) end

--- The tensors one after the other along a dim.
---@overload fun(tensors: torch.Tensor[], opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param tensors torch.Tensor[]
---@param dim? integer the dim to join along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.concat(tensors, dim, opts) end

--- The tensors one after the other along a dim.
---@overload fun(tensors: torch.Tensor[], opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param tensors torch.Tensor[]
---@param dim? integer the dim to join along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.concatenate(tensors, dim, opts) end

--- x itself: luth has no complex numbers.
---@param x any
---@return any
function torch.conj(x) end

--- x itself: luth has no complex numbers.
---@param x any
---@return any
function torch.conj_physical(x) end

--- x itself: luth has no complex numbers.
---@param x any
---@return any
function torch.conj_physical_(x) end

--- Input with a number around it; negative numbers cut off.
---@overload fun(input: torch.Tensor, opts?: {pad: integer|integer[]|torch.Size, value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param pad integer|integer[]|torch.Size elements before and after the last dim, then the one before it, …
---@param value? number|boolean what is added
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.constant_pad_nd(input, pad, value, opts) end

--- The order of elements in memory: row by row.
---@type any
torch.contiguous_format = nil

--- Convolution of sequences with filters.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter
---@param padding? integer|integer[]|torch.Size zeros added on each side, or 'same' or 'valid'
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param groups? integer groups of channels that see nothing of each other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.conv1d(input, weight, bias, stride, padding, dilation, groups, opts) end

--- Convolution of images with filters.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter
---@param padding? integer|integer[]|torch.Size zeros added on each side, or 'same' or 'valid'
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param groups? integer groups of channels that see nothing of each other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.conv2d(input, weight, bias, stride, padding, dilation, groups, opts) end

--- Convolution of volumes with filters.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter
---@param padding? integer|integer[]|torch.Size zeros added on each side, or 'same' or 'valid'
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param groups? integer groups of channels that see nothing of each other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.conv3d(input, weight, bias, stride, padding, dilation, groups, opts) end

--- Transposed convolution of sequences.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, output_padding?: integer|integer[]|torch.Size, groups?: integer, dilation?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter in the result
---@param padding? integer|integer[]|torch.Size elements cut off each side of the result
---@param output_padding? integer|integer[]|torch.Size elements added to the result at the bottom and on the right
---@param groups? integer groups of channels that see nothing of each other
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.conv_transpose1d(input, weight, bias, stride, padding, output_padding, groups, dilation, opts) end

--- Transposed convolution of images.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, output_padding?: integer|integer[]|torch.Size, groups?: integer, dilation?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter in the result
---@param padding? integer|integer[]|torch.Size elements cut off each side of the result
---@param output_padding? integer|integer[]|torch.Size elements added to the result at the bottom and on the right
---@param groups? integer groups of channels that see nothing of each other
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation, opts) end

--- Transposed convolution of volumes.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, output_padding?: integer|integer[]|torch.Size, groups?: integer, dilation?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter in the result
---@param padding? integer|integer[]|torch.Size elements cut off each side of the result
---@param output_padding? integer|integer[]|torch.Size elements added to the result at the bottom and on the right
---@param groups? integer groups of channels that see nothing of each other
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.conv_transpose3d(input, weight, bias, stride, padding, output_padding, groups, dilation, opts) end

--- Input with the sign of other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.copysign(input, other, opts) end

--- Input with the sign of other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.copysign_(input, other, opts) end

--- The correlations of the variables that are the rows of a matrix.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.corrcoef(input, opts) end

--- Cosine of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cos(input, opts) end

--- Cosine of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cos_(input, opts) end

--- Hyperbolic cosine of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cosh(input, opts) end

--- Hyperbolic cosine of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cosh_(input, opts) end

--- 1 - cosine for pairs that belong together (target 1), the cosine above margin for those that do not (-1).
---@overload fun(input1: torch.Tensor, input2: torch.Tensor, target: torch.Tensor, opts?: {margin?: number, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input1 torch.Tensor
---@param input2 torch.Tensor
---@param target torch.Tensor
---@param margin? number the cosine of pairs that do not belong together may reach it
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cosine_embedding_loss(input1, input2, target, margin, reduction, opts) end

--- The cosine of the angle between vectors along a dim; norms below eps count as eps.
---@overload fun(x1: torch.Tensor, x2: torch.Tensor, opts?: {dim?: integer, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param x1 torch.Tensor
---@param x2 torch.Tensor
---@param dim? integer the dim of the vectors
---@param eps? number the least norm
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cosine_similarity(x1, x2, dim, eps, opts) end

--- How many elements are not 0, over dims.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to count over; all of them where nil
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.count_nonzero(input, dim, opts) end

--- The covariances of the variables that are the rows of a matrix.
---@param input torch.Tensor
---@param opts? {correction?: integer, fweights?: torch.Tensor, aweights?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cov(input, opts) end

--- The cross products of vectors of 3 elements along a dim.
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param other torch.Tensor
---@param dim? integer the dim of the vectors; nil: the first that has 3 elements
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cross(input, other, dim, opts) end

--- Cross entropy of logits and labels, or of logits and class probabilities.
---@overload fun(input: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, opts?: {ignore_index?: integer, reduction?: string, label_smoothing?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor
---@param ignore_index? integer the label that counts for nothing
---@param reduction? string 'mean', 'sum' or 'none'
---@param label_smoothing? number the part of each label that is spread over all classes, 0 to 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing, opts) end

--- The negated log-probability of targets under all alignments with log_probs.
---@overload fun(log_probs: torch.Tensor, targets: torch.Tensor, input_lengths: torch.Tensor, target_lengths: torch.Tensor, opts?: {blank?: integer, reduction?: string, zero_infinity?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(log_probs: torch.Tensor, targets: torch.Tensor, input_lengths: number|number[], target_lengths: number|number[], blank?: integer, reduction?: string, zero_infinity?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(log_probs: torch.Tensor, targets: torch.Tensor, opts?: {input_lengths: number|number[], target_lengths: number|number[], blank?: integer, reduction?: string, zero_infinity?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param log_probs torch.Tensor
---@param targets torch.Tensor
---@param input_lengths torch.Tensor
---@param target_lengths torch.Tensor
---@param blank? integer the class that stands for no label
---@param reduction? string 'mean', 'sum' or 'none'
---@param zero_infinity? boolean whether sequences too short for their target count as 0, with no gradient
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity, opts) end

--- The largest element so far along a dim, and where the last such one is.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to go along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.cummax(input, dim, opts) end

--- The smallest element so far along a dim, and where the last such one is.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to go along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.cummin(input, dim, opts) end

--- The product of the elements so far along a dim; integers in int64.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to multiply along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cumprod(input, dim, opts) end

--- The product of the elements so far along a dim; integers in int64.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to multiply along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cumprod_(input, dim, opts) end

--- The sum of the elements so far along a dim; integers in int64.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to sum along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cumsum(input, dim, opts) end

--- The sum of the elements so far along a dim; integers in int64.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to sum along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cumsum_(input, dim, opts) end

--- The integral of samples so far along a dim, by trapezoids.
---@param y torch.Tensor
---@param x? torch.Tensor
---@param opts? {dx?: number|boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.cumulative_trapezoid(y, x, opts) end

--- A stream of random numbers: torch.Generator():manual_seed(3); operators take it as `generator`.
---@type any
torch.default_generator = nil

--- Degrees as radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.deg2rad(input, opts) end

--- Degrees as radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.deg2rad_(input, opts) end

--- The determinants of matrices; as linalg.det.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.det(input, opts) end

--- The same memory without history.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.detach(input, opts) end

--- Forgets how x was made: it becomes a leaf.
---@return any
function torch.detach_() end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@return any
function torch.detach_copy(input) end

--- A device: it has type and index; devices count from 0, and 'cuda' is the current one.
---@param argument1? any
---@param argument2? any
---@return any
function torch.device(argument1, argument2) end

--- A vector as the diagonal of a matrix, or the diagonal of a matrix, copied.
---@overload fun(input: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param diagonal? integer how far above the main diagonal; negative: below it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.diag(input, diagonal, opts) end

--- Matrices of zeros with the rows of input as diagonals.
---@overload fun(input: torch.Tensor, opts?: {offset?: integer, dim1?: integer, dim2?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param dim1? integer where the rows stand in the result
---@param dim2? integer where the columns stand in the result
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.diag_embed(input, offset, dim1, dim2, opts) end

--- All elements as the diagonal of a matrix.
---@overload fun(input: torch.Tensor, opts?: {offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.diagflat(input, offset, opts) end

--- A view of the diagonals between two dims, which become the last dim.
---@overload fun(input: torch.Tensor, opts?: {offset?: integer, dim1?: integer, dim2?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param dim1? integer the dim of rows
---@param dim2? integer the dim of columns
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.diagonal(input, offset, dim1, dim2, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param offset? integer
---@param dim1? integer
---@param dim2? integer
---@return any
function torch.diagonal_copy(input, offset, dim1, dim2) end

--- Input with src in the place of the diagonals.
---@overload fun(input: torch.Tensor, src: torch.Tensor, opts?: {offset?: integer, dim1?: integer, dim2?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param src torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param dim1? integer the dim of rows
---@param dim2? integer the dim of columns
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.diagonal_scatter(input, src, offset, dim1, dim2, opts) end

--- The n-th differences of neighbours along a dim; of bools whether they differ.
---@overload fun(input: torch.Tensor, opts?: {n?: integer, dim?: integer, prepend?: torch.Tensor, append?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param n? integer how often to take differences
---@param dim? integer the dim
---@param prepend? torch.Tensor
---@param append? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.diff(input, n, dim, prepend, append, opts) end

--- The derivative of lgamma.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.digamma(input, opts) end

--- The derivative of lgamma.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.digamma_(input, opts) end

--- The p-norm of input - other.
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {p?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param other torch.Tensor
---@param p? number|boolean the exponent of the norm
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.dist(input, other, p, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(input: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.div(input, other, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(input: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.div_(input, other, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(input: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.divide(input, other, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(input: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.divide_(input, other, opts) end

--- The sum of the products of the elements of two vectors.
---@param input torch.Tensor
---@param tensor torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.dot(input, tensor, opts) end

--- A dtype: floats of 8 bytes. It has is_floating_point and itemsize.
---@type any
torch.double = nil

--- In training, each element 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of 0
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.dropout(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.dropout1d(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.dropout1d_(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.dropout2d(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.dropout2d_(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.dropout3d(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.dropout3d_(input, p, training, opts) end

--- In training, each element 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of 0
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.dropout_(input, p, training, opts) end

--- Parts one behind the other, of the third dim.
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: number|number[], opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param indices_or_sections integer how many equal parts
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.dsplit(input, indices_or_sections, opts) end

--- The tensors one behind the other, along the third dim.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.dstack(tensors, opts) end

--- The sum of products that an equation of labels describes: torch.einsum('bij,bjk->bik', a, b). A label names a dim; one that the output lacks is summed over, one that an operand repeats takes its diagonal, and '...' stands for all further dims, which broadcast. Without '->' the result has the labels that occur once, in order. Labels may also be lists of integers or '...' after each operand; the last list is that of the result.
---@param equation any
---@param ... any
---@return any
function torch.einsum(equation, ...) end

--- Each element, alpha (exp(x) - 1) where it is negative.
---@overload fun(input: torch.Tensor, opts?: {alpha?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param alpha? number the limit on the left is -alpha
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.elu(input, alpha, opts) end

--- Each element, alpha (exp(x) - 1) where it is negative.
---@overload fun(input: torch.Tensor, opts?: {alpha?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param alpha? number the limit on the left is -alpha
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.elu_(input, alpha, opts) end

--- The rows of weight at the positions that input holds.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, opts?: {padding_idx?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, padding_idx?: integer, max_norm?: number, norm_type?: number, scale_grad_by_freq?: boolean, sparse?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, opts?: {padding_idx?: integer, max_norm?: number, norm_type?: number, scale_grad_by_freq?: boolean, sparse?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param padding_idx? integer a row that gets no gradient
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.embedding(input, weight, padding_idx, opts) end

--- The sum, mean or maximum of weight's rows at the positions of each bag; 0 for empty ones.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, offsets?: torch.Tensor, opts?: {max_norm?: number, norm_type?: number, scale_grad_by_freq?: boolean, mode?: string, sparse?: boolean, per_sample_weights?: torch.Tensor, include_last_offset?: boolean, padding_idx?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param offsets? torch.Tensor
---@param max_norm? number bring the rows that are used down to this norm, in weight itself
---@param norm_type? number the exponent of that norm
---@param scale_grad_by_freq? boolean divide each row's gradient by how often input names it
---@param mode? string 'sum', 'mean' or 'max'
---@param sparse? boolean must be false: gradients are dense
---@param per_sample_weights? torch.Tensor
---@param include_last_offset? boolean whether offsets ends with the end of the last bag
---@param padding_idx? integer a row that counts for nothing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.embedding_bag(input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx, opts) end

--- A tensor whose elements are not set.
---@overload fun(opts?: {size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.empty(size, opts) end

--- Returns cached memory to the system.
---@param device? any
---@return any
function torch.empty_cache(device) end

--- As the function without _like, in the shape, dtype and device of input.
---@param input torch.Tensor
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.empty_like(input, opts) end

--- A tensor with the given strides whose elements are not set.
---@overload fun(opts?: {size: integer|integer[]|torch.Size, stride: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param stride integer|integer[]|torch.Size the strides, in elements
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.empty_strided(size, stride, opts) end

--- Records gradients again, inside no_grad.
---@return any
function torch.enable_grad() end

--- Whether the elements are equal.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.eq(input, other, opts) end

--- Whether the elements are equal.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.eq_(input, other, opts) end

--- Whether shapes and all elements are the same.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function torch.equal(input, other, opts) end

--- Error function of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.erf(input, opts) end

--- Error function of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.erf_(input, opts) end

--- 1 - erf(x), accurate where erf is near 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.erfc(input, opts) end

--- 1 - erf(x), accurate where erf is near 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.erfc_(input, opts) end

--- The number whose erf is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.erfinv(input, opts) end

--- The number whose erf is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.erfinv_(input, opts) end

--- e to the power of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.exp(input, opts) end

--- 2 to the power of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.exp2(input, opts) end

--- 2 to the power of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.exp2_(input, opts) end

--- e to the power of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.exp_(input, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param size any
---@return any
function torch.expand_copy(input, size) end

--- 1 / (1 + exp(-x)) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.expit(input, opts) end

--- 1 / (1 + exp(-x)) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.expit_(input, opts) end

--- exp(x) - 1, accurate near 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.expm1(input, opts) end

--- exp(x) - 1, accurate near 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.expm1_(input, opts) end

--- A matrix with ones on its diagonal and zeros elsewhere.
---@overload fun(opts?: {n: integer, m?: integer, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param n integer rows
---@param m? integer columns; nil: n
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.eye(n, m, opts) end

--- Alpha_dropout of whole channels (dim 1).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.feature_alpha_dropout(input, p, training, opts) end

--- Alpha_dropout of whole channels (dim 1).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.feature_alpha_dropout_(input, p, training, opts) end

--- Every element set to value, a number or a 0-dimensional tensor.
---@param input torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.fill(input, value, opts) end

--- Every element set to value, a number or a 0-dimensional tensor.
---@param input torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.fill_(input, value, opts) end

--- Limits of a float dtype: eps, max, min, tiny, bits.
---@param dtype? any
---@return any
function torch.finfo(dtype) end

--- Each element without its fraction.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.fix(input, opts) end

--- Each element without its fraction.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.fix_(input, opts) end

--- Dims from start_dim to end_dim made one.
---@overload fun(input: torch.Tensor, opts?: {start_dim?: integer, end_dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param start_dim? integer the first of the dims to join
---@param end_dim? integer the last
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.flatten(input, start_dim, end_dim, opts) end

--- The tensor with the order along some dims turned round; a copy.
---@overload fun(input: torch.Tensor, opts?: {dims: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dims integer|integer[]|torch.Size the dims
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.flip(input, dims, opts) end

--- The columns in reverse order; a copy.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.fliplr(input, opts) end

--- The rows in reverse order; a copy.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.flipud(input, opts) end

--- A dtype: floats of 4 bytes. It has is_floating_point and itemsize.
---@type any
torch.float = nil

--- A dtype: floats of 2 bytes. It has is_floating_point and itemsize.
---@type any
torch.float16 = nil

--- A dtype: floats of 4 bytes. It has is_floating_point and itemsize.
---@type any
torch.float32 = nil

--- A dtype: floats of 8 bytes. It has is_floating_point and itemsize.
---@type any
torch.float64 = nil

--- Input to the power of exponent, in float64.
---@param input torch.Tensor|number|boolean
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.float_power(input, exponent, opts) end

--- Input to the power of exponent, in float64.
---@param input torch.Tensor|number|boolean
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.float_power_(input, exponent, opts) end

--- The largest integer not above each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.floor(input, opts) end

--- The largest integer not above each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.floor_(input, opts) end

--- The largest integer not above input / other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.floor_divide(input, other, opts) end

--- The largest integer not above input / other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.floor_divide_(input, other, opts) end

--- The larger of each pair, and the other one where one is nan.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.fmax(input, other, opts) end

--- The smaller of each pair, and the other one where one is nan.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.fmin(input, other, opts) end

--- What division leaves: the sign is input's.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.fmod(input, other, opts) end

--- What division leaves: the sign is input's.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.fmod_(input, other, opts) end

--- The fraction of each element, with its sign.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.frac(input, opts) end

--- The fraction of each element, with its sign.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.frac_(input, opts) end

--- mantissa and exponent with input = mantissa 2^exponent, 1/2 <= |mantissa| < 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.frexp(input, opts) end

--- The elements that the bytes of a string are, in this machine's byte order: a copy. Offset in bytes, count in elements, -1: to the end.
---@param buffer any
---@param opts? {dtype?: any, count?: integer, offset?: integer, requires_grad?: boolean}
---@return any
function torch.frombuffer(buffer, opts) end

--- A tensor of one number.
---@overload fun(opts?: {size: integer|integer[]|torch.Size, fill_value: number|boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param fill_value number|boolean the number
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.full(size, fill_value, opts) end

--- As the function without _like, in the shape, dtype and device of input.
---@overload fun(input: torch.Tensor, opts?: {fill_value: number|boolean, dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param fill_value number|boolean the number
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.full_like(input, fill_value, opts) end

--- Element [i][j] of the result is input[index[i][j]][j] for the first dim, and so on.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.gather(input, dim, index, opts) end

--- The negated log-likelihood of target under normal distributions of mean input and variance var, without its constant.
---@overload fun(input: torch.Tensor, target: torch.Tensor, var: torch.Tensor|number|boolean, opts?: {full?: boolean, eps?: number, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param var torch.Tensor|number|boolean
---@param full? boolean add the constant, log(2 pi) / 2
---@param eps? number variances below it count as it
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.gaussian_nll_loss(input, target, var, full, eps, reduction, opts) end

--- The greatest common divisor of each pair; of two zeros 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.gcd(input, other, opts) end

--- The greatest common divisor of each pair; of two zeros 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.gcd_(input, other, opts) end

--- Whether input is at least other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ge(input, other, opts) end

--- Whether input is at least other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ge_(input, other, opts) end

--- Each element times the normal distribution function at it.
---@param input torch.Tensor
---@param opts? {approximate?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.gelu(input, opts) end

--- LAPACK's form of a QR factorization: R above reflectors, and their factors.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.geqrf(input, opts) end

--- The matrix of products of the elements of two vectors.
---@param input torch.Tensor
---@param vec2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ger(input, vec2, opts) end

--- The dtype that autocast computes in there.
---@param device? any
---@return any
function torch.get_autocast_dtype(device) end

--- Where new tensors lie.
---@return any
function torch.get_default_device() end

--- The dtype of float numbers.
---@return any
function torch.get_default_dtype() end

--- The number of the GPU that has the tensor, from 0; -1: the CPU.
---@return any
function torch.get_device() end

--- 'highest', at first, 'high' or 'medium'.
---@return any
function torch.get_float32_matmul_precision() end

--- The threads that operators use.
---@return any
function torch.get_num_threads() end

--- Where the random numbers of a device, the CPU without one, are, as a tensor.
---@param device? any
---@return any
function torch.get_rng_state(device) end

--- The first half along a dim times the sigmoid of the second.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim that is halved
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.glu(input, dim, opts) end

--- The slopes of sampled values along each dim, a tensor per dim.
---@overload fun(input: torch.Tensor, spacing: torch.Tensor[], opts?: {dim?: integer|integer[]|torch.Size, edge_order?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param opts? {spacing?: number|number[], dim?: integer|integer[]|torch.Size, edge_order?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.gradient(input, opts) end

--- Whether input is greater than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.greater(input, other, opts) end

--- Whether input is greater than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.greater_(input, other, opts) end

--- Whether input is at least other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.greater_equal(input, other, opts) end

--- Whether input is at least other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.greater_equal_(input, other, opts) end

--- Each sample normalised over groups of its channels, times weight, plus bias.
---@overload fun(input: torch.Tensor, opts?: {num_groups: integer, weight?: torch.Tensor, bias?: torch.Tensor, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param num_groups integer how many groups; a divisor of the number of channels
---@param weight? torch.Tensor
---@param bias? torch.Tensor
---@param eps? number added to the variance
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.group_norm(input, num_groups, weight, bias, eps, opts) end

--- Whether input is greater than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.gt(input, other, opts) end

--- Whether input is greater than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.gt_(input, other, opts) end

--- softmax((logits + Gumbel's noise) / tau): soft samples of categories.
---@overload fun(logits: torch.Tensor, opts?: {tau?: number, hard?: boolean, eps?: number, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param logits torch.Tensor
---@param tau? number the temperature, above 0: near 0 for samples that are near one-hot
---@param hard? boolean give one-hot samples, with the gradient of the soft ones
---@param eps? number not used, as in PyTorch
---@param dim? integer the dim of the categories
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.gumbel_softmax(logits, tau, hard, eps, dim, opts) end

--- A dtype: floats of 2 bytes. It has is_floating_point and itemsize.
---@type any
torch.half = nil

--- Hamming's window: alpha - beta cos(2 pi i / n).
---@overload fun(opts?: {window_length: integer, periodic?: boolean, alpha?: number, beta?: number, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param window_length integer how many numbers
---@param periodic? boolean one period of a window that repeats; false: symmetric
---@param alpha? number the weight of the constant
---@param beta? number the weight of the cosine
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hamming_window(window_length, periodic, alpha, beta, opts) end

--- Hann's window: (1 - cos(2 pi i / n)) / 2.
---@overload fun(opts?: {window_length: integer, periodic?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param window_length integer how many numbers
---@param periodic? boolean one period of a window that repeats; false: symmetric
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hann_window(window_length, periodic, opts) end

--- Each element, or 0 where it is between -lambd and lambd.
---@overload fun(input: torch.Tensor, opts?: {lambd?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param lambd? number what is not farther from 0 becomes 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hardshrink(input, lambd, opts) end

--- relu6(x + 3) / 6: sigmoid of straight parts.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hardsigmoid(input, opts) end

--- relu6(x + 3) / 6: sigmoid of straight parts.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hardsigmoid_(input, opts) end

--- x relu6(x + 3) / 6: silu of straight and parabolic parts.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hardswish(input, opts) end

--- x relu6(x + 3) / 6: silu of straight and parabolic parts.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hardswish_(input, opts) end

--- Each element, not below min_val and not above max_val.
---@overload fun(input: torch.Tensor, opts?: {min_val?: number, max_val?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param min_val? number the least result
---@param max_val? number the greatest result
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hardtanh(input, min_val, max_val, opts) end

--- Each element, not below min_val and not above max_val.
---@overload fun(input: torch.Tensor, opts?: {min_val?: number, max_val?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param min_val? number the least result
---@param max_val? number the greatest result
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hardtanh_(input, min_val, max_val, opts) end

--- 0 where input is negative, values where it is 0, else 1.
---@param input torch.Tensor
---@param values torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.heaviside(input, values, opts) end

--- 0 where input is negative, values where it is 0, else 1.
---@param input torch.Tensor
---@param values torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.heaviside_(input, values, opts) end

--- Input where target is 1, and where it is -1 what input lacks to margin.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {margin?: number, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param margin? number what inputs of target -1 should reach
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hinge_embedding_loss(input, target, margin, reduction, opts) end

--- How many elements lie in each of `bins` equal parts of [min, max].
---@overload fun(input: torch.Tensor, opts?: {bins?: integer, min?: number|boolean, max?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param bins? integer how many parts
---@param min? number|boolean where they begin; where min is max, the smallest element
---@param max? number|boolean where they end; where min is max, the largest element
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.histc(input, bins, min, max, opts) end

--- How many elements lie in each of `bins` equal parts, and the edges of these.
---@overload fun(input: torch.Tensor, opts?: {bins?: integer, range?: number|number[], weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, bins: torch.Tensor, opts?: {weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param bins? integer how many parts
---@param opts? {range?: number|number[], weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.histogram(input, bins, opts) end

--- How many points lie in each box of a grid, and the edges along each coordinate.
---@overload fun(input: torch.Tensor, opts?: {bins: integer|integer[]|torch.Size, range?: number|number[], weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, bins: torch.Tensor[], opts?: {weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param bins integer|integer[]|torch.Size how many parts along each coordinate: a number, or one for each
---@param range? number|number[] where they begin and end, two numbers for each coordinate
---@param weight? torch.Tensor
---@param density? boolean divided by the sum and by the sizes of the bins
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.histogramdd(input, bins, range, weight, density, opts) end

--- Parts side by side: of the second dim, of a vector the first.
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: number|number[], opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param indices_or_sections integer how many equal parts
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.hsplit(input, indices_or_sections, opts) end

--- The tensors side by side: along the second dim, vectors the first.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hstack(tensors, opts) end

--- Half the squared differences below delta, delta times (absolute less delta / 2) above.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, delta?: number, weight?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param delta? number where it turns from square to absolute; above 0
---@param weight? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.huber_loss(input, target, reduction, delta, weight, opts) end

--- The square root of input² + other², without overflow.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hypot(input, other, opts) end

--- The square root of input² + other², without overflow.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.hypot_(input, other, opts) end

--- The modified Bessel function of the first kind, of order 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.i0(input, opts) end

--- The modified Bessel function of the first kind, of order 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.i0_(input, opts) end

--- The regularised lower incomplete gamma function.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.igamma(input, other, opts) end

--- The regularised lower incomplete gamma function.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.igamma_(input, other, opts) end

--- The regularised upper incomplete gamma function.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.igammac(input, other, opts) end

--- The regularised upper incomplete gamma function.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.igammac_(input, other, opts) end

--- Limits of an integer dtype: max, min, bits.
---@param dtype any
---@return any
function torch.iinfo(dtype) end

--- Input with alpha times source added at the positions along a dim that index lists.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.index_add(input, dim, index, source, opts) end

--- Input with alpha times source added at the positions along a dim that index lists.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.index_add_(input, dim, index, source, opts) end

--- Input with source written to the positions along a dim that index lists; the last of several writes to one place stays.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.index_copy(input, dim, index, source, opts) end

--- Input with source written to the positions along a dim that index lists; the last of several writes to one place stays.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.index_copy_(input, dim, index, source, opts) end

--- Input with value at the positions along a dim that index lists.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.index_fill(input, dim, index, value, opts) end

--- Input with value at the positions along a dim that index lists.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.index_fill_(input, dim, index, value, opts) end

--- Input with values written where one index tensor or mask per dim points.
---@overload fun(input: torch.Tensor, indices: torch.Tensor[], values: torch.Tensor|number|boolean, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param indices torch.Tensor[]
---@param values torch.Tensor|number|boolean
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.index_put(input, indices, values, accumulate, opts) end

--- Input with values written where one index tensor or mask per dim points.
---@overload fun(input: torch.Tensor, indices: torch.Tensor[], values: torch.Tensor|number|boolean, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param indices torch.Tensor[]
---@param values torch.Tensor|number|boolean
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.index_put_(input, indices, values, accumulate, opts) end

--- Input with source joined to the positions along a dim that index lists; 'prod', 'mean', 'amax' or 'amin'.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.index_reduce(input, dim, index, source, reduce, opts) end

--- Input with source joined to the positions along a dim that index lists; 'prod', 'mean', 'amax' or 'amin'.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.index_reduce_(input, dim, index, source, reduce, opts) end

--- The positions along a dim that index lists, in its order.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.index_select(input, dim, index, opts) end

--- As no_grad; and what is made in it stays out of graphs for good: such a tensor is no input of recorded operators that keep it for backward, and cannot be written in place outside. clone() gives an ordinary one.
---@param mode? boolean
---@return any
function torch.inference_mode(mode) end

--- The seed of the CPU's random numbers.
---@return any
function torch.initial_seed() end

--- Sums of products over the last dims of both.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.inner(input, other, opts) end

--- Each channel of each sample normalised, times weight, plus bias.
---@overload fun(input: torch.Tensor, running_mean?: torch.Tensor, running_var?: torch.Tensor, weight?: torch.Tensor, bias?: torch.Tensor, opts?: {use_input_stats?: boolean, momentum?: number, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param running_mean? torch.Tensor
---@param running_var? torch.Tensor
---@param weight? torch.Tensor
---@param bias? torch.Tensor
---@param use_input_stats? boolean normalise by the sample, and move the running statistics
---@param momentum? number the weight of this batch in the running statistics
---@param eps? number added to the variance
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps, opts) end

--- A dtype: integers of 4 bytes. It has is_floating_point and itemsize.
---@type any
torch.int = nil

--- A dtype: integers of 2 bytes. It has is_floating_point and itemsize.
---@type any
torch.int16 = nil

--- A dtype: integers of 4 bytes. It has is_floating_point and itemsize.
---@type any
torch.int32 = nil

--- A dtype: integers of 8 bytes. It has is_floating_point and itemsize.
---@type any
torch.int64 = nil

--- A dtype: integers of 1 byte. It has is_floating_point and itemsize.
---@type any
torch.int8 = nil

--- The inverses of matrices; as linalg.inv.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.inverse(input, opts) end

--- Whether it looks for nan.
---@return any
function torch.is_anomaly_check_nan_enabled() end

--- Whether anomaly mode is on.
---@return any
function torch.is_anomaly_enabled() end

--- Whether weights are cast once in a scope of autocast.
---@return any
function torch.is_autocast_cache_enabled() end

--- Whether autocast is on for a kind of device, or for any.
---@param device? any
---@return any
function torch.is_autocast_enabled(device) end

--- false: luth has no complex dtypes.
---@param x any
---@return any
function torch.is_complex(x) end

--- false: luth has no complex dtypes.
---@param x any
---@return any
function torch.is_conj(x) end

--- Whether the dtype is a float.
---@param x any
---@return any
function torch.is_floating_point(x) end

--- Whether operators record gradients.
---@return any
function torch.is_grad_enabled() end

--- Whether torch.inference_mode() was on when it was made.
---@param x any
---@return any
function torch.is_inference(x) end

--- Whether inference mode is on.
---@return any
function torch.is_inference_mode_enabled() end

--- false: no view of luth negates what it shows.
---@param x any
---@return any
function torch.is_neg(x) end

--- Whether the only element is not 0.
---@param x any
---@return any
function torch.is_nonzero(x) end

--- Whether the shapes are equal.
---@param x any
---@param y any
---@return any
function torch.is_same_size(x, y) end

--- Whether the dtype has negative numbers.
---@param x any
---@return any
function torch.is_signed(x) end

--- Whether x is a tensor.
---@param x any
---@return any
function torch.is_tensor(x) end

--- Whether input is within atol + rtol |other| of other.
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {rtol?: number, atol?: number, equal_nan?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param other torch.Tensor
---@param rtol? number tolerance relative to other
---@param atol? number absolute tolerance
---@param equal_nan? boolean nan is close to nan
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.isclose(input, other, rtol, atol, equal_nan, opts) end

--- Whether each element is neither infinite nor nan.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.isfinite(input, opts) end

--- Whether each element is one of test_elements.
---@param elements torch.Tensor|number|boolean
---@param test_elements torch.Tensor|number|boolean
---@param opts? {assume_unique?: boolean, invert?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.isin(elements, test_elements, opts) end

--- Whether each element is infinite.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.isinf(input, opts) end

--- Whether x is of the class or of one made from it.
---@param x any
---@param class any
---@return any
function torch.isinstance(x, class) end

--- Whether each element is nan.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.isnan(input, opts) end

--- Whether each element is minus infinity.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.isneginf(input, opts) end

--- Whether each element is infinity.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.isposinf(input, opts) end

--- Whether each element has no imaginary part: true.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.isreal(input, opts) end

--- Kaiser's window, by the modified Bessel function of order 0.
---@overload fun(opts?: {window_length: integer, periodic?: boolean, beta?: number, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param window_length integer how many numbers
---@param periodic? boolean one period of a window that repeats; false: symmetric
---@param beta? number how narrow it is; at least 0
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.kaiser_window(window_length, periodic, beta, opts) end

--- target * (log(target) - input): the divergence from log-probabilities to probabilities.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, log_target?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'batchmean', 'sum' or 'none'
---@param log_target? boolean whether target holds logarithms, too
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.kl_div(input, target, reduction, log_target, opts) end

--- Kronecker's product: every element of input times the whole of other, side by side.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.kron(input, other, opts) end

--- The k-th smallest elements along a dim, and where they are.
---@overload fun(input: torch.Tensor, opts?: {k: integer, dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param k integer which: 1 is the smallest
---@param dim? integer the dim to reduce
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.kthvalue(input, k, dim, keepdim, opts) end

--- Absolute differences.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, weight?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param weight? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.l1_loss(input, target, reduction, weight, opts) end

--- Normalised over the last dims, times weight, plus bias.
---@overload fun(input: torch.Tensor, opts?: {normalized_shape: integer|integer[]|torch.Size, weight?: torch.Tensor, bias?: torch.Tensor, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param normalized_shape integer|integer[]|torch.Size the last extents of input, over which to normalise
---@param weight? torch.Tensor
---@param bias? torch.Tensor
---@param eps? number added to the variance
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.layer_norm(input, normalized_shape, weight, bias, eps, opts) end

--- The least common multiple of each pair; 0 where one is 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lcm(input, other, opts) end

--- The least common multiple of each pair; 0 where one is 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lcm_(input, other, opts) end

--- Input times 2^other.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ldexp(input, other, opts) end

--- Input times 2^other.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ldexp_(input, other, opts) end

--- Whether input is at most other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.le(input, other, opts) end

--- Whether input is at most other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.le_(input, other, opts) end

--- Each element, times negative_slope where it is negative.
---@overload fun(input: torch.Tensor, opts?: {negative_slope?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param negative_slope? number the slope below 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.leaky_relu(input, negative_slope, opts) end

--- Each element, times negative_slope where it is negative.
---@overload fun(input: torch.Tensor, opts?: {negative_slope?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param negative_slope? number the slope below 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.leaky_relu_(input, negative_slope, opts) end

--- input + weight (end - input): input at weight 0, end at 1.
---@param input torch.Tensor
---@param end_ torch.Tensor
---@param weight torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lerp(input, end_, weight, opts) end

--- input + weight (end - input): input at weight 0, end at 1.
---@param input torch.Tensor
---@param end_ torch.Tensor
---@param weight torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lerp_(input, end_, weight, opts) end

--- Whether input is less than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.less(input, other, opts) end

--- Whether input is less than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.less_(input, other, opts) end

--- Whether input is at most other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.less_equal(input, other, opts) end

--- Whether input is at most other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.less_equal_(input, other, opts) end

--- The logarithm of the absolute value of the gamma function.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lgamma(input, opts) end

--- The logarithm of the absolute value of the gamma function.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lgamma_(input, opts) end

--- input @ weight:t() + bias, over the last dim of input.
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linear(input, weight, bias, opts) end

--- `steps` numbers from start to end, both included, equally far apart.
---@overload fun(opts?: {start: number|boolean, stop: number|boolean, steps: integer, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param start number|boolean the first number
---@param end_ number|boolean the last number
---@param steps integer how many
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linspace(start, end_, steps, opts) end

--- Reads what torch.save has written, or a file of h5py.
---@param path any
---@param opts? {map_location?: any}
---@return any
function torch.load(path, opts) end

--- Each element over a power of its neighbouring channels.
---@overload fun(input: torch.Tensor, opts?: {size: integer, alpha?: number, beta?: number, k?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param size integer how many channels count as neighbours
---@param alpha? number multiplies the mean of squares
---@param beta? number the exponent
---@param k? number added before the power
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.local_response_norm(input, size, alpha, beta, k, opts) end

--- Natural logarithm of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.log(input, opts) end

--- Logarithm to base 10 of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.log10(input, opts) end

--- Logarithm to base 10 of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.log10_(input, opts) end

--- log(1 + x), accurate near 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.log1p(input, opts) end

--- log(1 + x), accurate near 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.log1p_(input, opts) end

--- Logarithm to base 2 of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.log2(input, opts) end

--- Logarithm to base 2 of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.log2_(input, opts) end

--- Natural logarithm of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.log_(input, opts) end

--- The logarithm of softmax, computed without underflow.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that sums to one
---@param dtype? torch.dtype|string convert to this dtype first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.log_softmax(input, dim, dtype, opts) end

--- The logarithm of exp(input) + exp(other), without overflow.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logaddexp(input, other, opts) end

--- The logarithm to base 2 of 2^input + 2^other, without overflow.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logaddexp2(input, other, opts) end

--- The logarithm of the sum of the exponentials so far along a dim.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to sum along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logcumsumexp(input, dim, opts) end

--- The logarithms of determinants; nan where one is negative.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logdet(input, opts) end

--- Whether both elements are not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logical_and(input, other, opts) end

--- Whether both elements are not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logical_and_(input, other, opts) end

--- Whether each element is 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logical_not(input, opts) end

--- Whether each element is 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logical_not_(input, opts) end

--- Whether one of the elements is not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logical_or(input, other, opts) end

--- Whether one of the elements is not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logical_or_(input, other, opts) end

--- Whether just one of the elements is not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logical_xor(input, other, opts) end

--- Whether just one of the elements is not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logical_xor_(input, other, opts) end

--- log(x / (1 - x)), of x held within eps of 0 and 1 where eps is given.
---@overload fun(input: torch.Tensor, opts?: {eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param eps? number elements are held in [eps, 1 - eps]; nil: they are not
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logit(input, eps, opts) end

--- log(x / (1 - x)), of x held within eps of 0 and 1 where eps is given.
---@overload fun(input: torch.Tensor, opts?: {eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param eps? number elements are held in [eps, 1 - eps]; nil: they are not
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logit_(input, eps, opts) end

--- The logarithm of sigmoid, without underflow.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logsigmoid(input, opts) end

--- The logarithm of sigmoid, without underflow.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logsigmoid_(input, opts) end

--- `steps` numbers from base^start to base^end, each the same times the last.
---@overload fun(opts?: {start: number|boolean, stop: number|boolean, steps: integer, base?: number, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param start number|boolean the exponent of the first number
---@param end_ number|boolean the exponent of the last number
---@param steps integer how many
---@param base? number what is raised to the exponents
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logspace(start, end_, steps, base, opts) end

--- The logarithm of the sum of exponentials over dims.
---@overload fun(input: torch.Tensor, opts?: {dim: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer|integer[]|torch.Size the dim or dims to reduce
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.logsumexp(input, dim, keepdim, opts) end

--- A dtype: integers of 8 bytes. It has is_floating_point and itemsize.
---@type any
torch.long = nil

--- The p-norm of each window of a sequence: (sum of x^p)^(1 / p).
---@overload fun(input: torch.Tensor, opts?: {norm_type: number|boolean, kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, ceil_mode?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param norm_type number|boolean the exponent p of the norm; not 0
---@param kernel_size integer|integer[]|torch.Size the extents of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param ceil_mode? boolean count a last window that is only partly inside
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lp_pool1d(input, norm_type, kernel_size, stride, ceil_mode, opts) end

--- The p-norm of each window: (sum of x^p)^(1 / p).
---@overload fun(input: torch.Tensor, opts?: {norm_type: number|boolean, kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, ceil_mode?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param norm_type number|boolean the exponent p of the norm; not 0
---@param kernel_size integer|integer[]|torch.Size the extents of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param ceil_mode? boolean count a last window that is only partly inside
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lp_pool2d(input, norm_type, kernel_size, stride, ceil_mode, opts) end

--- The p-norm of each window of a volume: (sum of x^p)^(1 / p).
---@overload fun(input: torch.Tensor, opts?: {norm_type: number|boolean, kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, ceil_mode?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param norm_type number|boolean the exponent p of the norm; not 0
---@param kernel_size integer|integer[]|torch.Size the extents of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param ceil_mode? boolean count a last window that is only partly inside
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lp_pool3d(input, norm_type, kernel_size, stride, ceil_mode, opts) end

--- Whether input is less than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lt(input, other, opts) end

--- Whether input is less than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lt_(input, other, opts) end

--- The factors of A = P L U in one matrix, with the exchanges of rows, counted from 1; with get_infos also info, the first zero on U's diagonal, counted from 1, or 0.
---@overload fun(A: torch.Tensor, opts?: {pivot?: boolean, get_infos?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param A torch.Tensor
---@param pivot? boolean exchange rows; LAPACK knows no other way
---@param get_infos? boolean also return info
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.lu(A, pivot, get_infos, opts) end

--- The solution X of A X = input, from what lu gives of A.
---@param b torch.Tensor
---@param LU_data torch.Tensor
---@param LU_pivots torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.lu_solve(b, LU_data, LU_pivots, opts) end

--- P, L and U of what lu_factor gives.
---@overload fun(LU_data: torch.Tensor, LU_pivots: torch.Tensor, opts?: {unpack_data?: boolean, unpack_pivots?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param LU_data torch.Tensor
---@param LU_pivots torch.Tensor
---@param unpack_data? boolean false: L and U are empty
---@param unpack_pivots? boolean false: P is empty
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots, opts) end

--- Begins the streams of random numbers anew.
---@param seed any
---@return any
function torch.manual_seed(seed) end

--- What input1 lacks to be above input2 (target 1), or below it (-1), by margin.
---@overload fun(input1: torch.Tensor, input2: torch.Tensor, target: torch.Tensor, opts?: {margin?: number, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input1 torch.Tensor
---@param input2 torch.Tensor
---@param target torch.Tensor
---@param margin? number the distance wanted
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.margin_ranking_loss(input1, input2, target, margin, reduction, opts) end

--- Input with value where mask is true.
---@param input torch.Tensor
---@param mask torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.masked_fill(input, mask, value, opts) end

--- Input with value where mask is true.
---@param input torch.Tensor
---@param mask torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.masked_fill_(input, mask, value, opts) end

--- Input with its elements where mask is true replaced by those of source, in order.
---@param input torch.Tensor
---@param mask torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.masked_scatter(input, mask, source, opts) end

--- Input with its elements where mask is true replaced by those of source, in order.
---@param input torch.Tensor
---@param mask torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.masked_scatter_(input, mask, source, opts) end

--- The elements of input where mask is true, as one dim.
---@param input torch.Tensor
---@param mask torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.masked_select(input, mask, opts) end

--- The product of vectors, matrices or batches of matrices; batch dims broadcast.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.matmul(input, other, opts) end

--- The exponentials of matrices: I + A + A²/2 + A³/6 + …
---@param A torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.matrix_exp(A, opts) end

--- The n-th powers of matrices; of their inverses for n < 0.
---@overload fun(A: torch.Tensor, opts?: {n: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param A torch.Tensor
---@param n integer the exponent
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.matrix_power(A, n, opts) end

--- The largest element of all.
---@overload fun(input: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.max(input, opts) end

--- The largest element of each window of a sequence.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, ceil_mode?: boolean, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size elements around the input that never are the largest
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param ceil_mode? boolean count a last window that is only partly inside
---@param return_indices? boolean also return where they stand, as max_pool2d_with_indices does
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, opts) end

--- The largest element of each window.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, ceil_mode?: boolean, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size elements around the input that never are the largest
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param ceil_mode? boolean count a last window that is only partly inside
---@param return_indices? boolean also return where they stand, as max_pool2d_with_indices does
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, opts) end

--- The largest element of each window, and where it stands.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, ceil_mode?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size elements around the input that never are the largest
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param ceil_mode? boolean count a last window that is only partly inside
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode, opts) end

--- The largest element of each window of a volume.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, ceil_mode?: boolean, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size elements around the input that never are the largest
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param ceil_mode? boolean count a last window that is only partly inside
---@param return_indices? boolean also return where they stand, as max_pool2d_with_indices does
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, opts) end

--- The largest element of each window, and where it stands.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, ceil_mode?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size depth, height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size elements around the input that never are the largest
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param ceil_mode? boolean count a last window that is only partly inside
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode, opts) end

--- The larger of each pair; nan where one is nan.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.maximum(input, other, opts) end

--- Mean over dims.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.mean(input, dim, keepdim, opts) end

--- The median of all elements; nan where one is nan.
---@overload fun(input: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.median(input, opts) end

--- Bytes of a device's memory: allocated, peak, reserved; and allocations, a count.
---@param device? any
---@return any
function torch.memory_stats(device) end

--- The coordinates of a grid whose axes are the vectors.
---@param tensors torch.Tensor[]
---@param opts? {indexing?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.meshgrid(tensors, opts) end

--- The smallest element of all.
---@overload fun(input: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.min(input, opts) end

--- The smaller of each pair; nan where one is nan.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.minimum(input, other, opts) end

--- Each element times tanh(softplus(x)).
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.mish(input, opts) end

--- Each element times tanh(softplus(x)).
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.mish_(input, opts) end

--- The product of two matrices.
---@param input torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.mm(input, mat2, opts) end

--- The elements that come most often along a dim, the smallest of them, and where the last of these is.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to reduce
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.mode(input, dim, keepdim, opts) end

--- A view with some dims moved to other places.
---@overload fun(input: torch.Tensor, opts?: {source: integer|integer[]|torch.Size, destination: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param source integer|integer[]|torch.Size the dims to move
---@param destination integer|integer[]|torch.Size where they go
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.moveaxis(input, source, destination, opts) end

--- A view with some dims moved to other places.
---@overload fun(input: torch.Tensor, opts?: {source: integer|integer[]|torch.Size, destination: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param source integer|integer[]|torch.Size the dims to move
---@param destination integer|integer[]|torch.Size where they go
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.movedim(input, source, destination, opts) end

--- Squared differences.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, weight?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param weight? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.mse_loss(input, target, reduction, weight, opts) end

--- The elements in order along the first dim.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.msort(input, opts) end

--- Product of input and other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.mul(input, other, opts) end

--- Product of input and other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.mul_(input, other, opts) end

--- Multi-head attention with the projections before and after it.
---@overload fun(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, opts?: {embed_dim_to_check: integer, num_heads: integer, in_proj_weight?: torch.Tensor, in_proj_bias?: torch.Tensor, bias_k?: torch.Tensor, bias_v?: torch.Tensor, add_zero_attn?: boolean, dropout_p?: number, out_proj_weight?: torch.Tensor, out_proj_bias?: torch.Tensor, training?: boolean, key_padding_mask?: torch.Tensor, need_weights?: boolean, attn_mask?: torch.Tensor, use_separate_proj_weight?: boolean, q_proj_weight?: torch.Tensor, k_proj_weight?: torch.Tensor, v_proj_weight?: torch.Tensor, static_k?: torch.Tensor, static_v?: torch.Tensor, average_attn_weights?: boolean, is_causal?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param query torch.Tensor
---@param key torch.Tensor
---@param value torch.Tensor
---@param embed_dim_to_check integer the features of query
---@param num_heads integer how many heads share the features
---@param in_proj_weight? torch.Tensor
---@param in_proj_bias? torch.Tensor
---@param bias_k? torch.Tensor
---@param bias_v? torch.Tensor
---@param add_zero_attn? boolean add a key and a value of zeros
---@param dropout_p? number the probability with which a weight becomes 0
---@param out_proj_weight? torch.Tensor
---@param out_proj_bias? torch.Tensor
---@param training? boolean false: no dropout
---@param key_padding_mask? torch.Tensor
---@param need_weights? boolean whether the weights are a result, too
---@param attn_mask? torch.Tensor
---@param use_separate_proj_weight? boolean q_, k_ and v_proj_weight in place of in_proj_weight
---@param q_proj_weight? torch.Tensor
---@param k_proj_weight? torch.Tensor
---@param v_proj_weight? torch.Tensor
---@param static_k? torch.Tensor
---@param static_v? torch.Tensor
---@param average_attn_weights? boolean the mean of the weights over heads
---@param is_causal? boolean a hint that attn_mask is the causal one
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training, key_padding_mask, need_weights, attn_mask, use_separate_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, static_k, static_v, average_attn_weights, is_causal, opts) end

--- What the label's input lacks to be above the others by margin, to the power of p.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {p?: integer, margin?: number, weight?: torch.Tensor, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param p? integer the exponent, 1 or 2
---@param margin? number the distance wanted
---@param weight? torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.multi_margin_loss(input, target, p, margin, weight, reduction, opts) end

--- What the inputs of each row's labels lack to be above all others by 1; -1 ends a row.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.multilabel_margin_loss(input, target, reduction, opts) end

--- Cross entropy of sigmoid(input) and target (0 or 1 for each label), the mean over labels.
---@overload fun(input: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, opts?: {reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.multilabel_soft_margin_loss(input, target, weight, reduction, opts) end

--- Positions drawn with the weights of each row as chances.
---@overload fun(input: torch.Tensor, opts?: {num_samples: integer, replacement?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param num_samples integer how many of each row
---@param replacement? boolean whether a position may come again
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.multinomial(input, num_samples, replacement, opts) end

--- Product of input and other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.multiply(input, other, opts) end

--- Product of input and other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.multiply_(input, other, opts) end

--- The product of a matrix and a vector.
---@param input torch.Tensor
---@param vec torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.mv(input, vec, opts) end

--- The logarithm of the multivariate gamma function of dimension p.
---@overload fun(input: torch.Tensor, opts?: {p: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p integer the dimension, at least 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.mvlgamma(input, p, opts) end

--- The logarithm of the multivariate gamma function of dimension p.
---@overload fun(input: torch.Tensor, opts?: {p: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p integer the dimension, at least 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.mvlgamma_(input, p, opts) end

--- Numbers in place of nan and infinities.
---@overload fun(input: torch.Tensor, opts?: {nan?: number, posinf?: number, neginf?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param nan? number in place of nan; nil: 0
---@param posinf? number in place of infinity; nil: the greatest number of the dtype
---@param neginf? number in place of minus infinity; nil: the least number of the dtype
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.nan_to_num(input, nan, posinf, neginf, opts) end

--- Numbers in place of nan and infinities.
---@overload fun(input: torch.Tensor, opts?: {nan?: number, posinf?: number, neginf?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param nan? number in place of nan; nil: 0
---@param posinf? number in place of infinity; nil: the greatest number of the dtype
---@param neginf? number in place of minus infinity; nil: the least number of the dtype
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.nan_to_num_(input, nan, posinf, neginf, opts) end

--- Mean over dims of what is not nan; nan where all are.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.nanmean(input, dim, keepdim, opts) end

--- The median of all elements that are not nan.
---@overload fun(input: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.nanmedian(input, opts) end

--- Quantile of what is not nan.
---@overload fun(input: torch.Tensor, opts?: {q: number, dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, q: torch.Tensor, dim?: integer, keepdim?: boolean, opts?: {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, q: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param q number which part of the elements lies below, from 0 to 1
---@param dim? integer the dim to reduce; nil: all elements as one dim
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.nanquantile(input, q, dim, keepdim, opts) end

--- Sum over dims of what is not nan; integers and bool as sum.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.nansum(input, dim, keepdim, opts) end

--- A view of `length` positions along a dim, from `start`.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, start: integer, length: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim
---@param start integer the first position
---@param length integer how many
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.narrow(input, dim, start, length, opts) end

--- A copy of `length` positions along a dim, from `start`.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, start: integer, length: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim
---@param start integer the first position
---@param length integer how many
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.narrow_copy(input, dim, start, length, opts) end

--- Channels [g, C / g] in the order [C / g, g], so that groups exchange theirs.
---@overload fun(input: torch.Tensor, opts?: {groups: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param groups integer g
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.native_channel_shuffle(input, groups, opts) end

--- Whether the elements differ.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ne(input, other, opts) end

--- Whether the elements differ.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ne_(input, other, opts) end

--- Each element with its sign changed.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.neg(input, opts) end

--- Each element with its sign changed.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.neg_(input, opts) end

--- Each element with its sign changed.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.negative(input, opts) end

--- Each element with its sign changed.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.negative_(input, opts) end

--- None where nil will not do: a hole in a list, an argument whose default is something else. Among indices it is a new dim of extent 1.
---@type any
torch.newaxis = nil

--- The next number of the dtype from input towards other.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.nextafter(input, other, opts) end

--- The next number of the dtype from input towards other.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.nextafter_(input, other, opts) end

--- The negated input at each label, weighted.
---@overload fun(input: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, opts?: {ignore_index?: integer, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor
---@param ignore_index? integer the label that counts for nothing
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.nll_loss(input, target, weight, ignore_index, reduction, opts) end

--- Nothing is recorded for gradients while the scope is open, or while f runs.
---@return any
function torch.no_grad() end

--- None where nil will not do: a hole in a list, an argument whose default is something else. Among indices it is a new dim of extent 1.
---@type any
torch.none = nil

--- The positions of elements that are not 0, one per row.
---@overload fun(input: torch.Tensor, opts?: {as_tuple: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.nonzero(input, opts) end

--- The positions of elements that are not 0, one per row, in exactly `size` rows.
---@param input torch.Tensor
---@param opts? {size: integer, fill_value?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.nonzero_static(input, opts) end

--- The p-norm over dims: the p-th root of the sum of |x|^p; inf: the largest |x|.
---@overload fun(input: torch.Tensor, opts?: {p?: number|boolean, dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, p: string, dim?: integer|integer[]|torch.Size, keepdim?: boolean, opts?: {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {p: string, dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number|boolean the exponent; 2 is the Euclidean norm
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.norm(input, p, dim, keepdim, opts) end

--- Normal numbers, each with its own mean and std.
---@overload fun(mean: number, std: number, size: integer|integer[]|torch.Size, opts?: {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(opts?: {mean: number, std: number, size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param mean torch.Tensor|number|boolean
---@param std? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.normal(mean, std, opts) end

--- Vectors along a dim over their p-norm, which counts as eps below it.
---@overload fun(input: torch.Tensor, opts?: {p?: number, dim?: integer|integer[]|torch.Size, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the exponent of the norm
---@param dim? integer|integer[]|torch.Size the dim or dims that hold a vector
---@param eps? number the least to divide by
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.normalize(input, p, dim, eps, opts) end

--- Whether the elements differ.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.not_equal(input, other, opts) end

--- Whether the elements differ.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.not_equal_(input, other, opts) end

--- The number of elements.
---@param x any
---@return integer
function torch.numel(x) end

--- A row for each element, 1 at the class that it names and 0 elsewhere.
---@overload fun(tensor: torch.Tensor, opts?: {num_classes?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param tensor torch.Tensor
---@param num_classes? integer how many classes there are; -1: as many as the largest one says
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.one_hot(tensor, num_classes, opts) end

--- A tensor of ones.
---@overload fun(opts?: {size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ones(size, opts) end

--- As the function without _like, in the shape, dtype and device of input.
---@param input torch.Tensor
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ones_like(input, opts) end

--- The older name of linalg.householder_product.
---@param input torch.Tensor
---@param tau torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.orgqr(input, tau, opts) end

--- The product of reflectors (input, with factors input2) times the matrix input3.
---@overload fun(input: torch.Tensor, tau: torch.Tensor, other: torch.Tensor, opts?: {left?: boolean, transpose?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param tau torch.Tensor
---@param other torch.Tensor
---@param left? boolean the product stands on the left
---@param transpose? boolean the product is transposed
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ormqr(input, tau, other, left, transpose, opts) end

--- The matrix of products of the elements of two vectors.
---@param input torch.Tensor
---@param vec2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.outer(input, vec2, opts) end

--- The p-norm of x1 - x2 + eps over the last dim.
---@overload fun(x1: torch.Tensor, x2: torch.Tensor, opts?: {p?: number, eps?: number, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param x1 torch.Tensor
---@param x2 torch.Tensor
---@param p? number the norm
---@param eps? number added to each difference, so that none is 0
---@param keepdim? boolean keep the last dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.pairwise_distance(x1, x2, p, eps, keepdim, opts) end

--- The same of A less the mean of its rows: principal directions are the columns of V. q: 6 where nil, or as many as there are.
---@param A any
---@param q? any
---@param center? boolean
---@param niter? integer
---@return any
function torch.pca_lowrank(A, q, center, niter) end

--- The p-norms of the differences of all pairs of rows: (1, 2), (1, 3), … (2, 3), …
---@overload fun(input: torch.Tensor, opts?: {p?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the norm: 0 counts differences, inf takes the largest
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.pdist(input, p, opts) end

--- A view with the dims in another order.
---@overload fun(input: torch.Tensor, opts?: {dims: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dims integer|integer[]|torch.Size which dim comes first, second, …
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.permute(input, dims, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param dims any
---@return any
function torch.permute_copy(input, dims) end

--- As linalg.pinv.
---@overload fun(input: torch.Tensor, opts?: {rcond?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param rcond? number singular values up to it times the largest count as 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.pinverse(input, rcond, opts) end

--- […, C r², H, W] as […, C, H r, W r]: channels become pixels between the others.
---@overload fun(input: torch.Tensor, opts?: {upscale_factor: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param upscale_factor integer r
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.pixel_shuffle(input, upscale_factor, opts) end

--- […, C, H r, W r] as […, C r², H, W]: undoes pixel_shuffle.
---@overload fun(input: torch.Tensor, opts?: {downscale_factor: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param downscale_factor integer r
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.pixel_unshuffle(input, downscale_factor, opts) end

--- Poisson distributed numbers, of the rates that input holds.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.poisson(input, opts) end

--- The negated log-likelihood of counts (target) under Poisson distributions of rate exp(input), without its constant.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {log_input?: boolean, full?: boolean, eps?: number, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param log_input? boolean whether input holds logarithms of rates; false: rates
---@param full? boolean add Stirling's approximation of log(target!) for targets above 1
---@param eps? number added to rates before their logarithm is taken
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.poisson_nll_loss(input, target, log_input, full, eps, reduction, opts) end

--- The n-th derivative of digamma.
---@overload fun(opts?: {n: integer, input: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, n: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {n: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param n integer which derivative; not negative
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.polygamma(n, input, opts) end

--- The n-th derivative of digamma.
---@overload fun(opts?: {n: integer, input: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, n: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {n: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param n integer which derivative; not negative
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.polygamma_(n, input, opts) end

--- The elements themselves.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.positive(input, opts) end

--- The elements themselves.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.positive_(input, opts) end

--- Input to the power of exponent.
---@param input torch.Tensor|number|boolean
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.pow(input, exponent, opts) end

--- Input to the power of exponent.
---@param input torch.Tensor|number|boolean
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.pow_(input, exponent, opts) end

--- Each element, times weight where it is negative; one weight, or one per channel.
---@param input torch.Tensor
---@param weight torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.prelu(input, weight, opts) end

--- The order of elements in memory: as the input has it.
---@type any
torch.preserve_format = nil

--- Product over all elements or along one dim.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to reduce; all where nil
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.prod(input, dim, keepdim, opts) end

--- The smallest dtype that holds both.
---@param a any
---@param b any
---@return any
function torch.promote_types(a, b) end

--- Input with source's elements at positions of its flat form.
---@overload fun(input: torch.Tensor, index: torch.Tensor, source: torch.Tensor, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param index torch.Tensor
---@param source torch.Tensor
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.put(input, index, source, accumulate, opts) end

--- Input with source's elements at positions of its flat form.
---@overload fun(input: torch.Tensor, index: torch.Tensor, source: torch.Tensor, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param index torch.Tensor
---@param source torch.Tensor
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.put_(input, index, source, accumulate, opts) end

--- The older form of linalg.qr.
---@overload fun(input: torch.Tensor, opts?: {some?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param some? boolean false: Q is square
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.qr(input, some, opts) end

--- Where a part q of the elements lies below, along a dim or of all.
---@overload fun(input: torch.Tensor, opts?: {q: number, dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, q: torch.Tensor, dim?: integer, keepdim?: boolean, opts?: {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, q: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param q number which part of the elements lies below, from 0 to 1
---@param dim? integer the dim to reduce; nil: all elements as one dim
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.quantile(input, q, dim, keepdim, opts) end

--- Radians as degrees.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.rad2deg(input, opts) end

--- Radians as degrees.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.rad2deg_(input, opts) end

--- A tensor of numbers from [0, 1), all equally likely.
---@overload fun(opts?: {size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.rand(size, opts) end

--- As the function without _like, in the shape, dtype and device of input.
---@param input torch.Tensor
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.rand_like(input, opts) end

--- A tensor of integers from [0, high), all equally likely.
---@overload fun(opts?: {high: integer, size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(low: integer, high: integer, size: integer|integer[]|torch.Size, opts?: {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(opts?: {low: integer, high: integer, size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param high integer integers stay below it
---@param size integer|integer[]|torch.Size the shape
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.randint(high, size, opts) end

--- Integers from [0, high) in the shape, dtype and device of input.
---@overload fun(input: torch.Tensor, opts?: {high: integer, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, low: integer, high: integer, opts?: {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {low: integer, high: integer, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param high integer integers stay below it
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.randint_like(input, high, opts) end

--- A tensor of normal numbers with mean 0 and deviation 1.
---@overload fun(opts?: {size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.randn(size, opts) end

--- As the function without _like, in the shape, dtype and device of input.
---@param input torch.Tensor
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.randn_like(input, opts) end

--- The n first positions in random order.
---@overload fun(opts?: {n: integer, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param n integer how many
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.randperm(n, opts) end

--- Numbers from start, step apart, up to end and including it.
---@overload fun(opts?: {start: number|boolean, stop: number|boolean, step?: number|boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param start number|boolean the first number
---@param end_ number|boolean the last number
---@param step? number|boolean the distance between numbers
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.range(start, end_, step, opts) end

--- One dim of all elements.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.ravel(input, opts) end

--- x itself: luth has no complex numbers.
---@param x any
---@return any
function torch.real(x) end

--- 1 over each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.reciprocal(input, opts) end

--- 1 over each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.reciprocal_(input, opts) end

--- Each element, or 0 where it is negative.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.relu(input, opts) end

--- Each element, not below 0 and not above 6.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.relu6(input, opts) end

--- Each element, not below 0 and not above 6.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.relu6_(input, opts) end

--- Each element, or 0 where it is negative.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.relu_(input, opts) end

--- input - other * floor(input / other): the sign is other's.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.remainder(input, other, opts) end

--- input - other * floor(input / other): the sign is other's.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.remainder_(input, other, opts) end

--- Slices along a dim whose p-norm is above maxnorm, brought down to it.
---@overload fun(input: torch.Tensor, opts?: {p: number|boolean, dim: integer, maxnorm: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p number|boolean the exponent of the norm, above 0
---@param dim integer the dim whose positions are the slices
---@param maxnorm number|boolean the largest norm
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.renorm(input, p, dim, maxnorm, opts) end

--- Slices along a dim whose p-norm is above maxnorm, brought down to it.
---@overload fun(input: torch.Tensor, opts?: {p: number|boolean, dim: integer, maxnorm: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p number|boolean the exponent of the norm, above 0
---@param dim integer the dim whose positions are the slices
---@param maxnorm number|boolean the largest norm
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.renorm_(input, p, dim, maxnorm, opts) end

--- Each position along a dim, or each element, repeated.
---@overload fun(input: torch.Tensor, opts?: {repeats: integer, dim?: integer, output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, repeats: torch.Tensor, dim?: integer, opts?: {output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, repeats: torch.Tensor, opts?: {dim?: integer, output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(repeats: torch.Tensor, opts?: {output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param repeats integer how often
---@param dim? integer the dim; nil: of all elements as one dim
---@param opts? {output_size?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.repeat_interleave(input, repeats, dim, opts) end

--- Begins the peak anew.
---@param device? any
---@return any
function torch.reset_peak_memory_stats(device) end

--- Another shape; a view where strides allow it, else a copy. One extent may be -1.
---@overload fun(input: torch.Tensor, opts?: {shape: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param shape integer|integer[]|torch.Size the new shape
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.reshape(input, shape, opts) end

--- Changes the shape of x in place to that of the_template.
---@param x any
---@param the_template any
---@return any
function torch.resize_as_(x, the_template) end

--- x itself: luth has no complex numbers.
---@param x any
---@return any
function torch.resolve_conj(x) end

--- x itself: no view of luth negates what it shows.
---@param x any
---@return any
function torch.resolve_neg(x) end

--- The dtype of a + b, for tensors and numbers.
---@param a any
---@param b any
---@return any
function torch.result_type(a, b) end

--- Over the root of the mean of squares of the last dims, times weight.
---@overload fun(input: torch.Tensor, opts?: {normalized_shape: integer|integer[]|torch.Size, weight?: torch.Tensor, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param normalized_shape integer|integer[]|torch.Size the last extents of input, over which to normalise
---@param weight? torch.Tensor
---@param eps? number added to the mean of squares; nil: the float dtype's epsilon
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.rms_norm(input, normalized_shape, weight, eps, opts) end

--- The tensor moved along some dims; what leaves at one end comes in at the other.
---@overload fun(input: torch.Tensor, opts?: {shifts: integer|integer[]|torch.Size, dims?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param shifts integer|integer[]|torch.Size how far along each of dims, towards the end
---@param dims? integer|integer[]|torch.Size the dims; none: along all elements as one dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.roll(input, shifts, dims, opts) end

--- The tensor turned by right angles in the plane of two dims.
---@overload fun(input: torch.Tensor, opts?: {k?: integer, dims?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param k? integer how many right angles, from the first of dims towards the second
---@param dims? integer|integer[]|torch.Size the plane
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.rot90(input, k, dims, opts) end

--- The nearest integer to each element, halves to even; to `decimals` places.
---@param input torch.Tensor
---@param opts? {decimals?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.round(input, opts) end

--- The nearest integer to each element, halves to even; to `decimals` places.
---@param input torch.Tensor
---@param opts? {decimals?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.round_(input, opts) end

--- The tensors below each other, vectors as rows.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.row_stack(tensors, opts) end

--- Each element, times a slope from [lower, upper] where it is negative.
---@overload fun(input: torch.Tensor, opts?: {lower?: number, upper?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param lower? number the least slope
---@param upper? number the greatest slope
---@param training? boolean draw a slope for each element; otherwise all take the mean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.rrelu(input, lower, upper, training, opts) end

--- Each element, times a slope from [lower, upper] where it is negative.
---@overload fun(input: torch.Tensor, opts?: {lower?: number, upper?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param lower? number the least slope
---@param upper? number the greatest slope
---@param training? boolean draw a slope for each element; otherwise all take the mean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.rrelu_(input, lower, upper, training, opts) end

--- 1 over the square root of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.rsqrt(input, opts) end

--- 1 over the square root of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.rsqrt_(input, opts) end

--- Other less alpha times input.
---@overload fun(input: torch.Tensor, other: torch.Tensor|number|boolean, opts?: {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param alpha? number|boolean multiplies input
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.rsub(input, other, alpha, opts) end

--- Writes a tensor, number, string, boolean, state dict or nested table into a file, all at once or not at all.
---@param value any
---@param path any
---@return any
function torch.save(value, path) end

--- A tensor without dims that holds a number.
---@overload fun(opts?: {s: number|boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param s number|boolean the number
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.scalar_tensor(s, opts) end

--- softmax(query @ key^T * scale + mask) @ value.
---@overload fun(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask?: torch.Tensor, opts?: {dropout_p?: number, is_causal?: boolean, scale?: number, enable_gqa?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param query torch.Tensor
---@param key torch.Tensor
---@param value torch.Tensor
---@param attn_mask? torch.Tensor
---@param dropout_p? number the probability with which a weight becomes 0
---@param is_causal? boolean whether query i looks at keys up to i alone; attn_mask must be nil
---@param opts? {scale?: number, enable_gqa?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, opts) end

--- Input with src's elements written to the positions along a dim that index gives; the last of several writes to one place stays.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, opts?: {reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {reduce?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.scatter(input, dim, index, src, opts) end

--- Input with src's elements written to the positions along a dim that index gives; the last of several writes to one place stays.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, opts?: {reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {reduce?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.scatter_(input, dim, index, src, opts) end

--- Input with src's elements added at the positions along a dim that index gives, in order.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.scatter_add(input, dim, index, src, opts) end

--- Input with src's elements added at the positions along a dim that index gives, in order.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.scatter_add_(input, dim, index, src, opts) end

--- Input with src's elements joined to the positions along a dim that index gives; elements that nothing is joined to stay.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.scatter_reduce(input, dim, index, src, reduce, opts) end

--- Input with src's elements joined to the positions along a dim that index gives; elements that nothing is joined to stay.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.scatter_reduce_(input, dim, index, src, reduce, opts) end

--- Where elements would have to be inserted into rows in ascending order to keep it.
---@param sorted_sequence torch.Tensor
---@param values torch.Tensor|number|boolean
---@param opts? {sorter?: torch.Tensor, out_int32?: boolean, right?: boolean, side?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.searchsorted(sorted_sequence, values, opts) end

--- Begins all streams of random numbers anew with a seed by chance, which is the result.
---@return any
function torch.seed() end

--- A view of one position along a dim, which goes away.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim
---@param index integer the position
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.select(input, dim, index, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param dim any
---@param index any
---@return any
function torch.select_copy(input, dim, index) end

--- Input with src at one position along a dim.
---@overload fun(input: torch.Tensor, src: torch.Tensor, opts?: {dim: integer, index: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param src torch.Tensor
---@param dim integer the dim
---@param index integer the position
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.select_scatter(input, src, dim, index, opts) end

--- elu scaled so that layers keep mean 0 and variance 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.selu(input, opts) end

--- elu scaled so that layers keep mean 0 and variance 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.selu_(input, opts) end

--- Sets anomaly mode: torch.autograd.set_detect_anomaly without a scope.
---@param enabled any
---@param check_nan? boolean
---@return any
function torch.set_anomaly_enabled(enabled, check_nan) end

--- Sets where new tensors lie; nil: the CPU.
---@param device any
---@return any
function torch.set_default_device(device) end

--- Sets the dtype of float numbers.
---@param dtype any
---@return any
function torch.set_default_dtype(dtype) end

--- 'highest': float32 matrix products in full; 'high' and 'medium': on a GPU inputs may be rounded to 10 bits (TF32), as torch.backends.cuda.matmul.allow_tf32 = true.
---@param precision any
---@return any
function torch.set_float32_matmul_precision(precision) end

--- Sets the mode, until the scope that it returns is closed, or while f runs.
---@param on any
---@param f? any
---@param ... any
---@return any
function torch.set_grad_enabled(on, f, ...) end

--- Prints on stderr where each operator runs: 'matmul: cuda:0'. So do LUTH_LOG_PLACEMENT=1 and --log-device-placement.
---@param on any
---@return any
function torch.set_log_device_placement(on) end

--- Sets the threads that operators use.
---@param n any
---@return any
function torch.set_num_threads(n) end

--- How tensors print.
---@param opts? {precision?: any, threshold?: any, edgeitems?: any, linewidth?: any, sci_mode?: any, profile?: any}
---@return any
function torch.set_printoptions(opts) end

--- Goes back to where get_rng_state was called, on the CPU or on the device.
---@param state any
---@param device? any
---@return any
function torch.set_rng_state(state, device) end

--- -1, 0 or 1 by the sign of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sgn(input, opts) end

--- -1, 0 or 1 by the sign of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sgn_(input, opts) end

--- A dtype: integers of 2 bytes. It has is_floating_point and itemsize.
---@type any
torch.short = nil

--- 1 / (1 + exp(-x)) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sigmoid(input, opts) end

--- 1 / (1 + exp(-x)) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sigmoid_(input, opts) end

--- -1, 0 or 1 by the sign of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sign(input, opts) end

--- -1, 0 or 1 by the sign of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sign_(input, opts) end

--- Whether the sign of each element is minus; -0 has it too.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signbit(input, opts) end

--- Each element times its sigmoid.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.silu(input, opts) end

--- Each element times its sigmoid.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.silu_(input, opts) end

--- Sine of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sin(input, opts) end

--- Sine of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sin_(input, opts) end

--- sin(pi x) / (pi x), and 1 at 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sinc(input, opts) end

--- sin(pi x) / (pi x), and 1 at 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sinc_(input, opts) end

--- Hyperbolic sine of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sinh(input, opts) end

--- Hyperbolic sine of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sinh_(input, opts) end

--- The positions from start to end, which is included, in memory of their own.
---@param input any
---@param dim? integer
---@param start? integer
---@param argument4? any
---@param step? integer
---@return any
function torch.slice_copy(input, dim, start, argument4, step) end

--- Input with src at positions start, start + step, … of a dim.
---@overload fun(input: torch.Tensor, src: torch.Tensor, opts?: {dim?: integer, start?: integer, stop?: integer, step?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param src torch.Tensor
---@param dim? integer the dim
---@param start? integer the first position; nil: the first of the dim
---@param end_? integer where the positions stop; nil: at the end of the dim
---@param step? integer the distance between positions
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.slice_scatter(input, src, dim, start, end_, step, opts) end

--- As linalg.slogdet.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.slogdet(input, opts) end

--- Squared differences over 2 beta below beta, absolute ones less beta / 2 above.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, beta?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param beta? number where it turns from square to absolute; at least 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.smooth_l1_loss(input, target, reduction, beta, opts) end

--- log(1 + exp(-target * input)) for targets 1 and -1.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.soft_margin_loss(input, target, reduction, opts) end

--- Exponentials along a dim, scaled to sum to one.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that sums to one
---@param dtype? torch.dtype|string convert to this dtype first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.softmax(input, dim, dtype, opts) end

--- Softmax of the negated input.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that sums to one
---@param dtype? torch.dtype|string convert to this dtype first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.softmin(input, dim, dtype, opts) end

--- log(1 + exp(beta x)) / beta; x itself where beta x is above threshold.
---@overload fun(input: torch.Tensor, opts?: {beta?: number, threshold?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param beta? number the larger, the sharper the bend
---@param threshold? number above it the function is x
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.softplus(input, beta, threshold, opts) end

--- Each element moved towards 0 by lambd, and 0 where it would pass it.
---@overload fun(input: torch.Tensor, opts?: {lambd?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param lambd? number by how much; not negative
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.softshrink(input, lambd, opts) end

--- x / (1 + |x|) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.softsign(input, opts) end

--- The elements along a dim in order, and where they were.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, descending?: boolean, stable?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to sort along
---@param descending? boolean the largest first
---@param opts? {stable?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.sort(input, dim, descending, opts) end

--- Parts of split_size positions along a dim; the last may be smaller.
---@overload fun(tensor: torch.Tensor, opts?: {split_size_or_sections: integer, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(tensor: torch.Tensor, split_size_or_sections: number|number[], dim?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(tensor: torch.Tensor, opts?: {split_size_or_sections: number|number[], dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param tensor torch.Tensor
---@param split_size_or_sections integer positions in each part
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.split(tensor, split_size_or_sections, dim, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param split_size any
---@param dim? integer
---@return any
function torch.split_copy(input, split_size, dim) end

--- Parts of the given sizes along a dim.
---@overload fun(input: torch.Tensor, opts?: {split_sizes: number|number[], dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param split_sizes number|number[] the size of each part
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.split_with_sizes(input, split_sizes, dim, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param split_sizes any
---@param dim? integer
---@return any
function torch.split_with_sizes_copy(input, split_sizes, dim) end

--- Square root of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sqrt(input, opts) end

--- Square root of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sqrt_(input, opts) end

--- Each element times itself.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.square(input, opts) end

--- Each element times itself.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.square_(input, opts) end

--- A view without dims of extent 1: all of them, or those named.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dims to drop, if their extent is 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.squeeze(input, dim, opts) end

--- A view without dims of extent 1: all of them, or those named.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dims to drop, if their extent is 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.squeeze_(input, dim, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param dim? any
---@return any
function torch.squeeze_copy(input, dim) end

--- The tensors, all of one shape, side by side along a new dim.
---@overload fun(tensors: torch.Tensor[], opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param tensors torch.Tensor[]
---@param dim? integer where the new dim stands
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.stack(tensors, dim, opts) end

--- Standard deviation over dims: the square root of var.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, unbiased?: boolean, keepdim?: boolean, correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, unbiased: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {unbiased: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param unbiased? boolean false: the same as correction 0
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.std(input, dim, unbiased, keepdim, opts) end

--- Standard deviation and mean over dims.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, unbiased?: boolean, keepdim?: boolean, correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, unbiased: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {unbiased: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param unbiased? boolean false: the same as correction 0
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.std_mean(input, dim, unbiased, keepdim, opts) end

--- Input less alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sub(input, other, opts) end

--- Input less alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sub_(input, other, opts) end

--- Input less alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.subtract(input, other, opts) end

--- Input less alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.subtract_(input, other, opts) end

--- Sum over dims; integers and bool accumulate in int64.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.sum(input, dim, keepdim, opts) end

--- The older form of linalg.svd, with V in place of its transpose.
---@overload fun(input: torch.Tensor, opts?: {some?: boolean, compute_uv?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param some? boolean min(m, n) columns; false: U and V are square
---@param compute_uv? boolean false: U and V are zeros
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.svd(input, some, compute_uv, opts) end

--- U, S and V of the q largest singular values of A, or of A - M, by a random basis and niter steps of power iteration: A is about U diag(S) V^T.
---@param A any
---@param q? integer
---@param niter? integer
---@param M? any
---@return any
function torch.svd_lowrank(A, q, niter, M) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {axis0: integer, axis1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, dim0: integer, dim1: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param axis0 integer one dim
---@param axis1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.swapaxes(input, axis0, axis1, opts) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {axis0: integer, axis1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, dim0: integer, dim1: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param axis0 integer one dim
---@param axis1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.swapaxes_(input, axis0, axis1, opts) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.swapdims(input, dim0, dim1, opts) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.swapdims_(input, dim0, dim1, opts) end

--- The transpose of a matrix; tensors of fewer dims as they are.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.t(input, opts) end

--- The transpose of a matrix; tensors of fewer dims as they are.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.t_(input, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@return any
function torch.t_copy(input) end

--- The elements at positions of the flattened input.
---@param input torch.Tensor
---@param index torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.take(input, index, opts) end

--- Gather, where input and indices broadcast in the other dims; without dim of all elements.
---@overload fun(input: torch.Tensor, indices: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param indices torch.Tensor
---@param dim? integer the dim that indices count along; nil: all elements as one dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.take_along_dim(input, indices, dim, opts) end

--- Tangent of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.tan(input, opts) end

--- Tangent of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.tan_(input, opts) end

--- Hyperbolic tangent of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.tanh(input, opts) end

--- Hyperbolic tangent of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.tanh_(input, opts) end

--- x - tanh(x) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.tanhshrink(input, opts) end

--- A tensor of a number, a boolean, nested tables of them, the bytes of a string (uint8), or a copy of a tensor.
---@param data any
---@param opts? {dtype?: any, device?: any, requires_grad?: boolean}
---@return any
function torch.tensor(data, opts) end

--- Parts along a dim; where they cannot be equal the first are larger.
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: integer, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: number|number[], dim?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: number|number[], dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: torch.Tensor, dim?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param indices_or_sections integer how many parts
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.tensor_split(input, indices_or_sections, dim, opts) end

--- Sums of products over the last `dims` dims of a and the first of b.
---@overload fun(a: torch.Tensor, b: torch.Tensor, opts?: {dims?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(a: torch.Tensor, b: torch.Tensor, dims: number|number[], opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(a: torch.Tensor, b: torch.Tensor, opts?: {dims: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param a torch.Tensor
---@param b torch.Tensor
---@param dims? integer how many dims to sum over
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.tensordot(a, b, dims, opts) end

--- Each element, or value where it is not above threshold.
---@overload fun(input: torch.Tensor, opts?: {threshold: number|boolean, value: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param threshold number|boolean elements above it stay
---@param value number|boolean what the others become
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.threshold(input, threshold, value, opts) end

--- Each element, or value where it is not above threshold.
---@overload fun(input: torch.Tensor, opts?: {threshold: number|boolean, value: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param threshold number|boolean elements above it stay
---@param value number|boolean what the others become
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.threshold_(input, threshold, value, opts) end

--- Copies of the tensor side by side, as repeat; numbers for the last dims may stand alone.
---@overload fun(input: torch.Tensor, opts?: {dims: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dims integer|integer[]|torch.Size how often along each dim, the last of them last
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.tile(input, dims, opts) end

--- The k largest elements along a dim, and where they are.
---@overload fun(input: torch.Tensor, opts?: {k: integer, dim?: integer, largest?: boolean, sorted?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param k integer how many
---@param dim? integer the dim
---@param largest? boolean false: the smallest
---@param sorted? boolean in order; luth always sorts them
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.topk(input, k, dim, largest, sorted, opts) end

--- The sum of a matrix's main diagonal.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.trace(input, opts) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.transpose(input, dim0, dim1, opts) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.transpose_(input, dim0, dim1, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param dim0 any
---@param dim1 any
---@return any
function torch.transpose_copy(input, dim0, dim1) end

--- The integral of samples y at points x along a dim, by trapezoids.
---@param y torch.Tensor
---@param x? torch.Tensor
---@param opts? {dx?: number|boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.trapezoid(y, x, opts) end

--- The integral of samples y at points x along a dim, by trapezoids.
---@param y torch.Tensor
---@param x? torch.Tensor
---@param opts? {dx?: number|boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.trapz(y, x, opts) end

--- The lower triangle of matrices, zeros above a diagonal.
---@overload fun(input: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param diagonal? integer the last diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.tril(input, diagonal, opts) end

--- The lower triangle of matrices, zeros above a diagonal.
---@overload fun(input: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param diagonal? integer the last diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.tril_(input, diagonal, opts) end

--- The positions of a lower triangle: rows, then columns.
---@overload fun(opts?: {row: integer, col: integer, offset?: integer, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param row integer rows of the matrix
---@param col integer columns of the matrix
---@param offset? integer the diagonal at which the triangle ends: 0 the main one, 1 above it
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.tril_indices(row, col, offset, opts) end

--- How much nearer than margin the negative is to the anchor, compared with the positive.
---@overload fun(anchor: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor, opts?: {margin?: number, p?: number, eps?: number, swap?: boolean, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param anchor torch.Tensor
---@param positive torch.Tensor
---@param negative torch.Tensor
---@param margin? number the difference of distances wanted; above 0
---@param p? number the exponent of the norm that measures distances
---@param eps? number added to differences
---@param swap? boolean take the negative's distance to the positive where that is less
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction, opts) end

--- The upper triangle of matrices, zeros below a diagonal.
---@overload fun(input: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param diagonal? integer the first diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.triu(input, diagonal, opts) end

--- The upper triangle of matrices, zeros below a diagonal.
---@overload fun(input: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param diagonal? integer the first diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.triu_(input, diagonal, opts) end

--- The positions of an upper triangle: rows, then columns.
---@overload fun(opts?: {row: integer, col: integer, offset?: integer, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param row integer rows of the matrix
---@param col integer columns of the matrix
---@param offset? integer the diagonal at which the triangle ends: 0 the main one, 1 above it
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.triu_indices(row, col, offset, opts) end

--- Input divided by other: a float, whatever they are.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.true_divide(input, other, opts) end

--- Input divided by other: a float, whatever they are.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.true_divide_(input, other, opts) end

--- Each element without its fraction.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.trunc(input, opts) end

--- Each element without its fraction.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.trunc_(input, opts) end

--- 'torch.FloatTensor', 'nn.Linear', or nil for Lua's own values.
---@param x any
---@return any
function torch.typename(x) end

--- A dtype: integers of 1 byte. It has is_floating_point and itemsize.
---@type any
torch.uint8 = nil

--- The positions along a dim as tensors of their own.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.unbind(input, dim, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param dim? integer
---@return any
function torch.unbind_copy(input, dim) end

--- One dim split into several.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, sizes: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to split
---@param sizes integer|integer[]|torch.Size its new extents; one may be -1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.unflatten(input, dim, sizes, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param dimension any
---@param size any
---@param step any
---@return any
function torch.unfold_copy(input, dimension, size, step) end

--- The different elements, or positions along a dim, in ascending order.
---@overload fun(input: torch.Tensor, opts?: {sorted?: boolean, return_inverse?: boolean, return_counts?: boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param sorted? boolean in ascending order; luth always sorts them
---@param return_inverse? boolean also where each element is among the results
---@param return_counts? boolean also how many elements each result stands for
---@param dim? integer compare whole positions along this dim; nil: all elements
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.unique(input, sorted, return_inverse, return_counts, dim, opts) end

--- The elements, or the positions along a dim, without those that equal the one before.
---@overload fun(input: torch.Tensor, opts?: {return_inverse?: boolean, return_counts?: boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param return_inverse? boolean also where each element is among the results
---@param return_counts? boolean also how many elements each result stands for
---@param dim? integer compare whole positions along this dim; nil: all elements
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.unique_consecutive(input, return_inverse, return_counts, dim, opts) end

--- Positions in the flat form of a tensor as positions in each dim.
---@overload fun(indices: torch.Tensor, opts?: {shape: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param indices torch.Tensor
---@param shape integer|integer[]|torch.Size the shape of the tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.unravel_index(indices, shape, opts) end

--- A view with a new dim of extent 1.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer where the new dim stands
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.unsqueeze(input, dim, opts) end

--- A view with a new dim of extent 1.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer where the new dim stands
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.unsqueeze_(input, dim, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param dim any
---@return any
function torch.unsqueeze_copy(input, dim) end

--- Every operator gives the same bits each time, or raises an error that names it.
---@param on any
---@return any
function torch.use_deterministic_algorithms(on) end

--- The powers N - 1, … 1, 0 of each element of a vector, in a new last dim.
---@overload fun(x: torch.Tensor, opts?: {N?: integer, increasing?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param x torch.Tensor
---@param N? integer how many; nil: as many as there are elements
---@param increasing? boolean the powers 0, 1, … N - 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.vander(x, N, increasing, opts) end

--- Variance over dims: squared distances from the mean over n - correction.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, unbiased?: boolean, keepdim?: boolean, correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, unbiased: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {unbiased: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param unbiased? boolean false: the same as correction 0
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.var(input, dim, unbiased, keepdim, opts) end

--- Variance and mean over dims.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, unbiased?: boolean, keepdim?: boolean, correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, unbiased: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {unbiased: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param unbiased? boolean false: the same as correction 0
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.var_mean(input, dim, unbiased, keepdim, opts) end

--- The same as dot, for real numbers.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.vdot(input, other, opts) end

--- The dot products of vectors along a dim; other dims broadcast.
---@param x torch.Tensor
---@param y torch.Tensor
---@param opts? {dim?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.vecdot(x, y, opts) end

--- The elements of the view of that name, in memory of their own, row by row.
---@param input any
---@param size any
---@return any
function torch.view_copy(input, size) end

--- Parts below each other, of the first dim.
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: number|number[], opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param indices_or_sections integer how many equal parts
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function torch.vsplit(input, indices_or_sections, opts) end

--- The tensors below each other, vectors as rows.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.vstack(tensors, opts) end

--- Elements of input where condition is true, of other elsewhere. The condition alone: the positions where it is true, a tensor for each dim, as several values.
---@param condition any
---@param input any
---@param other any
---@return any
function torch.where(condition, input, other) end

--- Input times the logarithm of other; 0 where input is 0.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.xlogy(input, other, opts) end

--- Input times the logarithm of other; 0 where input is 0.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.xlogy_(input, other, opts) end

--- Every element set to 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.zero_(input, opts) end

--- A tensor of zeros.
---@overload fun(opts?: {size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.zeros(size, opts) end

--- As the function without _like, in the shape, dtype and device of input.
---@param input torch.Tensor
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.zeros_like(input, opts) end

--- Gradients beyond x:backward().
torch.autograd = {}

--- A new operator: define function F.forward(ctx, ...) and F.backward(ctx, ...), and call F.apply(...). ctx has save_for_backward, saved_tensors, needs_input_grad, mark_dirty, mark_non_differentiable, set_materialize_grads; its other fields are free.
---@param name any
---@param base? any
---@return any
function torch.autograd.Function(name, base) end

--- x itself: since long, a tensor and a variable are one.
---@param x any
---@param requires_grad? any
---@return any
function torch.autograd.Variable(x, requires_grad) end

--- Backward from several tensors at once.
---@param tensors any
---@param grad_tensors? any
---@param opts? {retain_graph?: any, create_graph?: any, inputs?: any}
---@return any
function torch.autograd.backward(tensors, grad_tensors, opts) end

--- While it is open, a gradient that becomes nan is an error that names the line of the operator.
---@param check_nan? boolean
---@return any
function torch.autograd.detect_anomaly(check_nan) end

--- Records gradients again, inside no_grad.
---@return any
function torch.autograd.enable_grad() end

--- The gradients of outputs by inputs, as several values; leaves no grad behind. What is unused is an error, nil with allow_unused, or zeros with materialize_grads.
---@param outputs any
---@param inputs any
---@param opts? {grad_outputs?: any, retain_graph?: boolean, create_graph?: boolean, allow_unused?: boolean, materialize_grads?: boolean, is_grads_batched?: boolean}
---@return any
function torch.autograd.grad(outputs, inputs, opts) end

--- Compares gradients with finite differences, in float64: true, or an error that says where they differ.
---@param f any
---@param inputs any
---@param opts? {eps?: number, atol?: number, rtol?: number, raise_exception?: boolean}
---@return any
function torch.autograd.gradcheck(f, inputs, opts) end

--- The same for the gradients of gradients.
---@param f any
---@param inputs any
---@param opts? {grad_outputs?: any, eps?: any, atol?: any, rtol?: any, raise_exception?: any}
---@return any
function torch.autograd.gradgradcheck(f, inputs, opts) end

--- As no_grad; and what is made in it stays out of graphs for good: such a tensor is no input of recorded operators that keep it for backward, and cannot be written in place outside. clone() gives an ordinary one.
---@param mode? boolean
---@return any
function torch.autograd.inference_mode(mode) end

--- Nothing is recorded for gradients while the scope is open, or while f runs.
---@return any
function torch.autograd.no_grad() end

--- Sets the mode, until the scope that it returns is closed.
---@param mode any
---@param check_nan? boolean
---@return any
function torch.autograd.set_detect_anomaly(mode, check_nan) end

--- Sets the mode, until the scope that it returns is closed, or while f runs.
---@param on any
---@param f? any
---@param ... any
---@return any
function torch.autograd.set_grad_enabled(on, f, ...) end

--- Jacobians, Hessians, and products with them.
torch.autograd.functional = {}

--- The second derivatives of f, which gives one number.
---@param f any
---@param inputs any
---@param opts? {create_graph?: boolean, strict?: boolean}
---@return any
function torch.autograd.functional.hessian(f, inputs, opts) end

--- f(inputs), and its Hessian times v, by two backward passes.
---@param f any
---@param inputs any
---@param v? any
---@param opts? {create_graph?: boolean, strict?: boolean}
---@return any
function torch.autograd.functional.hvp(f, inputs, v, opts) end

--- The derivatives of f's results by inputs: shape of the result, then of the input; several values for several.
---@param f any
---@param inputs any
---@param opts? {create_graph?: boolean, strict?: boolean}
---@return any
function torch.autograd.functional.jacobian(f, inputs, opts) end

--- f(inputs), and its Jacobian times v, by two backward passes.
---@param f any
---@param inputs any
---@param v? any
---@param opts? {create_graph?: boolean, strict?: boolean}
---@return any
function torch.autograd.functional.jvp(f, inputs, v, opts) end

--- f(inputs), and v times its Hessian.
---@param f any
---@param inputs any
---@param v? any
---@param opts? {create_graph?: boolean, strict?: boolean}
---@return any
function torch.autograd.functional.vhp(f, inputs, v, opts) end

--- f(inputs), and v times its Jacobian; v may be left out where f gives one number. Several inputs or results are tables.
---@param f any
---@param inputs any
---@param v? any
---@param opts? {create_graph?: boolean, strict?: boolean}
---@return any
function torch.autograd.functional.vjp(f, inputs, v, opts) end

--- GPUs.
torch.cuda = {}

--- A point in a stream. It has record, wait, synchronize, query, elapsed_time.
---@param opts? {enable_timing?: boolean}
---@return any
function torch.cuda.Event(opts) end

--- An order of execution on a GPU; lower priorities run first. It has device, priority, synchronize, query, wait_stream, wait_event, record_event.
---@param device? any
---@param opts? {priority?: integer}
---@return any
function torch.cuda.Stream(device, opts) end

--- The number, from 0, of the GPU that 'cuda' means.
---@return any
function torch.cuda.current_device() end

--- The stream that this thread gives its work to.
---@param device? any
---@return any
function torch.cuda.current_stream(device) end

--- The stream that is the current one at first.
---@param device? any
---@return any
function torch.cuda.default_stream(device) end

--- 'cuda' means that GPU while the scope is open, or while f runs.
---@param argument1? any
---@return any
function torch.cuda.device(argument1) end

--- The number of GPUs.
---@return any
function torch.cuda.device_count() end

--- Gives cached memory back to the GPUs.
---@return any
function torch.cuda.empty_cache() end

--- The compute capability, as two numbers: 9, 0.
---@param device? any
---@return any
function torch.cuda.get_device_capability(device) end

--- What a GPU calls itself.
---@param device? any
---@return any
function torch.cuda.get_device_name(device) end

--- A table: name, total_memory, major, minor, multi_processor_count, pci_bus_id, driver, code (what this luth has code for).
---@param device? any
---@return any
function torch.cuda.get_device_properties(device) end

--- Where a GPU's random numbers are, as a tensor of the CPU.
---@param device? any
---@return any
function torch.cuda.get_rng_state(device) end

--- How often luth has waited for GPUs: by item(), tolist(), printing, copies to the CPU, synchronize().
---@param device? any
---@return any
function torch.cuda.host_waits(device) end

--- Whether there is a GPU that luth can use; `luth doctor` says why not.
---@return any
function torch.cuda.is_available() end

--- Whether a GPU computes with bfloat16.
---@return any
function torch.cuda.is_bf16_supported() end

--- Whether CUDA has been opened.
---@return any
function torch.cuda.is_initialized() end

--- Begins the current GPU's random numbers anew; nothing without a GPU.
---@param seed any
---@return any
function torch.cuda.manual_seed(seed) end

--- Begins every GPU's random numbers anew.
---@param seed any
---@return any
function torch.cuda.manual_seed_all(seed) end

--- The most bytes that tensors have held since reset_peak_memory_stats().
---@param device? any
---@return any
function torch.cuda.max_memory_allocated(device) end

--- The most bytes that luth has had from the GPU.
---@param device? any
---@return any
function torch.cuda.max_memory_reserved(device) end

--- Bytes that are free on the GPU, by its driver, and bytes that it has in all: two values.
---@param device? any
---@return any
function torch.cuda.mem_get_info(device) end

--- Bytes that tensors hold.
---@param device? any
---@return any
function torch.cuda.memory_allocated(device) end

--- Bytes that luth has from the GPU: what tensors hold and what is cached for others.
---@param device? any
---@return any
function torch.cuda.memory_reserved(device) end

--- A table of counts under PyTorch's names: ['allocated_bytes.all.current'] and so on.
---@param device? any
---@return any
function torch.cuda.memory_stats(device) end

--- A text: what tensors hold, what is reserved and cached, and the peaks.
---@param device? any
---@return any
function torch.cuda.memory_summary(device) end

--- Begins the peaks anew.
---@param device? any
---@return any
function torch.cuda.reset_peak_memory_stats(device) end

--- Sets the GPU that 'cuda' means.
---@param device any
---@return any
function torch.cuda.set_device(device) end

--- Goes back to where get_rng_state was called.
---@param state any
---@param device? any
---@return any
function torch.cuda.set_rng_state(state, device) end

--- Makes s the current stream, and its device the current one.
---@param s any
---@return any
function torch.cuda.set_stream(s) end

--- Which GPUs luth sees; before the first use of CUDA.
---@param argument1? any
---@param argument2? any
---@return any
function torch.cuda.set_visible_devices(argument1, argument2) end

--- s is the current stream while the scope is open, or while f runs.
---@param s any
---@return any
function torch.cuda.stream(s) end

--- Waits until all work of the GPU is done, and raises the errors of kernels.
---@param device? any
---@return any
function torch.cuda.synchronize(device) end

--- Linear algebra: solutions, factors, norms of matrices; all take stacks of matrices.
torch.linalg = {}

--- The lower triangular L of a symmetric positive definite L Lᵀ.
---@param A torch.Tensor
---@param opts? {upper?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.cholesky(A, opts) end

--- The lower triangular L of a symmetric positive definite L Lᵀ; info is the order of the first leading minor that is not positive, or 0.
---@param A torch.Tensor
---@param opts? {upper?: boolean, check_errors?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.cholesky_ex(A, opts) end

--- How much a matrix can amplify errors: the largest singular value by the smallest, or the product of the norms of the matrix and its inverse.
---@overload fun(A: torch.Tensor, opts?: {p?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(A: torch.Tensor, p: string, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(A: torch.Tensor, opts?: {p: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param A torch.Tensor
---@param p? number nil or 2, -2 (the smallest by the largest), 1, -1, inf or -inf
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.cond(A, p, opts) end

--- The cross products of vectors of 3 elements along a dim; other dims broadcast.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {dim?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.cross(input, other, opts) end

--- The determinants of matrices.
---@param A torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.det(A, opts) end

--- A view of the diagonals of matrices; as diagonal of the last dims.
---@param A torch.Tensor
---@param opts? {offset?: integer, dim1?: integer, dim2?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.diagonal(A, opts) end

--- Eigenvalues and eigenvectors, as columns of length 1, of matrices all of whose eigenvalues are real; throws where one is not.
---@param A torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.eig(A, opts) end

--- Eigenvalues, ascending, and eigenvectors, as columns, of symmetric matrices.
---@overload fun(A: torch.Tensor, opts?: {UPLO?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param A torch.Tensor
---@param UPLO? string 'L' or 'U': the triangle that is read
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.eigh(A, UPLO, opts) end

--- The eigenvalues of matrices, in no order; throws where one is not real.
---@param A torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.eigvals(A, opts) end

--- The eigenvalues of symmetric matrices, ascending.
---@overload fun(A: torch.Tensor, opts?: {UPLO?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param A torch.Tensor
---@param UPLO? string 'L' or 'U': the triangle that is read
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.eigvalsh(A, UPLO, opts) end

--- The first columns of a product of reflectors, as geqrf gives them.
---@param A torch.Tensor
---@param tau torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.householder_product(A, tau, opts) end

--- The inverses of matrices.
---@param A torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.inv(A, opts) end

--- The inverses of matrices, and info: the first zero on the diagonal of U, counted from 1, or 0.
---@param A torch.Tensor
---@param opts? {check_errors?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.inv_ex(A, opts) end

--- L D Lᵀ of a symmetric matrix in LAPACK's form, with the exchanges of rows.
---@param A torch.Tensor
---@param opts? {hermitian?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.ldl_factor(A, opts) end

--- L D Lᵀ of a symmetric matrix in LAPACK's form, with the exchanges of rows; info is the first zero on D's diagonal, counted from 1, or 0.
---@param A torch.Tensor
---@param opts? {hermitian?: boolean, check_errors?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.ldl_factor_ex(A, opts) end

--- The solution X of A X = B from what ldl_factor gives of A.
---@param LD torch.Tensor
---@param pivots torch.Tensor
---@param B torch.Tensor
---@param opts? {hermitian?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.ldl_solve(LD, pivots, B, opts) end

--- The X of least length that makes the squares of A X - b least. Residuals are there for more rows than columns, full rank and drivers other than gelsy; else they are empty.
---@overload fun(A: torch.Tensor, B: torch.Tensor, opts?: {rcond?: number, driver?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@param A torch.Tensor
---@param B torch.Tensor
---@param rcond? number singular values below it times the largest count as 0; nil: by the dtype
---@param opts? {driver?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.lstsq(A, B, rcond, opts) end

--- A = P L U: a permutation, a unit lower and an upper triangular matrix.
---@param A torch.Tensor
---@param opts? {pivot?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.lu(A, opts) end

--- The factors of A = P L U in one matrix, with the exchanges of rows, counted from 1.
---@param A torch.Tensor
---@param opts? {pivot?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.lu_factor(A, opts) end

--- The factors of A = P L U in one matrix, with the exchanges of rows, counted from 1; info is the first zero on U's diagonal, counted from 1, or 0.
---@param A torch.Tensor
---@param opts? {pivot?: boolean, check_errors?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.lu_factor_ex(A, opts) end

--- The solution X of A X = B, or X A = B, from what lu_factor gives of A.
---@param LU torch.Tensor
---@param pivots torch.Tensor
---@param B torch.Tensor
---@param opts? {left?: boolean, adjoint?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.lu_solve(LU, pivots, B, opts) end

--- The product of vectors, matrices or batches of matrices; batch dims broadcast.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.matmul(input, other, opts) end

--- The exponentials of matrices: I + A + A²/2 + A³/6 + …
---@param A torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.matrix_exp(A, opts) end

--- An operator norm of matrices.
---@overload fun(A: torch.Tensor, opts?: {ord: number|boolean, dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(A: torch.Tensor, ord?: string, dim?: integer|integer[]|torch.Size, keepdim?: boolean, opts?: {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(A: torch.Tensor, opts?: {ord?: string, dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param A torch.Tensor
---@param ord number|boolean 2, -2: the largest, smallest singular value; 1, -1: the largest, smallest sum of the sizes in a column; inf, -inf: in a row
---@param dim? integer|integer[]|torch.Size the two dims of the matrices
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.matrix_norm(A, ord, dim, keepdim, opts) end

--- The n-th powers of matrices; of their inverses for n < 0.
---@overload fun(A: torch.Tensor, opts?: {n: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param A torch.Tensor
---@param n integer the exponent
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.matrix_power(A, n, opts) end

--- How many singular values are larger than max(atol, rtol * the largest). Without rtol it is the dtype's precision times the larger extent, or 0 with an atol.
---@param A torch.Tensor
---@param opts? {atol?: torch.Tensor|number|boolean, rtol?: torch.Tensor|number|boolean, hermitian?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.matrix_rank(A, opts) end

--- The square roots of symmetric positive definite matrices, which are such matrices too.
---@param A torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.matrix_sqrth(A, opts) end

--- The product of several matrices, in the cheapest order; the first and the last may be vectors.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.multi_dot(tensors, opts) end

--- A norm of vectors (one dim, or a tensor of one dim) or of matrices (two); without ord, the root of the sum of squares over dims.
---@overload fun(input: torch.Tensor, opts?: {ord?: number|boolean, dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, ord: string, dim?: integer|integer[]|torch.Size, keepdim?: boolean, opts?: {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {ord: string, dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param ord? number|boolean see linalg.vector_norm and linalg.matrix_norm
---@param dim? integer|integer[]|torch.Size one dim of vectors or two of matrices; nil: all
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.norm(input, ord, dim, keepdim, opts) end

--- The pseudo-inverses of matrices: singular values up to max(atol, rtol * the largest) count as 0. Without rtol it is the dtype's precision times the larger extent, or 0 with an atol.
---@param A torch.Tensor
---@param opts? {atol?: torch.Tensor|number|boolean, rtol?: torch.Tensor|number|boolean, hermitian?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.pinv(A, opts) end

--- A = U H: orthonormal columns and a symmetric matrix without negative eigenvalues.
---@param A torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.polar(A, opts) end

--- A = Q R: orthonormal columns and an upper triangular matrix.
---@overload fun(A: torch.Tensor, opts?: {mode?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param A torch.Tensor
---@param mode? string 'reduced': min(m, n) columns; 'complete': Q is square; 'r': R alone, Q is empty
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.qr(A, mode, opts) end

--- The signs of the determinants, and the logarithms of their sizes.
---@param A torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.slogdet(A, opts) end

--- The solution X of A X = B, or X A = B; B is a batch of matrices or of vectors.
---@param A torch.Tensor
---@param B torch.Tensor
---@param opts? {left?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.solve(A, B, opts) end

--- The solution X of A X = B, or X A = B, and info: the first zero on the diagonal of A's U, counted from 1, or 0.
---@param A torch.Tensor
---@param B torch.Tensor
---@param opts? {left?: boolean, check_errors?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.solve_ex(A, B, opts) end

--- The solution X of A X = B, or X A = B, for a triangular A; its other triangle is not read.
---@param A torch.Tensor
---@param B torch.Tensor
---@param opts? {upper: boolean, left?: boolean, unitriangular?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.solve_triangular(A, B, opts) end

--- A = U diag(S) Vh: orthonormal columns and rows; S descends.
---@overload fun(A: torch.Tensor, opts?: {full_matrices?: boolean, driver?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param A torch.Tensor
---@param full_matrices? boolean U and Vh are square; else they have min(m, n) columns and rows
---@param opts? {driver?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.linalg.svd(A, full_matrices, opts) end

--- The singular values of matrices, descending.
---@param A torch.Tensor
---@param opts? {driver?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.svdvals(A, opts) end

--- The inverse of the map from the last dims of the tensor to its first `ind`.
---@overload fun(A: torch.Tensor, opts?: {ind?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param A torch.Tensor
---@param ind? integer how many dims are the first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.tensorinv(A, ind, opts) end

--- The X with tensordot(input, X) = other over all dims of X.
---@overload fun(A: torch.Tensor, B: torch.Tensor, opts?: {dims?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param A torch.Tensor
---@param B torch.Tensor
---@param dims? integer|integer[]|torch.Size dims of input to move to its end first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.tensorsolve(A, B, dims, opts) end

--- The powers 0, 1, … N - 1 of each element, in a new last dim.
---@param x torch.Tensor
---@param opts? {N?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.vander(x, opts) end

--- The dot products of vectors along a dim; other dims broadcast.
---@param x torch.Tensor
---@param y torch.Tensor
---@param opts? {dim?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.vecdot(x, y, opts) end

--- The ord-norm of vectors along dims, or of all elements.
---@overload fun(x: torch.Tensor, opts?: {ord?: number|boolean, dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param x torch.Tensor
---@param ord? number|boolean the exponent; inf, -inf: the largest, smallest size; 0: how many are not 0
---@param dim? integer|integer[]|torch.Size the dim or dims; all where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.linalg.vector_norm(x, ord, dim, keepdim, opts) end

--- torch.signal.windows.
torch.signal = {}

--- Windows: weights of the samples of a signal.
torch.signal.windows = {}

--- A triangle that begins and ends at 0.
---@overload fun(opts?: {M: integer, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param M integer how many numbers
---@param opts? {sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signal.windows.bartlett(M, opts) end

--- Blackman's window: three cosine terms.
---@overload fun(opts?: {M: integer, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param M integer how many numbers
---@param opts? {sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signal.windows.blackman(M, opts) end

--- Half a sine wave.
---@overload fun(opts?: {M: integer, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param M integer how many numbers
---@param opts? {sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signal.windows.cosine(M, opts) end

--- exp(-|i - center| / tau).
---@overload fun(opts?: {M: integer, center?: number, tau?: number, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param M integer how many numbers
---@param opts? {center?: number, tau?: number, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signal.windows.exponential(M, opts) end

--- A bell of the given standard deviation.
---@overload fun(opts?: {M: integer, std?: number, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param M integer how many numbers
---@param opts? {std?: number, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signal.windows.gaussian(M, opts) end

--- A sum of cosines with the given weights, whose signs alternate.
---@overload fun(opts?: {M: integer, a: number|number[], sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param M integer how many numbers
---@param opts? {a: number|number[], sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signal.windows.general_cosine(M, opts) end

--- alpha - (1 - alpha) cos(2 pi i / n).
---@overload fun(opts?: {M: integer, alpha?: number, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param M integer how many numbers
---@param opts? {alpha?: number, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signal.windows.general_hamming(M, opts) end

--- Hamming's window: 0.54 - 0.46 cos(2 pi i / n).
---@overload fun(opts?: {M: integer, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param M integer how many numbers
---@param opts? {sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signal.windows.hamming(M, opts) end

--- Hann's window: (1 - cos(2 pi i / n)) / 2.
---@overload fun(opts?: {M: integer, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param M integer how many numbers
---@param opts? {sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signal.windows.hann(M, opts) end

--- Kaiser's window, by the modified Bessel function of order 0.
---@overload fun(opts?: {M: integer, beta?: number, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param M integer how many numbers
---@param opts? {beta?: number, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signal.windows.kaiser(M, opts) end

--- Nuttall's window: four cosine terms.
---@overload fun(opts?: {M: integer, sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param M integer how many numbers
---@param opts? {sym?: boolean, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.signal.windows.nuttall(M, opts) end

--- Special functions of each element.
torch.special = {}

--- Airy's function of the first kind.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.airy_ai(input, opts) end

--- The Bessel function of the first kind, of order 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.bessel_j0(input, opts) end

--- The Bessel function of the first kind, of order 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.bessel_j1(input, opts) end

--- The Bessel function of the second kind, of order 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.bessel_y0(input, opts) end

--- The Bessel function of the second kind, of order 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.bessel_y1(input, opts) end

--- The Chebyshev polynomial of the first kind.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.chebyshev_polynomial_t(input, n, opts) end

--- The Chebyshev polynomial of the second kind.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.chebyshev_polynomial_u(input, n, opts) end

--- The Chebyshev polynomial of the third kind.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.chebyshev_polynomial_v(input, n, opts) end

--- The Chebyshev polynomial of the fourth kind.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.chebyshev_polynomial_w(input, n, opts) end

--- The derivative of lgamma.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.digamma(input, opts) end

--- -x log(x): 0 at 0, minus infinity below.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.entr(input, opts) end

--- Error function of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.erf(input, opts) end

--- 1 - erf(x), accurate where erf is near 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.erfc(input, opts) end

--- exp(x²) erfc(x), without overflow to the right.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.erfcx(input, opts) end

--- The number whose erf is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.erfinv(input, opts) end

--- 2 to the power of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.exp2(input, opts) end

--- 1 / (1 + exp(-x)) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.expit(input, opts) end

--- exp(x) - 1, accurate near 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.expm1(input, opts) end

--- The regularised lower incomplete gamma function.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.gammainc(input, other, opts) end

--- The regularised upper incomplete gamma function.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.gammaincc(input, other, opts) end

--- The logarithm of the absolute value of the gamma function.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.gammaln(input, opts) end

--- The physicist's Hermite polynomial.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.hermite_polynomial_h(input, n, opts) end

--- The probabilist's Hermite polynomial.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.hermite_polynomial_he(input, n, opts) end

--- The modified Bessel function of the first kind, of order 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.i0(input, opts) end

--- exp(-|x|) i0(x).
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.i0e(input, opts) end

--- The modified Bessel function of the first kind, of order 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.i1(input, opts) end

--- exp(-|x|) i1(x).
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.i1e(input, opts) end

--- The Laguerre polynomial.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.laguerre_polynomial_l(input, n, opts) end

--- The Legendre polynomial.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.legendre_polynomial_p(input, n, opts) end

--- log(1 + x), accurate near 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.log1p(input, opts) end

--- The logarithm of the normal distribution function, accurate far to the left.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.log_ndtr(input, opts) end

--- The logarithm of softmax, computed without underflow.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that sums to one
---@param dtype? torch.dtype|string convert to this dtype first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.log_softmax(input, dim, dtype, opts) end

--- log(x / (1 - x)), of x held within eps of 0 and 1 where eps is given.
---@overload fun(input: torch.Tensor, opts?: {eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param eps? number elements are held in [eps, 1 - eps]; nil: they are not
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.logit(input, eps, opts) end

--- The logarithm of the sum of exponentials over dims.
---@overload fun(input: torch.Tensor, opts?: {dim: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer|integer[]|torch.Size the dim or dims to reduce
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.logsumexp(input, dim, keepdim, opts) end

--- The modified Bessel function of the first kind, of order 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.modified_bessel_i0(input, opts) end

--- The modified Bessel function of the first kind, of order 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.modified_bessel_i1(input, opts) end

--- The modified Bessel function of the second kind, of order 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.modified_bessel_k0(input, opts) end

--- The modified Bessel function of the second kind, of order 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.modified_bessel_k1(input, opts) end

--- The logarithm of the multivariate gamma function of dimension p.
---@overload fun(input: torch.Tensor, opts?: {p: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p integer the dimension, at least 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.multigammaln(input, p, opts) end

--- The normal distribution function.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.ndtr(input, opts) end

--- The number at which the normal distribution function is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.ndtri(input, opts) end

--- The n-th derivative of digamma.
---@overload fun(opts?: {n: integer, input: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, n: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {n: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param n integer which derivative; not negative
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.polygamma(n, input, opts) end

--- The derivative of lgamma.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.psi(input, opts) end

--- The nearest integer to each element, halves to even; to `decimals` places.
---@param input torch.Tensor
---@param opts? {decimals?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.round(input, opts) end

--- exp(x) modified_bessel_k0(x).
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.scaled_modified_bessel_k0(input, opts) end

--- exp(x) modified_bessel_k1(x).
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.scaled_modified_bessel_k1(input, opts) end

--- The Chebyshev polynomial of the first kind at 2 x - 1.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.shifted_chebyshev_polynomial_t(input, n, opts) end

--- The Chebyshev polynomial of the second kind at 2 x - 1.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.shifted_chebyshev_polynomial_u(input, n, opts) end

--- The Chebyshev polynomial of the third kind at 2 x - 1.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.shifted_chebyshev_polynomial_v(input, n, opts) end

--- The Chebyshev polynomial of the fourth kind at 2 x - 1.
---@param input torch.Tensor|number|boolean
---@param n torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.shifted_chebyshev_polynomial_w(input, n, opts) end

--- sin(pi x) / (pi x), and 1 at 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.sinc(input, opts) end

--- Exponentials along a dim, scaled to sum to one.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that sums to one
---@param dtype? torch.dtype|string convert to this dtype first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.softmax(input, dim, dtype, opts) end

--- sin(x) / x, and 1 at 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.spherical_bessel_j0(input, opts) end

--- Input times log(1 + other); 0 where input is 0.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.xlog1py(input, other, opts) end

--- Input times the logarithm of other; 0 where input is 0.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.xlogy(input, other, opts) end

--- Hurwitz's zeta function: the sum of (other + k)^-input over k from 0.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function torch.special.zeta(input, other, opts) end

--- Comparisons for tests; torch.TestSuite and torch.Tester run them.
torch.testing = {}

--- Raises an error unless tensors, numbers or tables of them are close: |actual - expected| <= atol + rtol * |expected|. Without rtol and atol by dtype: 1.3e-6, 1e-5 for float32, 0 for integers. msg is a text, or a function of the message.
---@param actual any
---@param expected any
---@param opts? {rtol?: any, atol?: any, equal_nan?: boolean, check_device?: boolean, check_dtype?: boolean, check_stride?: boolean, msg?: any}
---@return any
function torch.testing.assert_close(actual, expected, opts) end

--- Uniform from low to high, which is excluded: without them from -9 to 9 for floats, below 10 for integers.
---@param shape any
---@param opts? {dtype?: any, device?: any, low?: any, high?: any, requires_grad?: boolean, noncontiguous?: boolean, exclude_zero?: boolean, memory_format?: any}
---@return any
function torch.testing.make_tensor(shape, opts) end

--- torch.utils.data is the table data.
torch.utils = {}

--- Parts of the forward that backward computes again, to save memory.
torch.utils.checkpoint = {}

--- f(...), whose intermediate values are not kept: backward runs f again where it needs them. Saves memory for time. f may be a module, and may use checkpoint itself; use_reentrant is accepted and makes no difference.
---@param f any
---@param ... any
---@return any
function torch.utils.checkpoint.checkpoint(f, ...) end

--- A Sequential or a list of functions, checkpointed in so many segments; the last one runs as ever.
---@param functions any
---@param segments any
---@param input any
---@param opts? {preserve_rng_state?: boolean}
---@return any
function torch.utils.checkpoint.checkpoint_sequential(functions, segments, input, opts) end

--- Modules, losses, containers.
nn = {}

---@class nn.AvgPool2d: nn.Module
---@field kernel_size any height and width of the window
---@field stride any steps of the window; nil: its size
---@field padding any padding on each side
---@field ceil_mode any round the extents of the result up
---@field count_include_pad any the padding counts in the mean
---@field divisor_override any divide by this in place of the size of the window

--- the mean of each window
---@param kernel_size any
---@param opts? {stride?: any, padding?: any, ceil_mode?: boolean, count_include_pad?: boolean, divisor_override?: any}
---@return nn.AvgPool2d
function nn.AvgPool2d(kernel_size, opts) end

---@class nn.BCEWithLogitsLoss: nn.Module
---@field weight any a factor for each element
---@field reduction any 'mean', 'sum' or 'none'
---@field pos_weight any a factor for positive targets

--- binary cross entropy of scores (before the sigmoid)
---@param opts? {weight?: any, reduction?: any, pos_weight?: any}
---@return nn.BCEWithLogitsLoss
function nn.BCEWithLogitsLoss(opts) end

---@class nn.BatchNorm1d: nn.Module
---@field num_features any channels of the input: its second dim
---@field eps any added to the variance
---@field momentum any weight of a new batch in the running statistics; torch.none: their mean over all
---@field affine any whether to scale and shift by parameters
---@field track_running_stats any whether to keep running statistics for evaluation
---@field device any device of the parameters
---@field dtype any dtype of the parameters

--- batch normalisation of [N, C] or [N, C, L]
---@param num_features any
---@param opts? {eps?: number, momentum?: number, affine?: boolean, track_running_stats?: boolean, device?: any, dtype?: any}
---@return nn.BatchNorm1d
function nn.BatchNorm1d(num_features, opts) end

---@class nn.BatchNorm2d: nn.Module
---@field num_features any channels of the input: its second dim
---@field eps any added to the variance
---@field momentum any weight of a new batch in the running statistics; torch.none: their mean over all
---@field affine any whether to scale and shift by parameters
---@field track_running_stats any whether to keep running statistics for evaluation
---@field device any device of the parameters
---@field dtype any dtype of the parameters

--- batch normalisation of [N, C, H, W]
---@param num_features any
---@param opts? {eps?: number, momentum?: number, affine?: boolean, track_running_stats?: boolean, device?: any, dtype?: any}
---@return nn.BatchNorm2d
function nn.BatchNorm2d(num_features, opts) end

---@class nn.Conv2d: nn.Module
---@field in_channels any channels of the input
---@field out_channels any channels of the result
---@field kernel_size any height and width of the filters
---@field stride any steps of the filters
---@field padding any padding on each side, or 'same' or 'valid'
---@field dilation any distance of the filters' elements
---@field groups any groups of channels that do not mix
---@field bias any whether to add a bias
---@field padding_mode any 'zeros', 'reflect', 'replicate' or 'circular'
---@field device any device of the parameters
---@field dtype any dtype of the parameters

--- cross-correlation of images with filters
---@param in_channels any
---@param out_channels any
---@param kernel_size any
---@param opts? {stride?: any, padding?: any, dilation?: any, groups?: integer, bias?: boolean, padding_mode?: any, device?: any, dtype?: any}
---@return nn.Conv2d
function nn.Conv2d(in_channels, out_channels, kernel_size, opts) end

---@class nn.CrossEntropyLoss: nn.Module
---@field weight any a factor for each class
---@field ignore_index any a label that counts for nothing
---@field reduction any 'mean', 'sum' or 'none'
---@field label_smoothing any share of the probability that goes to all classes

--- cross entropy of scores and class labels or probabilities
---@param opts? {weight?: any, ignore_index?: integer, reduction?: any, label_smoothing?: number}
---@return nn.CrossEntropyLoss
function nn.CrossEntropyLoss(opts) end

---@class nn.Dropout: nn.Module
---@field p any probability of an element to be zeroed
---@field inplace any write into the argument

--- elements are zeroed with probability p, in training
---@param opts? {p?: number, inplace?: boolean}
---@return nn.Dropout
function nn.Dropout(opts) end

---@class nn.Embedding: nn.Module
---@field num_embeddings any rows of the table
---@field embedding_dim any size of a row
---@field padding_idx any the row that gets no gradient
---@field max_norm any rows with a larger norm are scaled down to it, in place
---@field norm_type any p of that norm
---@field scale_grad_by_freq any divide gradients by how often a row is used
---@field sparse any accepted and ignored: gradients are dense
---@field device any device of the parameters
---@field dtype any dtype of the parameters

--- rows of a table by their number
---@param num_embeddings any
---@param embedding_dim any
---@param opts? {padding_idx?: any, max_norm?: any, norm_type?: number, scale_grad_by_freq?: boolean, sparse?: boolean, device?: any, dtype?: any}
---@return nn.Embedding
function nn.Embedding(num_embeddings, embedding_dim, opts) end

---@class nn.Flatten: nn.Module
---@field start_dim any first dim to flatten
---@field end_dim any last dim to flatten

--- dims from start_dim to end_dim made one
---@param opts? {start_dim?: integer, end_dim?: integer}
---@return nn.Flatten
function nn.Flatten(opts) end

---@class nn.GELU: nn.Module
---@field approximate any 'none' (by erf) or 'tanh'

--- x times the normal distribution function of x
---@param opts? {approximate?: any}
---@return nn.GELU
function nn.GELU(opts) end

---@class nn.Identity: nn.Module

--- its argument itself
---@return nn.Identity
function nn.Identity() end

---@class nn.L1Loss: nn.Module
---@field reduction any 'mean', 'sum' or 'none'

--- absolute differences
---@param opts? {reduction?: any}
---@return nn.L1Loss
function nn.L1Loss(opts) end

---@class nn.LayerNorm: nn.Module
---@field normalized_shape any extents of the last dims
---@field eps any added to the variance
---@field elementwise_affine any whether to scale by a parameter
---@field bias any whether to shift by a parameter, too
---@field device any device of the parameters
---@field dtype any dtype of the parameters

--- normalisation over the last dims
---@param normalized_shape any
---@param opts? {eps?: number, elementwise_affine?: boolean, bias?: boolean, device?: any, dtype?: any}
---@return nn.LayerNorm
function nn.LayerNorm(normalized_shape, opts) end

---@class nn.LazyConv2d: nn.Module
---@field out_channels any channels of the result
---@field kernel_size any height and width of the filters
---@field stride any steps of the filters
---@field padding any padding on each side, or 'same' or 'valid'
---@field dilation any distance of the filters' elements
---@field groups any groups of channels that do not mix
---@field bias any whether to add a bias
---@field padding_mode any 'zeros', 'reflect', 'replicate' or 'circular'
---@field device any device of the parameters
---@field dtype any dtype of the parameters

--- a Conv2d that takes in_channels from its first input
---@param out_channels any
---@param kernel_size any
---@param opts? {stride?: any, padding?: any, dilation?: any, groups?: integer, bias?: boolean, padding_mode?: any, device?: any, dtype?: any}
---@return nn.LazyConv2d
function nn.LazyConv2d(out_channels, kernel_size, opts) end

---@class nn.LazyLinear: nn.Module
---@field out_features any size of the last dim of the result
---@field bias any whether to add a bias
---@field device any device of the parameters
---@field dtype any dtype of the parameters

--- a Linear that takes in_features from its first input
---@param out_features any
---@param opts? {bias?: boolean, device?: any, dtype?: any}
---@return nn.LazyLinear
function nn.LazyLinear(out_features, opts) end

---@class nn.LeakyReLU: nn.Module
---@field negative_slope any the slope below 0
---@field inplace any write into the argument

--- x, times negative_slope where it is negative
---@param opts? {negative_slope?: number, inplace?: boolean}
---@return nn.LeakyReLU
function nn.LeakyReLU(opts) end

---@class nn.Linear: nn.Module
---@field in_features any size of the last dim of the input
---@field out_features any size of the last dim of the result
---@field bias any whether to add a bias
---@field device any device of the parameters
---@field dtype any dtype of the parameters

--- y = x * weight^T + bias over the last dim
---@param in_features any
---@param out_features any
---@param opts? {bias?: boolean, device?: any, dtype?: any}
---@return nn.Linear
function nn.Linear(in_features, out_features, opts) end

---@class nn.LogSoftmax: nn.Module
---@field dim any the dim along which the elements sum to one

--- the logarithm of Softmax
---@param dim any
---@return nn.LogSoftmax
function nn.LogSoftmax(dim) end

---@class nn.MSELoss: nn.Module
---@field reduction any 'mean', 'sum' or 'none'

--- squared differences
---@param opts? {reduction?: any}
---@return nn.MSELoss
function nn.MSELoss(opts) end

---@class nn.MaxPool2d: nn.Module
---@field kernel_size any height and width of the window
---@field stride any steps of the window; nil: its size
---@field padding any padding on each side
---@field dilation any distance of the window's elements
---@field return_indices any also give where the largest elements are
---@field ceil_mode any round the extents of the result up

--- the largest element of each window
---@param kernel_size any
---@param opts? {stride?: any, padding?: any, dilation?: any, return_indices?: boolean, ceil_mode?: boolean}
---@return nn.MaxPool2d
function nn.MaxPool2d(kernel_size, opts) end

--- The base of all modules: parameters, buffers, children, hooks. nn.class makes classes from it.
---@return any
function nn.Module() end

---@class nn.ModuleDict: nn.Module

--- Modules by name.
---@param opts? {name?: any}
---@return nn.ModuleDict
function nn.ModuleDict(opts) end

---@class nn.ModuleList: nn.Module

--- A list of modules.
---@param opts? {module?: any}
---@return nn.ModuleList
function nn.ModuleList(opts) end

---@class nn.NLLLoss: nn.Module
---@field weight any a factor for each class
---@field ignore_index any a label that counts for nothing
---@field reduction any 'mean', 'sum' or 'none'

--- negative log-likelihood of class labels
---@param opts? {weight?: any, ignore_index?: integer, reduction?: any}
---@return nn.NLLLoss
function nn.NLLLoss(opts) end

--- A tensor that a module registers when it is assigned.
---@param data any
---@param requires_grad? boolean
---@return any
function nn.Parameter(data, requires_grad) end

---@class nn.ParameterList: nn.Module

--- A list of parameters.
---@param opts? {parameter?: any}
---@return nn.ParameterList
function nn.ParameterList(opts) end

---@class nn.ReLU: nn.Module
---@field inplace any write into the argument

--- max(0, x)
---@param opts? {inplace?: boolean}
---@return nn.ReLU
function nn.ReLU(opts) end

---@class nn.Sequential: nn.Module

--- Calls modules one after the other. Also a .. b.
---@param module any
---@param ... any
---@return nn.Sequential
function nn.Sequential(module, ...) end

---@class nn.SiLU: nn.Module
---@field inplace any write into the argument

--- x * sigmoid(x)
---@param opts? {inplace?: boolean}
---@return nn.SiLU
function nn.SiLU(opts) end

---@class nn.Sigmoid: nn.Module

--- 1 / (1 + exp(-x))
---@return nn.Sigmoid
function nn.Sigmoid() end

---@class nn.Softmax: nn.Module
---@field dim any the dim along which the elements sum to one

--- exponentials along a dim, scaled to sum to one
---@param dim any
---@return nn.Softmax
function nn.Softmax(dim) end

---@class nn.Softplus: nn.Module
---@field beta any steepness
---@field threshold any above this, beta x is taken as it is

--- log(1 + exp(beta x)) / beta
---@param opts? {beta?: number, threshold?: number}
---@return nn.Softplus
function nn.Softplus(opts) end

---@class nn.Tanh: nn.Module

--- hyperbolic tangent
---@return nn.Tanh
function nn.Tanh() end

--- A class of modules: define Net:init(…) and Net:forward(…), then net = Net(…).
---@param name any
---@param base? any
---@return any
function nn.class(name, base) end

--- Operators that networks are made of, also as F; what a script adds to it stays.
nn.functional = {}

--- relu of addmm, or with use_gelu the tanh form of gelu of it.
---@param input torch.Tensor
---@param mat1 torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, use_gelu?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional._addmm_activation(input, mat1, mat2, opts) end

--- Absolute value of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.abs(input, opts) end

--- Absolute value of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.abs_(input, opts) end

--- Absolute value of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.absolute(input, opts) end

--- Absolute value of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.absolute_(input, opts) end

--- The angle from 0 to pi whose cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.acos(input, opts) end

--- The angle from 0 to pi whose cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.acos_(input, opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.acosh(input, opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.acosh_(input, opts) end

--- Means of windows of equal share of a sequence.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size the length of the result
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.adaptive_avg_pool1d(input, output_size, opts) end

--- Means of windows of equal share, as many as asked for.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size height and width of the result; -1 keeps the input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.adaptive_avg_pool2d(input, output_size, opts) end

--- Means of windows of equal share of a volume.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size the extents of the result; -1 keeps the input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.adaptive_avg_pool3d(input, output_size, opts) end

--- Largest elements of windows of equal share of a sequence.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size the extents of the result; -1 keeps the input's
---@param return_indices? boolean also return where they stand in the input, row by row
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.adaptive_max_pool1d(input, output_size, return_indices, opts) end

--- Largest elements of windows of equal share.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size the extents of the result; -1 keeps the input's
---@param return_indices? boolean also return where they stand in the input, row by row
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.adaptive_max_pool2d(input, output_size, return_indices, opts) end

--- Largest elements of windows of equal share of a volume.
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size the extents of the result; -1 keeps the input's
---@param return_indices? boolean also return where they stand in the input, row by row
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.adaptive_max_pool3d(input, output_size, return_indices, opts) end

--- Sum of input and alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.add(input, other, opts) end

--- Sum of input and alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.add_(input, other, opts) end

--- beta * input + alpha * the sum over the batch of batch1 @ batch2; input broadcasts.
---@param input torch.Tensor
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addbmm(input, batch1, batch2, opts) end

--- beta * input + alpha * the sum over the batch of batch1 @ batch2; input broadcasts.
---@param input torch.Tensor
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addbmm_(input, batch1, batch2, opts) end

--- input + value tensor1 / tensor2.
---@param input torch.Tensor
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addcdiv(input, tensor1, tensor2, opts) end

--- input + value tensor1 / tensor2.
---@param input torch.Tensor
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addcdiv_(input, tensor1, tensor2, opts) end

--- input + value tensor1 tensor2.
---@param input torch.Tensor
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addcmul(input, tensor1, tensor2, opts) end

--- input + value tensor1 tensor2.
---@param input torch.Tensor
---@param tensor1 torch.Tensor
---@param tensor2 torch.Tensor
---@param opts? {value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addcmul_(input, tensor1, tensor2, opts) end

--- beta * input + alpha * (mat1 @ mat2); input broadcasts.
---@param input torch.Tensor
---@param mat1 torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addmm(input, mat1, mat2, opts) end

--- beta * input + alpha * (mat1 @ mat2); input broadcasts.
---@param input torch.Tensor
---@param mat1 torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addmm_(input, mat1, mat2, opts) end

--- beta * input + alpha * (mat @ vec); input broadcasts.
---@param input torch.Tensor
---@param mat torch.Tensor
---@param vec torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addmv(input, mat, vec, opts) end

--- beta * input + alpha * (mat @ vec); input broadcasts.
---@param input torch.Tensor
---@param mat torch.Tensor
---@param vec torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addmv_(input, mat, vec, opts) end

--- beta * input + alpha * outer(vec1, vec2); input broadcasts.
---@param input torch.Tensor
---@param vec1 torch.Tensor
---@param vec2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addr(input, vec1, vec2, opts) end

--- beta * input + alpha * outer(vec1, vec2); input broadcasts.
---@param input torch.Tensor
---@param vec1 torch.Tensor
---@param vec2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.addr_(input, vec1, vec2, opts) end

--- The grid of an affine map, for grid_sample.
---@overload fun(theta: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, align_corners?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param theta torch.Tensor
---@param size integer|integer[]|torch.Size the shape of the images
---@param align_corners? boolean whether -1 and 1 are the centres of the corner elements; else their edges
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.affine_grid(theta, size, align_corners, opts) end

--- Whether all elements are not 0.
---@overload fun(input: torch.Tensor, dim?: integer|integer[]|torch.Size, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function nn.functional.all(input, opts) end

--- Whether |input - other| <= atol + rtol |other| everywhere.
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {rtol?: number, atol?: number, equal_nan?: boolean, out?: torch.Tensor|torch.Tensor[]}): boolean
---@param input torch.Tensor
---@param other torch.Tensor
---@param rtol? number relative tolerance
---@param atol? number absolute tolerance
---@param equal_nan? boolean count nan as equal to nan
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function nn.functional.allclose(input, other, rtol, atol, equal_nan, opts) end

--- Dropout that keeps mean 0 and variance 1 of selu's results.
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.alpha_dropout(input, p, training, opts) end

--- Dropout that keeps mean 0 and variance 1 of selu's results.
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.alpha_dropout_(input, p, training, opts) end

--- The largest element over dims; where several are, they share the gradient.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.amax(input, dim, keepdim, opts) end

--- The smallest element over dims; where several are, they share the gradient.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.amin(input, dim, keepdim, opts) end

--- The smallest and the largest element, of all or along a dim.
---@param input torch.Tensor
---@param opts? {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.aminmax(input, opts) end

--- The angle in the complex plane: pi where an element is negative, else 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.angle(input, opts) end

--- Whether some element is not 0.
---@overload fun(input: torch.Tensor, dim?: integer|integer[]|torch.Size, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function nn.functional.any(input, opts) end

--- The angle from 0 to pi whose cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arccos(input, opts) end

--- The angle from 0 to pi whose cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arccos_(input, opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arccosh(input, opts) end

--- The number not below 0 whose hyperbolic cosine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arccosh_(input, opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arcsin(input, opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arcsin_(input, opts) end

--- The number whose hyperbolic sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arcsinh(input, opts) end

--- The number whose hyperbolic sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arcsinh_(input, opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arctan(input, opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arctan2(input, other, opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arctan2_(input, other, opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arctan_(input, opts) end

--- The number whose hyperbolic tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arctanh(input, opts) end

--- The number whose hyperbolic tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.arctanh_(input, opts) end

--- Where the first largest element is.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to reduce; nil: the position in the flattened tensor
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.argmax(input, dim, keepdim, opts) end

--- Where the first smallest element is.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to reduce; nil: the position in the flattened tensor
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.argmin(input, dim, keepdim, opts) end

--- The positions that would sort the elements along a dim.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, descending?: boolean, stable?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to sort along
---@param descending? boolean the largest first
---@param opts? {stable?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.argsort(input, dim, descending, opts) end

--- The positions of elements that are not 0, one per row; as nonzero.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.argwhere(input, opts) end

--- A view of the storage with any shape, strides and offset.
---@overload fun(input: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, stride: integer|integer[]|torch.Size, storage_offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param stride integer|integer[]|torch.Size the strides, in elements
---@param storage_offset? integer elements before the first; nil: input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.as_strided(input, size, stride, storage_offset, opts) end

--- A view of the storage with any shape, strides and offset.
---@overload fun(input: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, stride: integer|integer[]|torch.Size, storage_offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param size integer|integer[]|torch.Size the shape
---@param stride integer|integer[]|torch.Size the strides, in elements
---@param storage_offset? integer elements before the first; nil: input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.as_strided_(input, size, stride, storage_offset, opts) end

--- Input with src in the places that as_strided names.
---@overload fun(input: torch.Tensor, src: torch.Tensor, opts?: {size: integer|integer[]|torch.Size, stride: integer|integer[]|torch.Size, storage_offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param src torch.Tensor
---@param size integer|integer[]|torch.Size the shape of src
---@param stride integer|integer[]|torch.Size the strides, in elements
---@param storage_offset? integer elements before the first; nil: input's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.as_strided_scatter(input, src, size, stride, storage_offset, opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.asin(input, opts) end

--- The angle from -pi/2 to pi/2 whose sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.asin_(input, opts) end

--- The number whose hyperbolic sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.asinh(input, opts) end

--- The number whose hyperbolic sine is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.asinh_(input, opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.atan(input, opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.atan2(input, other, opts) end

--- The angle of the point (other, input), in radians from -pi to pi.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.atan2_(input, other, opts) end

--- The angle from -pi/2 to pi/2 whose tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.atan_(input, opts) end

--- The number whose hyperbolic tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.atanh(input, opts) end

--- The number whose hyperbolic tangent is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.atanh_(input, opts) end

--- Each tensor with at least one dim.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.atleast_1d(tensors, opts) end

--- Each tensor with at least two dims; new ones come first.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.atleast_2d(tensors, opts) end

--- Each tensor with at least three dims; a vector becomes 1 x n x 1, a matrix m x n x 1.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.atleast_3d(tensors, opts) end

--- The mean of each window of a sequence.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, ceil_mode?: boolean, count_include_pad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size the length of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size zeros around the input
---@param ceil_mode? boolean count a last window that is only partly inside
---@param count_include_pad? boolean whether padding counts in the mean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, opts) end

--- The mean of each window.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, ceil_mode?: boolean, count_include_pad?: boolean, divisor_override?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size zeros around the input
---@param ceil_mode? boolean count a last window that is only partly inside
---@param count_include_pad? boolean whether padding counts in the mean
---@param divisor_override? integer divide the sums by this number instead
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, opts) end

--- The mean of each window of a volume.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, ceil_mode?: boolean, count_include_pad?: boolean, divisor_override?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size depth, height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size zeros around the input
---@param ceil_mode? boolean count a last window that is only partly inside
---@param count_include_pad? boolean whether padding counts in the mean
---@param divisor_override? integer divide the sums by this number instead
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, opts) end

--- beta * input + alpha * (batch1 @ batch2); input broadcasts.
---@param input torch.Tensor
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.baddbmm(input, batch1, batch2, opts) end

--- beta * input + alpha * (batch1 @ batch2); input broadcasts.
---@param input torch.Tensor
---@param batch1 torch.Tensor
---@param batch2 torch.Tensor
---@param opts? {beta?: number|boolean, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.baddbmm_(input, batch1, batch2, opts) end

--- Each channel normalised over the batch, or by running statistics.
---@overload fun(input: torch.Tensor, running_mean?: torch.Tensor, running_var?: torch.Tensor, weight?: torch.Tensor, bias?: torch.Tensor, opts?: {training?: boolean, momentum?: number, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param running_mean? torch.Tensor
---@param running_var? torch.Tensor
---@param weight? torch.Tensor
---@param bias? torch.Tensor
---@param training? boolean normalise by the batch, and move the running statistics
---@param momentum? number the weight of this batch in the running statistics
---@param eps? number added to the variance
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps, opts) end

--- 1 with the probability that input gives, else 0.
---@overload fun(input: torch.Tensor, p: number, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {p: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bernoulli(input, opts) end

--- input1 @ weight[o] @ input2 over the last dims, for each output o, plus bias.
---@param input1 torch.Tensor
---@param input2 torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bilinear(input1, input2, weight, bias, opts) end

--- Cross entropy of probabilities (0 to 1) and targets; logarithms are cut off at -100.
---@overload fun(input: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, opts?: {reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.binary_cross_entropy(input, target, weight, reduction, opts) end

--- Cross entropy of sigmoid(input) and targets, without overflow.
---@overload fun(input: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, opts?: {reduction?: string, pos_weight?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param pos_weight? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.binary_cross_entropy_with_logits(input, target, weight, reduction, pos_weight, opts) end

--- How often each position comes in a list of them, or the sum of its weights.
---@overload fun(input: torch.Tensor, weights?: torch.Tensor, opts?: {minlength?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weights? torch.Tensor
---@param minlength? integer the least number of bins
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bincount(input, weights, minlength, opts) end

--- How many of count trials succeed, each with probability prob: float32 or float64.
---@param count torch.Tensor
---@param prob torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.binomial(count, prob, opts) end

--- Bits that both have; `and` of masks.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_and(input, other, opts) end

--- Bits that both have; `and` of masks.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_and_(input, other, opts) end

--- Bits moved up by other places.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_left_shift(input, other, opts) end

--- Bits moved up by other places.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_left_shift_(input, other, opts) end

--- Each element with its bits inverted; the opposite of a bool.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_not(input, opts) end

--- Each element with its bits inverted; the opposite of a bool.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_not_(input, opts) end

--- Bits that one of them has; `or` of masks.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_or(input, other, opts) end

--- Bits that one of them has; `or` of masks.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_or_(input, other, opts) end

--- Bits moved down by other places; the sign stays.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_right_shift(input, other, opts) end

--- Bits moved down by other places; the sign stays.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_right_shift_(input, other, opts) end

--- Bits that just one of them has.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_xor(input, other, opts) end

--- Bits that just one of them has.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bitwise_xor_(input, other, opts) end

--- A matrix with the given ones along its diagonal.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.block_diag(tensors, opts) end

--- The products of the matrices of two batches, [b, n, k] and [b, k, m].
---@param input torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bmm(input, mat2, opts) end

--- Views of all tensors in the shape they broadcast to.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.broadcast_tensors(tensors, opts) end

--- A view in which extents of 1 are repeated; as expand.
---@overload fun(input: torch.Tensor, opts?: {shape: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param shape integer|integer[]|torch.Size the shape to expand to
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.broadcast_to(input, shape, opts) end

--- Between which of the ascending boundaries each element lies.
---@param input torch.Tensor|number|boolean
---@param boundaries torch.Tensor
---@param opts? {out_int32?: boolean, right?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.bucketize(input, boundaries, opts) end

--- All ways to take one element of each vector, one in each row; a vector alone stays.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cartesian_prod(tensors, opts) end

--- The tensors one after the other along a dim.
---@overload fun(tensors: torch.Tensor[], opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param tensors torch.Tensor[]
---@param dim? integer the dim to join along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cat(tensors, dim, opts) end

--- The p-norm of the difference of each row of x1 [.., n, k] and each of x2 [.., m, k]: [.., n, m]; batch dims broadcast.
---@overload fun(x1: torch.Tensor, x2: torch.Tensor, opts?: {p?: number, compute_mode?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param x1 torch.Tensor
---@param x2 torch.Tensor
---@param p? number the norm: 0 counts differences, inf takes the largest
---@param compute_mode? string 'use_mm_for_euclid_dist' computes p = 2 by a matrix product, quicker and less exact; 'use_mm_for_euclid_dist_if_necessary' where there are more than 25 rows; 'donot_use_mm_for_euclid_dist'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cdist(x1, x2, p, compute_mode, opts) end

--- The smallest integer not below each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ceil(input, opts) end

--- The smallest integer not below each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ceil_(input, opts) end

--- Each element, alpha (exp(x / alpha) - 1) where it is negative.
---@overload fun(input: torch.Tensor, opts?: {alpha?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param alpha? number the limit on the left is -alpha
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.celu(input, alpha, opts) end

--- Each element, alpha (exp(x / alpha) - 1) where it is negative.
---@overload fun(input: torch.Tensor, opts?: {alpha?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param alpha? number the limit on the left is -alpha
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.celu_(input, alpha, opts) end

--- The product of several matrices, in the cheapest order.
---@param matrices torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.chain_matmul(matrices, opts) end

--- Channels [g, C / g] in the order [C / g, g], so that groups exchange theirs.
---@overload fun(input: torch.Tensor, opts?: {groups: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param groups integer g
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.channel_shuffle(input, groups, opts) end

--- The older form of linalg.cholesky.
---@overload fun(input: torch.Tensor, opts?: {upper?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param upper? boolean U of Uᵀ U
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cholesky(input, upper, opts) end

--- The inverse of the matrix of which input is the Cholesky factor.
---@overload fun(L: torch.Tensor, opts?: {upper?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param L torch.Tensor
---@param upper? boolean the factor is upper triangular
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cholesky_inverse(L, upper, opts) end

--- The solution X of A X = input, where input2 is the Cholesky factor of A.
---@overload fun(B: torch.Tensor, L: torch.Tensor, opts?: {upper?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param B torch.Tensor
---@param L torch.Tensor
---@param upper? boolean the factor is upper triangular
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cholesky_solve(B, L, upper, opts) end

--- The tensor in at most `chunks` parts of equal size along a dim.
---@overload fun(input: torch.Tensor, opts?: {chunks: integer, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param chunks integer how many parts
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.chunk(input, chunks, dim, opts) end

--- Each element, not below min and not above max.
---@param input torch.Tensor
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.clamp(input, min, max, opts) end

--- Each element, not below min and not above max.
---@param input torch.Tensor
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.clamp_(input, min, max, opts) end

--- Each element, not above max.
---@param input torch.Tensor
---@param max torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.clamp_max(input, max, opts) end

--- Each element, not above max.
---@param input torch.Tensor
---@param max torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.clamp_max_(input, max, opts) end

--- Each element, not below min.
---@param input torch.Tensor
---@param min torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.clamp_min(input, min, opts) end

--- Each element, not below min.
---@param input torch.Tensor
---@param min torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.clamp_min_(input, min, opts) end

--- Each element, not below min and not above max.
---@param input torch.Tensor
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.clip(input, min, max, opts) end

--- Each element, not below min and not above max.
---@param input torch.Tensor
---@param min? torch.Tensor|number|boolean
---@param max? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.clip_(input, min, max, opts) end

--- A copy of the tensor, with memory of its own.
---@param input torch.Tensor
---@param opts? {memory_format?: torch.memory_format|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.clone(input, opts) end

--- The tensors side by side, vectors as columns.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.column_stack(tensors, opts) end

--- All combinations of r elements of a vector, one in each row.
---@overload fun(input: torch.Tensor, opts?: {r?: integer, with_replacement?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param r? integer how many elements in each
---@param with_replacement? boolean an element may be taken again
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.combinations(input, r, with_replacement, opts) end

--- The tensors one after the other along a dim.
---@overload fun(tensors: torch.Tensor[], opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param tensors torch.Tensor[]
---@param dim? integer the dim to join along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.concat(tensors, dim, opts) end

--- The tensors one after the other along a dim.
---@overload fun(tensors: torch.Tensor[], opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param tensors torch.Tensor[]
---@param dim? integer the dim to join along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.concatenate(tensors, dim, opts) end

--- Input with a number around it; negative numbers cut off.
---@overload fun(input: torch.Tensor, opts?: {pad: integer|integer[]|torch.Size, value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param pad integer|integer[]|torch.Size elements before and after the last dim, then the one before it, …
---@param value? number|boolean what is added
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.constant_pad_nd(input, pad, value, opts) end

--- Convolution of sequences with filters.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter
---@param padding? integer|integer[]|torch.Size zeros added on each side, or 'same' or 'valid'
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param groups? integer groups of channels that see nothing of each other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.conv1d(input, weight, bias, stride, padding, dilation, groups, opts) end

--- Convolution of images with filters.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter
---@param padding? integer|integer[]|torch.Size zeros added on each side, or 'same' or 'valid'
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param groups? integer groups of channels that see nothing of each other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.conv2d(input, weight, bias, stride, padding, dilation, groups, opts) end

--- Convolution of volumes with filters.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding: string, dilation?: integer|integer[]|torch.Size, groups?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter
---@param padding? integer|integer[]|torch.Size zeros added on each side, or 'same' or 'valid'
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param groups? integer groups of channels that see nothing of each other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.conv3d(input, weight, bias, stride, padding, dilation, groups, opts) end

--- Transposed convolution of sequences.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, output_padding?: integer|integer[]|torch.Size, groups?: integer, dilation?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter in the result
---@param padding? integer|integer[]|torch.Size elements cut off each side of the result
---@param output_padding? integer|integer[]|torch.Size elements added to the result at the bottom and on the right
---@param groups? integer groups of channels that see nothing of each other
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.conv_transpose1d(input, weight, bias, stride, padding, output_padding, groups, dilation, opts) end

--- Transposed convolution of images.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, output_padding?: integer|integer[]|torch.Size, groups?: integer, dilation?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter in the result
---@param padding? integer|integer[]|torch.Size elements cut off each side of the result
---@param output_padding? integer|integer[]|torch.Size elements added to the result at the bottom and on the right
---@param groups? integer groups of channels that see nothing of each other
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation, opts) end

--- Transposed convolution of volumes.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, opts?: {stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, output_padding?: integer|integer[]|torch.Size, groups?: integer, dilation?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param stride? integer|integer[]|torch.Size the step of the filter in the result
---@param padding? integer|integer[]|torch.Size elements cut off each side of the result
---@param output_padding? integer|integer[]|torch.Size elements added to the result at the bottom and on the right
---@param groups? integer groups of channels that see nothing of each other
---@param dilation? integer|integer[]|torch.Size the distance between the elements of the filter
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.conv_transpose3d(input, weight, bias, stride, padding, output_padding, groups, dilation, opts) end

--- Input with the sign of other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.copysign(input, other, opts) end

--- Input with the sign of other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.copysign_(input, other, opts) end

--- The correlations of the variables that are the rows of a matrix.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.corrcoef(input, opts) end

--- Cosine of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cos(input, opts) end

--- Cosine of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cos_(input, opts) end

--- Hyperbolic cosine of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cosh(input, opts) end

--- Hyperbolic cosine of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cosh_(input, opts) end

--- 1 - cosine for pairs that belong together (target 1), the cosine above margin for those that do not (-1).
---@overload fun(input1: torch.Tensor, input2: torch.Tensor, target: torch.Tensor, opts?: {margin?: number, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input1 torch.Tensor
---@param input2 torch.Tensor
---@param target torch.Tensor
---@param margin? number the cosine of pairs that do not belong together may reach it
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cosine_embedding_loss(input1, input2, target, margin, reduction, opts) end

--- The cosine of the angle between vectors along a dim; norms below eps count as eps.
---@overload fun(x1: torch.Tensor, x2: torch.Tensor, opts?: {dim?: integer, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param x1 torch.Tensor
---@param x2 torch.Tensor
---@param dim? integer the dim of the vectors
---@param eps? number the least norm
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cosine_similarity(x1, x2, dim, eps, opts) end

--- How many elements are not 0, over dims.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to count over; all of them where nil
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.count_nonzero(input, dim, opts) end

--- The covariances of the variables that are the rows of a matrix.
---@param input torch.Tensor
---@param opts? {correction?: integer, fweights?: torch.Tensor, aweights?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cov(input, opts) end

--- The cross products of vectors of 3 elements along a dim.
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param other torch.Tensor
---@param dim? integer the dim of the vectors; nil: the first that has 3 elements
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cross(input, other, dim, opts) end

--- Cross entropy of logits and labels, or of logits and class probabilities.
---@overload fun(input: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, opts?: {ignore_index?: integer, reduction?: string, label_smoothing?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor
---@param ignore_index? integer the label that counts for nothing
---@param reduction? string 'mean', 'sum' or 'none'
---@param label_smoothing? number the part of each label that is spread over all classes, 0 to 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing, opts) end

--- The negated log-probability of targets under all alignments with log_probs.
---@overload fun(log_probs: torch.Tensor, targets: torch.Tensor, input_lengths: torch.Tensor, target_lengths: torch.Tensor, opts?: {blank?: integer, reduction?: string, zero_infinity?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(log_probs: torch.Tensor, targets: torch.Tensor, input_lengths: number|number[], target_lengths: number|number[], blank?: integer, reduction?: string, zero_infinity?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(log_probs: torch.Tensor, targets: torch.Tensor, opts?: {input_lengths: number|number[], target_lengths: number|number[], blank?: integer, reduction?: string, zero_infinity?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param log_probs torch.Tensor
---@param targets torch.Tensor
---@param input_lengths torch.Tensor
---@param target_lengths torch.Tensor
---@param blank? integer the class that stands for no label
---@param reduction? string 'mean', 'sum' or 'none'
---@param zero_infinity? boolean whether sequences too short for their target count as 0, with no gradient
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity, opts) end

--- The largest element so far along a dim, and where the last such one is.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to go along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.cummax(input, dim, opts) end

--- The smallest element so far along a dim, and where the last such one is.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to go along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.cummin(input, dim, opts) end

--- The product of the elements so far along a dim; integers in int64.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to multiply along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cumprod(input, dim, opts) end

--- The product of the elements so far along a dim; integers in int64.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to multiply along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cumprod_(input, dim, opts) end

--- The sum of the elements so far along a dim; integers in int64.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to sum along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cumsum(input, dim, opts) end

--- The sum of the elements so far along a dim; integers in int64.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to sum along
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cumsum_(input, dim, opts) end

--- The integral of samples so far along a dim, by trapezoids.
---@param y torch.Tensor
---@param x? torch.Tensor
---@param opts? {dx?: number|boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.cumulative_trapezoid(y, x, opts) end

--- Degrees as radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.deg2rad(input, opts) end

--- Degrees as radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.deg2rad_(input, opts) end

--- The determinants of matrices; as linalg.det.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.det(input, opts) end

--- The same memory without history.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.detach(input, opts) end

--- A vector as the diagonal of a matrix, or the diagonal of a matrix, copied.
---@overload fun(input: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param diagonal? integer how far above the main diagonal; negative: below it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.diag(input, diagonal, opts) end

--- Matrices of zeros with the rows of input as diagonals.
---@overload fun(input: torch.Tensor, opts?: {offset?: integer, dim1?: integer, dim2?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param dim1? integer where the rows stand in the result
---@param dim2? integer where the columns stand in the result
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.diag_embed(input, offset, dim1, dim2, opts) end

--- All elements as the diagonal of a matrix.
---@overload fun(input: torch.Tensor, opts?: {offset?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.diagflat(input, offset, opts) end

--- A view of the diagonals between two dims, which become the last dim.
---@overload fun(input: torch.Tensor, opts?: {offset?: integer, dim1?: integer, dim2?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param dim1? integer the dim of rows
---@param dim2? integer the dim of columns
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.diagonal(input, offset, dim1, dim2, opts) end

--- Input with src in the place of the diagonals.
---@overload fun(input: torch.Tensor, src: torch.Tensor, opts?: {offset?: integer, dim1?: integer, dim2?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param src torch.Tensor
---@param offset? integer how far above the main diagonal; negative: below it
---@param dim1? integer the dim of rows
---@param dim2? integer the dim of columns
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.diagonal_scatter(input, src, offset, dim1, dim2, opts) end

--- The n-th differences of neighbours along a dim; of bools whether they differ.
---@overload fun(input: torch.Tensor, opts?: {n?: integer, dim?: integer, prepend?: torch.Tensor, append?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param n? integer how often to take differences
---@param dim? integer the dim
---@param prepend? torch.Tensor
---@param append? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.diff(input, n, dim, prepend, append, opts) end

--- The derivative of lgamma.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.digamma(input, opts) end

--- The derivative of lgamma.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.digamma_(input, opts) end

--- The p-norm of input - other.
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {p?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param other torch.Tensor
---@param p? number|boolean the exponent of the norm
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.dist(input, other, p, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(input: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.div(input, other, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(input: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.div_(input, other, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(input: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.divide(input, other, opts) end

--- Input divided by other: a float, whatever they are.
---@overload fun(input: torch.Tensor|number|boolean, other: torch.Tensor|number|boolean, opts?: {rounding_mode: string|nil, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.divide_(input, other, opts) end

--- The sum of the products of the elements of two vectors.
---@param input torch.Tensor
---@param tensor torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.dot(input, tensor, opts) end

--- In training, each element 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of 0
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.dropout(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.dropout1d(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.dropout1d_(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.dropout2d(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.dropout2d_(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.dropout3d(input, p, training, opts) end

--- In training, each channel 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.dropout3d_(input, p, training, opts) end

--- In training, each element 0 with probability p, and the rest / (1 - p).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of 0
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.dropout_(input, p, training, opts) end

--- Parts one behind the other, of the third dim.
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: number|number[], opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param indices_or_sections integer how many equal parts
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.dsplit(input, indices_or_sections, opts) end

--- The tensors one behind the other, along the third dim.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.dstack(tensors, opts) end

--- The sum of products that an equation of labels describes: torch.einsum('bij,bjk->bik', a, b). A label names a dim; one that the output lacks is summed over, one that an operand repeats takes its diagonal, and '...' stands for all further dims, which broadcast. Without '->' the result has the labels that occur once, in order. Labels may also be lists of integers or '...' after each operand; the last list is that of the result.
---@param equation any
---@param ... any
---@return any
function nn.functional.einsum(equation, ...) end

--- Each element, alpha (exp(x) - 1) where it is negative.
---@overload fun(input: torch.Tensor, opts?: {alpha?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param alpha? number the limit on the left is -alpha
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.elu(input, alpha, opts) end

--- Each element, alpha (exp(x) - 1) where it is negative.
---@overload fun(input: torch.Tensor, opts?: {alpha?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param alpha? number the limit on the left is -alpha
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.elu_(input, alpha, opts) end

--- The rows of weight at the positions that input holds.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, opts?: {padding_idx?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, padding_idx?: integer, max_norm?: number, norm_type?: number, scale_grad_by_freq?: boolean, sparse?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, weight: torch.Tensor, opts?: {padding_idx?: integer, max_norm?: number, norm_type?: number, scale_grad_by_freq?: boolean, sparse?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param padding_idx? integer a row that gets no gradient
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.embedding(input, weight, padding_idx, opts) end

--- The sum, mean or maximum of weight's rows at the positions of each bag; 0 for empty ones.
---@overload fun(input: torch.Tensor, weight: torch.Tensor, offsets?: torch.Tensor, opts?: {max_norm?: number, norm_type?: number, scale_grad_by_freq?: boolean, mode?: string, sparse?: boolean, per_sample_weights?: torch.Tensor, include_last_offset?: boolean, padding_idx?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param weight torch.Tensor
---@param offsets? torch.Tensor
---@param max_norm? number bring the rows that are used down to this norm, in weight itself
---@param norm_type? number the exponent of that norm
---@param scale_grad_by_freq? boolean divide each row's gradient by how often input names it
---@param mode? string 'sum', 'mean' or 'max'
---@param sparse? boolean must be false: gradients are dense
---@param per_sample_weights? torch.Tensor
---@param include_last_offset? boolean whether offsets ends with the end of the last bag
---@param padding_idx? integer a row that counts for nothing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.embedding_bag(input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx, opts) end

--- As the function without _like, in the shape, dtype and device of input.
---@param input torch.Tensor
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.empty_like(input, opts) end

--- Whether the elements are equal.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.eq(input, other, opts) end

--- Whether the elements are equal.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.eq_(input, other, opts) end

--- Whether shapes and all elements are the same.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return boolean
function nn.functional.equal(input, other, opts) end

--- Error function of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.erf(input, opts) end

--- Error function of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.erf_(input, opts) end

--- 1 - erf(x), accurate where erf is near 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.erfc(input, opts) end

--- 1 - erf(x), accurate where erf is near 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.erfc_(input, opts) end

--- The number whose erf is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.erfinv(input, opts) end

--- The number whose erf is the element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.erfinv_(input, opts) end

--- e to the power of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.exp(input, opts) end

--- 2 to the power of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.exp2(input, opts) end

--- 2 to the power of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.exp2_(input, opts) end

--- e to the power of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.exp_(input, opts) end

--- 1 / (1 + exp(-x)) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.expit(input, opts) end

--- 1 / (1 + exp(-x)) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.expit_(input, opts) end

--- exp(x) - 1, accurate near 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.expm1(input, opts) end

--- exp(x) - 1, accurate near 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.expm1_(input, opts) end

--- Alpha_dropout of whole channels (dim 1).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.feature_alpha_dropout(input, p, training, opts) end

--- Alpha_dropout of whole channels (dim 1).
---@overload fun(input: torch.Tensor, opts?: {p?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the probability of being dropped
---@param training? boolean false: the input as it is
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.feature_alpha_dropout_(input, p, training, opts) end

--- Every element set to value, a number or a 0-dimensional tensor.
---@param input torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.fill(input, value, opts) end

--- Every element set to value, a number or a 0-dimensional tensor.
---@param input torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.fill_(input, value, opts) end

--- Each element without its fraction.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.fix(input, opts) end

--- Each element without its fraction.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.fix_(input, opts) end

--- Dims from start_dim to end_dim made one.
---@overload fun(input: torch.Tensor, opts?: {start_dim?: integer, end_dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param start_dim? integer the first of the dims to join
---@param end_dim? integer the last
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.flatten(input, start_dim, end_dim, opts) end

--- The tensor with the order along some dims turned round; a copy.
---@overload fun(input: torch.Tensor, opts?: {dims: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dims integer|integer[]|torch.Size the dims
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.flip(input, dims, opts) end

--- The columns in reverse order; a copy.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.fliplr(input, opts) end

--- The rows in reverse order; a copy.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.flipud(input, opts) end

--- Input to the power of exponent, in float64.
---@param input torch.Tensor|number|boolean
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.float_power(input, exponent, opts) end

--- Input to the power of exponent, in float64.
---@param input torch.Tensor|number|boolean
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.float_power_(input, exponent, opts) end

--- The largest integer not above each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.floor(input, opts) end

--- The largest integer not above each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.floor_(input, opts) end

--- The largest integer not above input / other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.floor_divide(input, other, opts) end

--- The largest integer not above input / other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.floor_divide_(input, other, opts) end

--- The larger of each pair, and the other one where one is nan.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.fmax(input, other, opts) end

--- The smaller of each pair, and the other one where one is nan.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.fmin(input, other, opts) end

--- What division leaves: the sign is input's.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.fmod(input, other, opts) end

--- What division leaves: the sign is input's.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.fmod_(input, other, opts) end

--- Columns added up as the windows of images that they are (col2im).
---@overload fun(input: torch.Tensor, opts?: {output_size: integer|integer[]|torch.Size, kernel_size: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param output_size integer|integer[]|torch.Size height and width of the images
---@param kernel_size integer|integer[]|torch.Size height and width of the windows
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param padding? integer|integer[]|torch.Size zeros around the images
---@param stride? integer|integer[]|torch.Size the step of the windows
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.fold(input, output_size, kernel_size, dilation, padding, stride, opts) end

--- The fraction of each element, with its sign.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.frac(input, opts) end

--- The fraction of each element, with its sign.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.frac_(input, opts) end

--- mantissa and exponent with input = mantissa 2^exponent, 1/2 <= |mantissa| < 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.frexp(input, opts) end

--- As the function without _like, in the shape, dtype and device of input.
---@overload fun(input: torch.Tensor, opts?: {fill_value: number|boolean, dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param fill_value number|boolean the number
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.full_like(input, fill_value, opts) end

--- Element [i][j] of the result is input[index[i][j]][j] for the first dim, and so on.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.gather(input, dim, index, opts) end

--- The negated log-likelihood of target under normal distributions of mean input and variance var, without its constant.
---@overload fun(input: torch.Tensor, target: torch.Tensor, var: torch.Tensor|number|boolean, opts?: {full?: boolean, eps?: number, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param var torch.Tensor|number|boolean
---@param full? boolean add the constant, log(2 pi) / 2
---@param eps? number variances below it count as it
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.gaussian_nll_loss(input, target, var, full, eps, reduction, opts) end

--- The greatest common divisor of each pair; of two zeros 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.gcd(input, other, opts) end

--- The greatest common divisor of each pair; of two zeros 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.gcd_(input, other, opts) end

--- Whether input is at least other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ge(input, other, opts) end

--- Whether input is at least other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ge_(input, other, opts) end

--- Each element times the normal distribution function at it.
---@param input torch.Tensor
---@param opts? {approximate?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.gelu(input, opts) end

--- LAPACK's form of a QR factorization: R above reflectors, and their factors.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.geqrf(input, opts) end

--- The matrix of products of the elements of two vectors.
---@param input torch.Tensor
---@param vec2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ger(input, vec2, opts) end

--- The first half along a dim times the sigmoid of the second.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim that is halved
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.glu(input, dim, opts) end

--- The slopes of sampled values along each dim, a tensor per dim.
---@overload fun(input: torch.Tensor, spacing: torch.Tensor[], opts?: {dim?: integer|integer[]|torch.Size, edge_order?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param opts? {spacing?: number|number[], dim?: integer|integer[]|torch.Size, edge_order?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.gradient(input, opts) end

--- Whether input is greater than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.greater(input, other, opts) end

--- Whether input is greater than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.greater_(input, other, opts) end

--- Whether input is at least other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.greater_equal(input, other, opts) end

--- Whether input is at least other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.greater_equal_(input, other, opts) end

--- Input at the positions of a grid, from -1 to 1 along each dim, x first.
---@overload fun(input: torch.Tensor, grid: torch.Tensor, opts?: {mode?: string, padding_mode?: string, align_corners?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param grid torch.Tensor
---@param mode? string 'bilinear', 'nearest', or 'bicubic' (4 dims)
---@param padding_mode? string what stands outside: 'zeros', 'border' or 'reflection'
---@param align_corners? boolean whether -1 and 1 are the centres of the corner elements; else their edges
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.grid_sample(input, grid, mode, padding_mode, align_corners, opts) end

--- Each sample normalised over groups of its channels, times weight, plus bias.
---@overload fun(input: torch.Tensor, opts?: {num_groups: integer, weight?: torch.Tensor, bias?: torch.Tensor, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param num_groups integer how many groups; a divisor of the number of channels
---@param weight? torch.Tensor
---@param bias? torch.Tensor
---@param eps? number added to the variance
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.group_norm(input, num_groups, weight, bias, eps, opts) end

--- Whether input is greater than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.gt(input, other, opts) end

--- Whether input is greater than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.gt_(input, other, opts) end

--- softmax((logits + Gumbel's noise) / tau): soft samples of categories.
---@overload fun(logits: torch.Tensor, opts?: {tau?: number, hard?: boolean, eps?: number, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param logits torch.Tensor
---@param tau? number the temperature, above 0: near 0 for samples that are near one-hot
---@param hard? boolean give one-hot samples, with the gradient of the soft ones
---@param eps? number not used, as in PyTorch
---@param dim? integer the dim of the categories
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.gumbel_softmax(logits, tau, hard, eps, dim, opts) end

--- Each element, or 0 where it is between -lambd and lambd.
---@overload fun(input: torch.Tensor, opts?: {lambd?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param lambd? number what is not farther from 0 becomes 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.hardshrink(input, lambd, opts) end

--- relu6(x + 3) / 6: sigmoid of straight parts.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.hardsigmoid(input, opts) end

--- relu6(x + 3) / 6: sigmoid of straight parts.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.hardsigmoid_(input, opts) end

--- x relu6(x + 3) / 6: silu of straight and parabolic parts.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.hardswish(input, opts) end

--- x relu6(x + 3) / 6: silu of straight and parabolic parts.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.hardswish_(input, opts) end

--- Each element, not below min_val and not above max_val.
---@overload fun(input: torch.Tensor, opts?: {min_val?: number, max_val?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param min_val? number the least result
---@param max_val? number the greatest result
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.hardtanh(input, min_val, max_val, opts) end

--- Each element, not below min_val and not above max_val.
---@overload fun(input: torch.Tensor, opts?: {min_val?: number, max_val?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param min_val? number the least result
---@param max_val? number the greatest result
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.hardtanh_(input, min_val, max_val, opts) end

--- 0 where input is negative, values where it is 0, else 1.
---@param input torch.Tensor
---@param values torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.heaviside(input, values, opts) end

--- 0 where input is negative, values where it is 0, else 1.
---@param input torch.Tensor
---@param values torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.heaviside_(input, values, opts) end

--- Input where target is 1, and where it is -1 what input lacks to margin.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {margin?: number, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param margin? number what inputs of target -1 should reach
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.hinge_embedding_loss(input, target, margin, reduction, opts) end

--- How many elements lie in each of `bins` equal parts of [min, max].
---@overload fun(input: torch.Tensor, opts?: {bins?: integer, min?: number|boolean, max?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param bins? integer how many parts
---@param min? number|boolean where they begin; where min is max, the smallest element
---@param max? number|boolean where they end; where min is max, the largest element
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.histc(input, bins, min, max, opts) end

--- How many elements lie in each of `bins` equal parts, and the edges of these.
---@overload fun(input: torch.Tensor, opts?: {bins?: integer, range?: number|number[], weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, bins: torch.Tensor, opts?: {weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param bins? integer how many parts
---@param opts? {range?: number|number[], weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.histogram(input, bins, opts) end

--- How many points lie in each box of a grid, and the edges along each coordinate.
---@overload fun(input: torch.Tensor, opts?: {bins: integer|integer[]|torch.Size, range?: number|number[], weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, bins: torch.Tensor[], opts?: {weight?: torch.Tensor, density?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param bins integer|integer[]|torch.Size how many parts along each coordinate: a number, or one for each
---@param range? number|number[] where they begin and end, two numbers for each coordinate
---@param weight? torch.Tensor
---@param density? boolean divided by the sum and by the sizes of the bins
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.histogramdd(input, bins, range, weight, density, opts) end

--- Parts side by side: of the second dim, of a vector the first.
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: number|number[], opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param indices_or_sections integer how many equal parts
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.hsplit(input, indices_or_sections, opts) end

--- The tensors side by side: along the second dim, vectors the first.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.hstack(tensors, opts) end

--- Half the squared differences below delta, delta times (absolute less delta / 2) above.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, delta?: number, weight?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param delta? number where it turns from square to absolute; above 0
---@param weight? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.huber_loss(input, target, reduction, delta, weight, opts) end

--- The square root of input² + other², without overflow.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.hypot(input, other, opts) end

--- The square root of input² + other², without overflow.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.hypot_(input, other, opts) end

--- The modified Bessel function of the first kind, of order 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.i0(input, opts) end

--- The modified Bessel function of the first kind, of order 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.i0_(input, opts) end

--- The regularised lower incomplete gamma function.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.igamma(input, other, opts) end

--- The regularised lower incomplete gamma function.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.igamma_(input, other, opts) end

--- The regularised upper incomplete gamma function.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.igammac(input, other, opts) end

--- The regularised upper incomplete gamma function.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.igammac_(input, other, opts) end

--- Input with alpha times source added at the positions along a dim that index lists.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.index_add(input, dim, index, source, opts) end

--- Input with alpha times source added at the positions along a dim that index lists.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.index_add_(input, dim, index, source, opts) end

--- Input with source written to the positions along a dim that index lists; the last of several writes to one place stays.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.index_copy(input, dim, index, source, opts) end

--- Input with source written to the positions along a dim that index lists; the last of several writes to one place stays.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.index_copy_(input, dim, index, source, opts) end

--- Input with value at the positions along a dim that index lists.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.index_fill(input, dim, index, value, opts) end

--- Input with value at the positions along a dim that index lists.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.index_fill_(input, dim, index, value, opts) end

--- Input with values written where one index tensor or mask per dim points.
---@overload fun(input: torch.Tensor, indices: torch.Tensor[], values: torch.Tensor|number|boolean, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param indices torch.Tensor[]
---@param values torch.Tensor|number|boolean
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.index_put(input, indices, values, accumulate, opts) end

--- Input with values written where one index tensor or mask per dim points.
---@overload fun(input: torch.Tensor, indices: torch.Tensor[], values: torch.Tensor|number|boolean, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param indices torch.Tensor[]
---@param values torch.Tensor|number|boolean
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.index_put_(input, indices, values, accumulate, opts) end

--- Input with source joined to the positions along a dim that index lists; 'prod', 'mean', 'amax' or 'amin'.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.index_reduce(input, dim, index, source, reduce, opts) end

--- Input with source joined to the positions along a dim that index lists; 'prod', 'mean', 'amax' or 'amin'.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, source: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param source torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.index_reduce_(input, dim, index, source, reduce, opts) end

--- The positions along a dim that index lists, in its order.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.index_select(input, dim, index, opts) end

--- Sums of products over the last dims of both.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.inner(input, other, opts) end

--- Each channel of each sample normalised, times weight, plus bias.
---@overload fun(input: torch.Tensor, running_mean?: torch.Tensor, running_var?: torch.Tensor, weight?: torch.Tensor, bias?: torch.Tensor, opts?: {use_input_stats?: boolean, momentum?: number, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param running_mean? torch.Tensor
---@param running_var? torch.Tensor
---@param weight? torch.Tensor
---@param bias? torch.Tensor
---@param use_input_stats? boolean normalise by the sample, and move the running statistics
---@param momentum? number the weight of this batch in the running statistics
---@param eps? number added to the variance
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps, opts) end

--- Input with its spatial dims in other sizes.
---@overload fun(input: torch.Tensor, opts?: {size?: integer|integer[]|torch.Size, scale_factor?: number|number[], mode?: string, align_corners?: boolean, recompute_scale_factor?: boolean, antialias?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param size? integer|integer[]|torch.Size the sizes of the spatial dims, or one for all
---@param scale_factor? number|number[] their factors, or one for all, in place of size
---@param mode? string 'nearest', 'nearest-exact', 'linear' (3 dims), 'bilinear' and 'bicubic' (4), 'trilinear' (5) or 'area'
---@param align_corners? boolean whether the centres of the corners keep their values (linear and cubic)
---@param recompute_scale_factor? boolean take the factors from the sizes that result
---@param antialias? boolean widen the filter where the result is smaller (bilinear and bicubic)
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias, opts) end

--- The inverses of matrices; as linalg.inv.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.inverse(input, opts) end

--- Whether input is within atol + rtol |other| of other.
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {rtol?: number, atol?: number, equal_nan?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param other torch.Tensor
---@param rtol? number tolerance relative to other
---@param atol? number absolute tolerance
---@param equal_nan? boolean nan is close to nan
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.isclose(input, other, rtol, atol, equal_nan, opts) end

--- Whether each element is neither infinite nor nan.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.isfinite(input, opts) end

--- Whether each element is one of test_elements.
---@param elements torch.Tensor|number|boolean
---@param test_elements torch.Tensor|number|boolean
---@param opts? {assume_unique?: boolean, invert?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.isin(elements, test_elements, opts) end

--- Whether each element is infinite.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.isinf(input, opts) end

--- Whether each element is nan.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.isnan(input, opts) end

--- Whether each element is minus infinity.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.isneginf(input, opts) end

--- Whether each element is infinity.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.isposinf(input, opts) end

--- Whether each element has no imaginary part: true.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.isreal(input, opts) end

--- target * (log(target) - input): the divergence from log-probabilities to probabilities.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, log_target?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'batchmean', 'sum' or 'none'
---@param log_target? boolean whether target holds logarithms, too
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.kl_div(input, target, reduction, log_target, opts) end

--- Kronecker's product: every element of input times the whole of other, side by side.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.kron(input, other, opts) end

--- The k-th smallest elements along a dim, and where they are.
---@overload fun(input: torch.Tensor, opts?: {k: integer, dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param k integer which: 1 is the smallest
---@param dim? integer the dim to reduce
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.kthvalue(input, k, dim, keepdim, opts) end

--- Absolute differences.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, weight?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param weight? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.l1_loss(input, target, reduction, weight, opts) end

--- Normalised over the last dims, times weight, plus bias.
---@overload fun(input: torch.Tensor, opts?: {normalized_shape: integer|integer[]|torch.Size, weight?: torch.Tensor, bias?: torch.Tensor, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param normalized_shape integer|integer[]|torch.Size the last extents of input, over which to normalise
---@param weight? torch.Tensor
---@param bias? torch.Tensor
---@param eps? number added to the variance
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.layer_norm(input, normalized_shape, weight, bias, eps, opts) end

--- The least common multiple of each pair; 0 where one is 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lcm(input, other, opts) end

--- The least common multiple of each pair; 0 where one is 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lcm_(input, other, opts) end

--- Input times 2^other.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ldexp(input, other, opts) end

--- Input times 2^other.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ldexp_(input, other, opts) end

--- Whether input is at most other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.le(input, other, opts) end

--- Whether input is at most other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.le_(input, other, opts) end

--- Each element, times negative_slope where it is negative.
---@overload fun(input: torch.Tensor, opts?: {negative_slope?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param negative_slope? number the slope below 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.leaky_relu(input, negative_slope, opts) end

--- Each element, times negative_slope where it is negative.
---@overload fun(input: torch.Tensor, opts?: {negative_slope?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param negative_slope? number the slope below 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.leaky_relu_(input, negative_slope, opts) end

--- input + weight (end - input): input at weight 0, end at 1.
---@param input torch.Tensor
---@param end_ torch.Tensor
---@param weight torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lerp(input, end_, weight, opts) end

--- input + weight (end - input): input at weight 0, end at 1.
---@param input torch.Tensor
---@param end_ torch.Tensor
---@param weight torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lerp_(input, end_, weight, opts) end

--- Whether input is less than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.less(input, other, opts) end

--- Whether input is less than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.less_(input, other, opts) end

--- Whether input is at most other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.less_equal(input, other, opts) end

--- Whether input is at most other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.less_equal_(input, other, opts) end

--- The logarithm of the absolute value of the gamma function.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lgamma(input, opts) end

--- The logarithm of the absolute value of the gamma function.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lgamma_(input, opts) end

--- input @ weight:t() + bias, over the last dim of input.
---@param input torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.linear(input, weight, bias, opts) end

--- Each element over a power of its neighbouring channels.
---@overload fun(input: torch.Tensor, opts?: {size: integer, alpha?: number, beta?: number, k?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param size integer how many channels count as neighbours
---@param alpha? number multiplies the mean of squares
---@param beta? number the exponent
---@param k? number added before the power
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.local_response_norm(input, size, alpha, beta, k, opts) end

--- Natural logarithm of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.log(input, opts) end

--- Logarithm to base 10 of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.log10(input, opts) end

--- Logarithm to base 10 of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.log10_(input, opts) end

--- log(1 + x), accurate near 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.log1p(input, opts) end

--- log(1 + x), accurate near 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.log1p_(input, opts) end

--- Logarithm to base 2 of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.log2(input, opts) end

--- Logarithm to base 2 of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.log2_(input, opts) end

--- Natural logarithm of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.log_(input, opts) end

--- The logarithm of softmax, computed without underflow.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that sums to one
---@param dtype? torch.dtype|string convert to this dtype first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.log_softmax(input, dim, dtype, opts) end

--- The logarithm of exp(input) + exp(other), without overflow.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logaddexp(input, other, opts) end

--- The logarithm to base 2 of 2^input + 2^other, without overflow.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logaddexp2(input, other, opts) end

--- The logarithm of the sum of the exponentials so far along a dim.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to sum along
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logcumsumexp(input, dim, opts) end

--- The logarithms of determinants; nan where one is negative.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logdet(input, opts) end

--- Whether both elements are not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logical_and(input, other, opts) end

--- Whether both elements are not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logical_and_(input, other, opts) end

--- Whether each element is 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logical_not(input, opts) end

--- Whether each element is 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logical_not_(input, opts) end

--- Whether one of the elements is not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logical_or(input, other, opts) end

--- Whether one of the elements is not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logical_or_(input, other, opts) end

--- Whether just one of the elements is not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logical_xor(input, other, opts) end

--- Whether just one of the elements is not 0.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logical_xor_(input, other, opts) end

--- log(x / (1 - x)), of x held within eps of 0 and 1 where eps is given.
---@overload fun(input: torch.Tensor, opts?: {eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param eps? number elements are held in [eps, 1 - eps]; nil: they are not
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logit(input, eps, opts) end

--- log(x / (1 - x)), of x held within eps of 0 and 1 where eps is given.
---@overload fun(input: torch.Tensor, opts?: {eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param eps? number elements are held in [eps, 1 - eps]; nil: they are not
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logit_(input, eps, opts) end

--- The logarithm of sigmoid, without underflow.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logsigmoid(input, opts) end

--- The logarithm of sigmoid, without underflow.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logsigmoid_(input, opts) end

--- The logarithm of the sum of exponentials over dims.
---@overload fun(input: torch.Tensor, opts?: {dim: integer|integer[]|torch.Size, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer|integer[]|torch.Size the dim or dims to reduce
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.logsumexp(input, dim, keepdim, opts) end

--- The p-norm of each window of a sequence: (sum of x^p)^(1 / p).
---@overload fun(input: torch.Tensor, opts?: {norm_type: number|boolean, kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, ceil_mode?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param norm_type number|boolean the exponent p of the norm; not 0
---@param kernel_size integer|integer[]|torch.Size the extents of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param ceil_mode? boolean count a last window that is only partly inside
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lp_pool1d(input, norm_type, kernel_size, stride, ceil_mode, opts) end

--- The p-norm of each window: (sum of x^p)^(1 / p).
---@overload fun(input: torch.Tensor, opts?: {norm_type: number|boolean, kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, ceil_mode?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param norm_type number|boolean the exponent p of the norm; not 0
---@param kernel_size integer|integer[]|torch.Size the extents of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param ceil_mode? boolean count a last window that is only partly inside
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lp_pool2d(input, norm_type, kernel_size, stride, ceil_mode, opts) end

--- The p-norm of each window of a volume: (sum of x^p)^(1 / p).
---@overload fun(input: torch.Tensor, opts?: {norm_type: number|boolean, kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, ceil_mode?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param norm_type number|boolean the exponent p of the norm; not 0
---@param kernel_size integer|integer[]|torch.Size the extents of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param ceil_mode? boolean count a last window that is only partly inside
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lp_pool3d(input, norm_type, kernel_size, stride, ceil_mode, opts) end

--- Whether input is less than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lt(input, other, opts) end

--- Whether input is less than other.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lt_(input, other, opts) end

--- The factors of A = P L U in one matrix, with the exchanges of rows, counted from 1; with get_infos also info, the first zero on U's diagonal, counted from 1, or 0.
---@overload fun(A: torch.Tensor, opts?: {pivot?: boolean, get_infos?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param A torch.Tensor
---@param pivot? boolean exchange rows; LAPACK knows no other way
---@param get_infos? boolean also return info
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.lu(A, pivot, get_infos, opts) end

--- The solution X of A X = input, from what lu gives of A.
---@param b torch.Tensor
---@param LU_data torch.Tensor
---@param LU_pivots torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.lu_solve(b, LU_data, LU_pivots, opts) end

--- P, L and U of what lu_factor gives.
---@overload fun(LU_data: torch.Tensor, LU_pivots: torch.Tensor, opts?: {unpack_data?: boolean, unpack_pivots?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param LU_data torch.Tensor
---@param LU_pivots torch.Tensor
---@param unpack_data? boolean false: L and U are empty
---@param unpack_pivots? boolean false: P is empty
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots, opts) end

--- What input1 lacks to be above input2 (target 1), or below it (-1), by margin.
---@overload fun(input1: torch.Tensor, input2: torch.Tensor, target: torch.Tensor, opts?: {margin?: number, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input1 torch.Tensor
---@param input2 torch.Tensor
---@param target torch.Tensor
---@param margin? number the distance wanted
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.margin_ranking_loss(input1, input2, target, margin, reduction, opts) end

--- Input with value where mask is true.
---@param input torch.Tensor
---@param mask torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.masked_fill(input, mask, value, opts) end

--- Input with value where mask is true.
---@param input torch.Tensor
---@param mask torch.Tensor
---@param value torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.masked_fill_(input, mask, value, opts) end

--- Input with its elements where mask is true replaced by those of source, in order.
---@param input torch.Tensor
---@param mask torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.masked_scatter(input, mask, source, opts) end

--- Input with its elements where mask is true replaced by those of source, in order.
---@param input torch.Tensor
---@param mask torch.Tensor
---@param source torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.masked_scatter_(input, mask, source, opts) end

--- The elements of input where mask is true, as one dim.
---@param input torch.Tensor
---@param mask torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.masked_select(input, mask, opts) end

--- The product of vectors, matrices or batches of matrices; batch dims broadcast.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.matmul(input, other, opts) end

--- The exponentials of matrices: I + A + A²/2 + A³/6 + …
---@param A torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.matrix_exp(A, opts) end

--- The n-th powers of matrices; of their inverses for n < 0.
---@overload fun(A: torch.Tensor, opts?: {n: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param A torch.Tensor
---@param n integer the exponent
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.matrix_power(A, n, opts) end

--- The largest element of all.
---@overload fun(input: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.max(input, opts) end

--- The largest element of each window of a sequence.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, ceil_mode?: boolean, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size elements around the input that never are the largest
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param ceil_mode? boolean count a last window that is only partly inside
---@param return_indices? boolean also return where they stand, as max_pool2d_with_indices does
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, opts) end

--- The largest element of each window.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, ceil_mode?: boolean, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size elements around the input that never are the largest
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param ceil_mode? boolean count a last window that is only partly inside
---@param return_indices? boolean also return where they stand, as max_pool2d_with_indices does
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, opts) end

--- The largest element of each window, and where it stands.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, ceil_mode?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size elements around the input that never are the largest
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param ceil_mode? boolean count a last window that is only partly inside
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode, opts) end

--- The largest element of each window of a volume.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, ceil_mode?: boolean, return_indices?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size elements around the input that never are the largest
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param ceil_mode? boolean count a last window that is only partly inside
---@param return_indices? boolean also return where they stand, as max_pool2d_with_indices does
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, opts) end

--- The largest element of each window, and where it stands.
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, ceil_mode?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size depth, height and width of the window
---@param stride? integer|integer[]|torch.Size the step of the window; kernel_size where nil
---@param padding? integer|integer[]|torch.Size elements around the input that never are the largest
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param ceil_mode? boolean count a last window that is only partly inside
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode, opts) end

--- Undoes max_pool1d, with zeros elsewhere.
---@overload fun(input: torch.Tensor, indices: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, output_size?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param indices torch.Tensor
---@param kernel_size integer|integer[]|torch.Size the window of the pooling
---@param stride? integer|integer[]|torch.Size its step; kernel_size where nil
---@param padding? integer|integer[]|torch.Size its padding
---@param output_size? integer|integer[]|torch.Size the extents of the result, where several are possible
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.max_unpool1d(input, indices, kernel_size, stride, padding, output_size, opts) end

--- Undoes max_pool2d, with zeros elsewhere.
---@overload fun(input: torch.Tensor, indices: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, output_size?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param indices torch.Tensor
---@param kernel_size integer|integer[]|torch.Size the window of the pooling
---@param stride? integer|integer[]|torch.Size its step; kernel_size where nil
---@param padding? integer|integer[]|torch.Size its padding
---@param output_size? integer|integer[]|torch.Size the extents of the result, where several are possible
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.max_unpool2d(input, indices, kernel_size, stride, padding, output_size, opts) end

--- Undoes max_pool3d, with zeros elsewhere.
---@overload fun(input: torch.Tensor, indices: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, output_size?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param indices torch.Tensor
---@param kernel_size integer|integer[]|torch.Size the window of the pooling
---@param stride? integer|integer[]|torch.Size its step; kernel_size where nil
---@param padding? integer|integer[]|torch.Size its padding
---@param output_size? integer|integer[]|torch.Size the extents of the result, where several are possible
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.max_unpool3d(input, indices, kernel_size, stride, padding, output_size, opts) end

--- The larger of each pair; nan where one is nan.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.maximum(input, other, opts) end

--- Mean over dims.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.mean(input, dim, keepdim, opts) end

--- The median of all elements; nan where one is nan.
---@overload fun(input: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.median(input, opts) end

--- The coordinates of a grid whose axes are the vectors.
---@param tensors torch.Tensor[]
---@param opts? {indexing?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.meshgrid(tensors, opts) end

--- The smallest element of all.
---@overload fun(input: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, other: torch.Tensor, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.min(input, opts) end

--- The smaller of each pair; nan where one is nan.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.minimum(input, other, opts) end

--- Each element times tanh(softplus(x)).
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.mish(input, opts) end

--- Each element times tanh(softplus(x)).
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.mish_(input, opts) end

--- The product of two matrices.
---@param input torch.Tensor
---@param mat2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.mm(input, mat2, opts) end

--- The elements that come most often along a dim, the smallest of them, and where the last of these is.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to reduce
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.mode(input, dim, keepdim, opts) end

--- A view with some dims moved to other places.
---@overload fun(input: torch.Tensor, opts?: {source: integer|integer[]|torch.Size, destination: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param source integer|integer[]|torch.Size the dims to move
---@param destination integer|integer[]|torch.Size where they go
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.moveaxis(input, source, destination, opts) end

--- A view with some dims moved to other places.
---@overload fun(input: torch.Tensor, opts?: {source: integer|integer[]|torch.Size, destination: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param source integer|integer[]|torch.Size the dims to move
---@param destination integer|integer[]|torch.Size where they go
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.movedim(input, source, destination, opts) end

--- Squared differences.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, weight?: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param weight? torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.mse_loss(input, target, reduction, weight, opts) end

--- The elements in order along the first dim.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.msort(input, opts) end

--- Product of input and other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.mul(input, other, opts) end

--- Product of input and other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.mul_(input, other, opts) end

--- Multi-head attention with the projections before and after it.
---@overload fun(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, opts?: {embed_dim_to_check: integer, num_heads: integer, in_proj_weight?: torch.Tensor, in_proj_bias?: torch.Tensor, bias_k?: torch.Tensor, bias_v?: torch.Tensor, add_zero_attn?: boolean, dropout_p?: number, out_proj_weight?: torch.Tensor, out_proj_bias?: torch.Tensor, training?: boolean, key_padding_mask?: torch.Tensor, need_weights?: boolean, attn_mask?: torch.Tensor, use_separate_proj_weight?: boolean, q_proj_weight?: torch.Tensor, k_proj_weight?: torch.Tensor, v_proj_weight?: torch.Tensor, static_k?: torch.Tensor, static_v?: torch.Tensor, average_attn_weights?: boolean, is_causal?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param query torch.Tensor
---@param key torch.Tensor
---@param value torch.Tensor
---@param embed_dim_to_check integer the features of query
---@param num_heads integer how many heads share the features
---@param in_proj_weight? torch.Tensor
---@param in_proj_bias? torch.Tensor
---@param bias_k? torch.Tensor
---@param bias_v? torch.Tensor
---@param add_zero_attn? boolean add a key and a value of zeros
---@param dropout_p? number the probability with which a weight becomes 0
---@param out_proj_weight? torch.Tensor
---@param out_proj_bias? torch.Tensor
---@param training? boolean false: no dropout
---@param key_padding_mask? torch.Tensor
---@param need_weights? boolean whether the weights are a result, too
---@param attn_mask? torch.Tensor
---@param use_separate_proj_weight? boolean q_, k_ and v_proj_weight in place of in_proj_weight
---@param q_proj_weight? torch.Tensor
---@param k_proj_weight? torch.Tensor
---@param v_proj_weight? torch.Tensor
---@param static_k? torch.Tensor
---@param static_v? torch.Tensor
---@param average_attn_weights? boolean the mean of the weights over heads
---@param is_causal? boolean a hint that attn_mask is the causal one
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training, key_padding_mask, need_weights, attn_mask, use_separate_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, static_k, static_v, average_attn_weights, is_causal, opts) end

--- What the label's input lacks to be above the others by margin, to the power of p.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {p?: integer, margin?: number, weight?: torch.Tensor, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param p? integer the exponent, 1 or 2
---@param margin? number the distance wanted
---@param weight? torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.multi_margin_loss(input, target, p, margin, weight, reduction, opts) end

--- What the inputs of each row's labels lack to be above all others by 1; -1 ends a row.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.multilabel_margin_loss(input, target, reduction, opts) end

--- Cross entropy of sigmoid(input) and target (0 or 1 for each label), the mean over labels.
---@overload fun(input: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, opts?: {reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.multilabel_soft_margin_loss(input, target, weight, reduction, opts) end

--- Positions drawn with the weights of each row as chances.
---@overload fun(input: torch.Tensor, opts?: {num_samples: integer, replacement?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param num_samples integer how many of each row
---@param replacement? boolean whether a position may come again
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.multinomial(input, num_samples, replacement, opts) end

--- Product of input and other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.multiply(input, other, opts) end

--- Product of input and other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.multiply_(input, other, opts) end

--- The product of a matrix and a vector.
---@param input torch.Tensor
---@param vec torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.mv(input, vec, opts) end

--- The logarithm of the multivariate gamma function of dimension p.
---@overload fun(input: torch.Tensor, opts?: {p: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p integer the dimension, at least 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.mvlgamma(input, p, opts) end

--- The logarithm of the multivariate gamma function of dimension p.
---@overload fun(input: torch.Tensor, opts?: {p: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p integer the dimension, at least 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.mvlgamma_(input, p, opts) end

--- Numbers in place of nan and infinities.
---@overload fun(input: torch.Tensor, opts?: {nan?: number, posinf?: number, neginf?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param nan? number in place of nan; nil: 0
---@param posinf? number in place of infinity; nil: the greatest number of the dtype
---@param neginf? number in place of minus infinity; nil: the least number of the dtype
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.nan_to_num(input, nan, posinf, neginf, opts) end

--- Numbers in place of nan and infinities.
---@overload fun(input: torch.Tensor, opts?: {nan?: number, posinf?: number, neginf?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param nan? number in place of nan; nil: 0
---@param posinf? number in place of infinity; nil: the greatest number of the dtype
---@param neginf? number in place of minus infinity; nil: the least number of the dtype
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.nan_to_num_(input, nan, posinf, neginf, opts) end

--- Mean over dims of what is not nan; nan where all are.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.nanmean(input, dim, keepdim, opts) end

--- The median of all elements that are not nan.
---@overload fun(input: torch.Tensor, dim: integer, keepdim?: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.nanmedian(input, opts) end

--- Quantile of what is not nan.
---@overload fun(input: torch.Tensor, opts?: {q: number, dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, q: torch.Tensor, dim?: integer, keepdim?: boolean, opts?: {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, q: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param q number which part of the elements lies below, from 0 to 1
---@param dim? integer the dim to reduce; nil: all elements as one dim
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.nanquantile(input, q, dim, keepdim, opts) end

--- Sum over dims of what is not nan; integers and bool as sum.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.nansum(input, dim, keepdim, opts) end

--- A view of `length` positions along a dim, from `start`.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, start: integer, length: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim
---@param start integer the first position
---@param length integer how many
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.narrow(input, dim, start, length, opts) end

--- A copy of `length` positions along a dim, from `start`.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, start: integer, length: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim
---@param start integer the first position
---@param length integer how many
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.narrow_copy(input, dim, start, length, opts) end

--- Channels [g, C / g] in the order [C / g, g], so that groups exchange theirs.
---@overload fun(input: torch.Tensor, opts?: {groups: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param groups integer g
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.native_channel_shuffle(input, groups, opts) end

--- Whether the elements differ.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ne(input, other, opts) end

--- Whether the elements differ.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ne_(input, other, opts) end

--- Each element with its sign changed.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.neg(input, opts) end

--- Each element with its sign changed.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.neg_(input, opts) end

--- Each element with its sign changed.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.negative(input, opts) end

--- Each element with its sign changed.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.negative_(input, opts) end

--- The next number of the dtype from input towards other.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.nextafter(input, other, opts) end

--- The next number of the dtype from input towards other.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.nextafter_(input, other, opts) end

--- The negated input at each label, weighted.
---@overload fun(input: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, opts?: {ignore_index?: integer, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor
---@param ignore_index? integer the label that counts for nothing
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.nll_loss(input, target, weight, ignore_index, reduction, opts) end

--- The positions of elements that are not 0, one per row.
---@overload fun(input: torch.Tensor, opts?: {as_tuple: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.nonzero(input, opts) end

--- The positions of elements that are not 0, one per row, in exactly `size` rows.
---@param input torch.Tensor
---@param opts? {size: integer, fill_value?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.nonzero_static(input, opts) end

--- The p-norm over dims: the p-th root of the sum of |x|^p; inf: the largest |x|.
---@overload fun(input: torch.Tensor, opts?: {p?: number|boolean, dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, p: string, dim?: integer|integer[]|torch.Size, keepdim?: boolean, opts?: {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {p: string, dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number|boolean the exponent; 2 is the Euclidean norm
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.norm(input, p, dim, keepdim, opts) end

--- Normal numbers, each with its own mean and std.
---@overload fun(mean: number, std: number, size: integer|integer[]|torch.Size, opts?: {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(opts?: {mean: number, std: number, size: integer|integer[]|torch.Size, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param mean torch.Tensor|number|boolean
---@param std? torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.normal(mean, std, opts) end

--- Vectors along a dim over their p-norm, which counts as eps below it.
---@overload fun(input: torch.Tensor, opts?: {p?: number, dim?: integer|integer[]|torch.Size, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the exponent of the norm
---@param dim? integer|integer[]|torch.Size the dim or dims that hold a vector
---@param eps? number the least to divide by
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.normalize(input, p, dim, eps, opts) end

--- Whether the elements differ.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.not_equal(input, other, opts) end

--- Whether the elements differ.
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.not_equal_(input, other, opts) end

--- A row for each element, 1 at the class that it names and 0 elsewhere.
---@overload fun(tensor: torch.Tensor, opts?: {num_classes?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param tensor torch.Tensor
---@param num_classes? integer how many classes there are; -1: as many as the largest one says
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.one_hot(tensor, num_classes, opts) end

--- As the function without _like, in the shape, dtype and device of input.
---@param input torch.Tensor
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ones_like(input, opts) end

--- The older name of linalg.householder_product.
---@param input torch.Tensor
---@param tau torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.orgqr(input, tau, opts) end

--- The product of reflectors (input, with factors input2) times the matrix input3.
---@overload fun(input: torch.Tensor, tau: torch.Tensor, other: torch.Tensor, opts?: {left?: boolean, transpose?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param tau torch.Tensor
---@param other torch.Tensor
---@param left? boolean the product stands on the left
---@param transpose? boolean the product is transposed
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ormqr(input, tau, other, left, transpose, opts) end

--- The matrix of products of the elements of two vectors.
---@param input torch.Tensor
---@param vec2 torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.outer(input, vec2, opts) end

--- Input with elements added around it: pad[1] before and pad[2] after the last dim, the next two for the dim before it, and so on. Negative numbers cut off.
---@overload fun(input: torch.Tensor, opts?: {pad: integer|integer[]|torch.Size, mode?: string, value?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param pad integer|integer[]|torch.Size elements before and after the last dim, then the one before it, …
---@param mode? string 'constant', 'reflect', 'replicate' or 'circular'
---@param value? number|boolean what is added, for 'constant'; nil: 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.pad(input, pad, mode, value, opts) end

--- The p-norm of x1 - x2 + eps over the last dim.
---@overload fun(x1: torch.Tensor, x2: torch.Tensor, opts?: {p?: number, eps?: number, keepdim?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param x1 torch.Tensor
---@param x2 torch.Tensor
---@param p? number the norm
---@param eps? number added to each difference, so that none is 0
---@param keepdim? boolean keep the last dim with extent 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.pairwise_distance(x1, x2, p, eps, keepdim, opts) end

--- The p-norms of the differences of all pairs of rows: (1, 2), (1, 3), … (2, 3), …
---@overload fun(input: torch.Tensor, opts?: {p?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p? number the norm: 0 counts differences, inf takes the largest
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.pdist(input, p, opts) end

--- A view with the dims in another order.
---@overload fun(input: torch.Tensor, opts?: {dims: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dims integer|integer[]|torch.Size which dim comes first, second, …
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.permute(input, dims, opts) end

--- As linalg.pinv.
---@overload fun(input: torch.Tensor, opts?: {rcond?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param rcond? number singular values up to it times the largest count as 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.pinverse(input, rcond, opts) end

--- […, C r², H, W] as […, C, H r, W r]: channels become pixels between the others.
---@overload fun(input: torch.Tensor, opts?: {upscale_factor: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param upscale_factor integer r
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.pixel_shuffle(input, upscale_factor, opts) end

--- […, C, H r, W r] as […, C r², H, W]: undoes pixel_shuffle.
---@overload fun(input: torch.Tensor, opts?: {downscale_factor: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param downscale_factor integer r
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.pixel_unshuffle(input, downscale_factor, opts) end

--- Poisson distributed numbers, of the rates that input holds.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.poisson(input, opts) end

--- The negated log-likelihood of counts (target) under Poisson distributions of rate exp(input), without its constant.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {log_input?: boolean, full?: boolean, eps?: number, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param log_input? boolean whether input holds logarithms of rates; false: rates
---@param full? boolean add Stirling's approximation of log(target!) for targets above 1
---@param eps? number added to rates before their logarithm is taken
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.poisson_nll_loss(input, target, log_input, full, eps, reduction, opts) end

--- The n-th derivative of digamma.
---@overload fun(opts?: {n: integer, input: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, n: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {n: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param n integer which derivative; not negative
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.polygamma(n, input, opts) end

--- The n-th derivative of digamma.
---@overload fun(opts?: {n: integer, input: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, n: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {n: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param n integer which derivative; not negative
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.polygamma_(n, input, opts) end

--- The elements themselves.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.positive(input, opts) end

--- The elements themselves.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.positive_(input, opts) end

--- Input to the power of exponent.
---@param input torch.Tensor|number|boolean
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.pow(input, exponent, opts) end

--- Input to the power of exponent.
---@param input torch.Tensor|number|boolean
---@param exponent torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.pow_(input, exponent, opts) end

--- Each element, times weight where it is negative; one weight, or one per channel.
---@param input torch.Tensor
---@param weight torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.prelu(input, weight, opts) end

--- Product over all elements or along one dim.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to reduce; all where nil
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.prod(input, dim, keepdim, opts) end

--- Input with source's elements at positions of its flat form.
---@overload fun(input: torch.Tensor, index: torch.Tensor, source: torch.Tensor, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param index torch.Tensor
---@param source torch.Tensor
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.put(input, index, source, accumulate, opts) end

--- Input with source's elements at positions of its flat form.
---@overload fun(input: torch.Tensor, index: torch.Tensor, source: torch.Tensor, opts?: {accumulate?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param index torch.Tensor
---@param source torch.Tensor
---@param accumulate? boolean add instead of replacing
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.put_(input, index, source, accumulate, opts) end

--- The older form of linalg.qr.
---@overload fun(input: torch.Tensor, opts?: {some?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param some? boolean false: Q is square
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.qr(input, some, opts) end

--- Where a part q of the elements lies below, along a dim or of all.
---@overload fun(input: torch.Tensor, opts?: {q: number, dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, q: torch.Tensor, dim?: integer, keepdim?: boolean, opts?: {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, q: torch.Tensor, opts?: {dim?: integer, keepdim?: boolean, interpolation?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param q number which part of the elements lies below, from 0 to 1
---@param dim? integer the dim to reduce; nil: all elements as one dim
---@param keepdim? boolean keep the reduced dim with extent 1
---@param opts? {interpolation?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.quantile(input, q, dim, keepdim, opts) end

--- Radians as degrees.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.rad2deg(input, opts) end

--- Radians as degrees.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.rad2deg_(input, opts) end

--- As the function without _like, in the shape, dtype and device of input.
---@param input torch.Tensor
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.rand_like(input, opts) end

--- Integers from [0, high) in the shape, dtype and device of input.
---@overload fun(input: torch.Tensor, opts?: {high: integer, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, low: integer, high: integer, opts?: {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {low: integer, high: integer, dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param high integer integers stay below it
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.randint_like(input, high, opts) end

--- As the function without _like, in the shape, dtype and device of input.
---@param input torch.Tensor
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.randn_like(input, opts) end

--- One dim of all elements.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.ravel(input, opts) end

--- 1 over each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.reciprocal(input, opts) end

--- 1 over each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.reciprocal_(input, opts) end

--- Each element, or 0 where it is negative.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.relu(input, opts) end

--- Each element, not below 0 and not above 6.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.relu6(input, opts) end

--- Each element, not below 0 and not above 6.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.relu6_(input, opts) end

--- Each element, or 0 where it is negative.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.relu_(input, opts) end

--- input - other * floor(input / other): the sign is other's.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.remainder(input, other, opts) end

--- input - other * floor(input / other): the sign is other's.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.remainder_(input, other, opts) end

--- Slices along a dim whose p-norm is above maxnorm, brought down to it.
---@overload fun(input: torch.Tensor, opts?: {p: number|boolean, dim: integer, maxnorm: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p number|boolean the exponent of the norm, above 0
---@param dim integer the dim whose positions are the slices
---@param maxnorm number|boolean the largest norm
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.renorm(input, p, dim, maxnorm, opts) end

--- Slices along a dim whose p-norm is above maxnorm, brought down to it.
---@overload fun(input: torch.Tensor, opts?: {p: number|boolean, dim: integer, maxnorm: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param p number|boolean the exponent of the norm, above 0
---@param dim integer the dim whose positions are the slices
---@param maxnorm number|boolean the largest norm
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.renorm_(input, p, dim, maxnorm, opts) end

--- Each position along a dim, or each element, repeated.
---@overload fun(input: torch.Tensor, opts?: {repeats: integer, dim?: integer, output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, repeats: torch.Tensor, dim?: integer, opts?: {output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, repeats: torch.Tensor, opts?: {dim?: integer, output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(repeats: torch.Tensor, opts?: {output_size?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param repeats integer how often
---@param dim? integer the dim; nil: of all elements as one dim
---@param opts? {output_size?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.repeat_interleave(input, repeats, dim, opts) end

--- Another shape; a view where strides allow it, else a copy. One extent may be -1.
---@overload fun(input: torch.Tensor, opts?: {shape: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param shape integer|integer[]|torch.Size the new shape
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.reshape(input, shape, opts) end

--- Over the root of the mean of squares of the last dims, times weight.
---@overload fun(input: torch.Tensor, opts?: {normalized_shape: integer|integer[]|torch.Size, weight?: torch.Tensor, eps?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param normalized_shape integer|integer[]|torch.Size the last extents of input, over which to normalise
---@param weight? torch.Tensor
---@param eps? number added to the mean of squares; nil: the float dtype's epsilon
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.rms_norm(input, normalized_shape, weight, eps, opts) end

--- The tensor moved along some dims; what leaves at one end comes in at the other.
---@overload fun(input: torch.Tensor, opts?: {shifts: integer|integer[]|torch.Size, dims?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param shifts integer|integer[]|torch.Size how far along each of dims, towards the end
---@param dims? integer|integer[]|torch.Size the dims; none: along all elements as one dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.roll(input, shifts, dims, opts) end

--- The tensor turned by right angles in the plane of two dims.
---@overload fun(input: torch.Tensor, opts?: {k?: integer, dims?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param k? integer how many right angles, from the first of dims towards the second
---@param dims? integer|integer[]|torch.Size the plane
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.rot90(input, k, dims, opts) end

--- The nearest integer to each element, halves to even; to `decimals` places.
---@param input torch.Tensor
---@param opts? {decimals?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.round(input, opts) end

--- The nearest integer to each element, halves to even; to `decimals` places.
---@param input torch.Tensor
---@param opts? {decimals?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.round_(input, opts) end

--- The tensors below each other, vectors as rows.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.row_stack(tensors, opts) end

--- Each element, times a slope from [lower, upper] where it is negative.
---@overload fun(input: torch.Tensor, opts?: {lower?: number, upper?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param lower? number the least slope
---@param upper? number the greatest slope
---@param training? boolean draw a slope for each element; otherwise all take the mean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.rrelu(input, lower, upper, training, opts) end

--- Each element, times a slope from [lower, upper] where it is negative.
---@overload fun(input: torch.Tensor, opts?: {lower?: number, upper?: number, training?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param lower? number the least slope
---@param upper? number the greatest slope
---@param training? boolean draw a slope for each element; otherwise all take the mean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.rrelu_(input, lower, upper, training, opts) end

--- 1 over the square root of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.rsqrt(input, opts) end

--- 1 over the square root of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.rsqrt_(input, opts) end

--- Other less alpha times input.
---@overload fun(input: torch.Tensor, other: torch.Tensor|number|boolean, opts?: {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param other torch.Tensor|number|boolean
---@param alpha? number|boolean multiplies input
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.rsub(input, other, alpha, opts) end

--- softmax(query @ key^T * scale + mask) @ value.
---@overload fun(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask?: torch.Tensor, opts?: {dropout_p?: number, is_causal?: boolean, scale?: number, enable_gqa?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param query torch.Tensor
---@param key torch.Tensor
---@param value torch.Tensor
---@param attn_mask? torch.Tensor
---@param dropout_p? number the probability with which a weight becomes 0
---@param is_causal? boolean whether query i looks at keys up to i alone; attn_mask must be nil
---@param opts? {scale?: number, enable_gqa?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, opts) end

--- Input with src's elements written to the positions along a dim that index gives; the last of several writes to one place stays.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, opts?: {reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {reduce?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.scatter(input, dim, index, src, opts) end

--- Input with src's elements written to the positions along a dim that index gives; the last of several writes to one place stays.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, opts?: {reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, value: torch.Tensor|number|boolean, reduce?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {reduce?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.scatter_(input, dim, index, src, opts) end

--- Input with src's elements added at the positions along a dim that index gives, in order.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.scatter_add(input, dim, index, src, opts) end

--- Input with src's elements added at the positions along a dim that index gives, in order.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.scatter_add_(input, dim, index, src, opts) end

--- Input with src's elements joined to the positions along a dim that index gives; elements that nothing is joined to stay.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.scatter_reduce(input, dim, index, src, reduce, opts) end

--- Input with src's elements joined to the positions along a dim that index gives; elements that nothing is joined to stay.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: torch.Tensor, src: torch.Tensor, reduce: string, include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that the index counts along
---@param index torch.Tensor
---@param src torch.Tensor
---@param reduce string 'sum', 'prod', 'mean', 'amax' or 'amin'
---@param opts? {include_self?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.scatter_reduce_(input, dim, index, src, reduce, opts) end

--- Where elements would have to be inserted into rows in ascending order to keep it.
---@param sorted_sequence torch.Tensor
---@param values torch.Tensor|number|boolean
---@param opts? {sorter?: torch.Tensor, out_int32?: boolean, right?: boolean, side?: string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.searchsorted(sorted_sequence, values, opts) end

--- A view of one position along a dim, which goes away.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, index: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim
---@param index integer the position
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.select(input, dim, index, opts) end

--- Input with src at one position along a dim.
---@overload fun(input: torch.Tensor, src: torch.Tensor, opts?: {dim: integer, index: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param src torch.Tensor
---@param dim integer the dim
---@param index integer the position
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.select_scatter(input, src, dim, index, opts) end

--- elu scaled so that layers keep mean 0 and variance 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.selu(input, opts) end

--- elu scaled so that layers keep mean 0 and variance 1.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.selu_(input, opts) end

--- -1, 0 or 1 by the sign of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sgn(input, opts) end

--- -1, 0 or 1 by the sign of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sgn_(input, opts) end

--- 1 / (1 + exp(-x)) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sigmoid(input, opts) end

--- 1 / (1 + exp(-x)) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sigmoid_(input, opts) end

--- -1, 0 or 1 by the sign of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sign(input, opts) end

--- -1, 0 or 1 by the sign of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sign_(input, opts) end

--- Whether the sign of each element is minus; -0 has it too.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.signbit(input, opts) end

--- Each element times its sigmoid.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.silu(input, opts) end

--- Each element times its sigmoid.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.silu_(input, opts) end

--- Sine of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sin(input, opts) end

--- Sine of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sin_(input, opts) end

--- sin(pi x) / (pi x), and 1 at 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sinc(input, opts) end

--- sin(pi x) / (pi x), and 1 at 0.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sinc_(input, opts) end

--- Hyperbolic sine of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sinh(input, opts) end

--- Hyperbolic sine of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sinh_(input, opts) end

--- Input with src at positions start, start + step, … of a dim.
---@overload fun(input: torch.Tensor, src: torch.Tensor, opts?: {dim?: integer, start?: integer, stop?: integer, step?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param src torch.Tensor
---@param dim? integer the dim
---@param start? integer the first position; nil: the first of the dim
---@param end_? integer where the positions stop; nil: at the end of the dim
---@param step? integer the distance between positions
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.slice_scatter(input, src, dim, start, end_, step, opts) end

--- As linalg.slogdet.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.slogdet(input, opts) end

--- Squared differences over 2 beta below beta, absolute ones less beta / 2 above.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, beta?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param beta? number where it turns from square to absolute; at least 0
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.smooth_l1_loss(input, target, reduction, beta, opts) end

--- log(1 + exp(-target * input)) for targets 1 and -1.
---@overload fun(input: torch.Tensor, target: torch.Tensor, opts?: {reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param target torch.Tensor
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.soft_margin_loss(input, target, reduction, opts) end

--- Exponentials along a dim, scaled to sum to one.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that sums to one
---@param dtype? torch.dtype|string convert to this dtype first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.softmax(input, dim, dtype, opts) end

--- Softmax of the negated input.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim that sums to one
---@param dtype? torch.dtype|string convert to this dtype first
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.softmin(input, dim, dtype, opts) end

--- log(1 + exp(beta x)) / beta; x itself where beta x is above threshold.
---@overload fun(input: torch.Tensor, opts?: {beta?: number, threshold?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param beta? number the larger, the sharper the bend
---@param threshold? number above it the function is x
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.softplus(input, beta, threshold, opts) end

--- Each element moved towards 0 by lambd, and 0 where it would pass it.
---@overload fun(input: torch.Tensor, opts?: {lambd?: number, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param lambd? number by how much; not negative
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.softshrink(input, lambd, opts) end

--- x / (1 + |x|) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.softsign(input, opts) end

--- The elements along a dim in order, and where they were.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, descending?: boolean, stable?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim? integer the dim to sort along
---@param descending? boolean the largest first
---@param opts? {stable?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.sort(input, dim, descending, opts) end

--- Parts of split_size positions along a dim; the last may be smaller.
---@overload fun(tensor: torch.Tensor, opts?: {split_size_or_sections: integer, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(tensor: torch.Tensor, split_size_or_sections: number|number[], dim?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(tensor: torch.Tensor, opts?: {split_size_or_sections: number|number[], dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param tensor torch.Tensor
---@param split_size_or_sections integer positions in each part
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.split(tensor, split_size_or_sections, dim, opts) end

--- Parts of the given sizes along a dim.
---@overload fun(input: torch.Tensor, opts?: {split_sizes: number|number[], dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param split_sizes number|number[] the size of each part
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.split_with_sizes(input, split_sizes, dim, opts) end

--- Square root of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sqrt(input, opts) end

--- Square root of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sqrt_(input, opts) end

--- Each element times itself.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.square(input, opts) end

--- Each element times itself.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.square_(input, opts) end

--- A view without dims of extent 1: all of them, or those named.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dims to drop, if their extent is 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.squeeze(input, dim, opts) end

--- A view without dims of extent 1: all of them, or those named.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dims to drop, if their extent is 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.squeeze_(input, dim, opts) end

--- The tensors, all of one shape, side by side along a new dim.
---@overload fun(tensors: torch.Tensor[], opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param tensors torch.Tensor[]
---@param dim? integer where the new dim stands
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.stack(tensors, dim, opts) end

--- Standard deviation over dims: the square root of var.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, unbiased?: boolean, keepdim?: boolean, correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, unbiased: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {unbiased: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param unbiased? boolean false: the same as correction 0
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.std(input, dim, unbiased, keepdim, opts) end

--- Standard deviation and mean over dims.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, unbiased?: boolean, keepdim?: boolean, correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, unbiased: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {unbiased: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param unbiased? boolean false: the same as correction 0
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.std_mean(input, dim, unbiased, keepdim, opts) end

--- Input less alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sub(input, other, opts) end

--- Input less alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sub_(input, other, opts) end

--- Input less alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.subtract(input, other, opts) end

--- Input less alpha times other.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {alpha?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.subtract_(input, other, opts) end

--- Sum over dims; integers and bool accumulate in int64.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, keepdim?: boolean, dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {dtype?: torch.dtype|string, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.sum(input, dim, keepdim, opts) end

--- The older form of linalg.svd, with V in place of its transpose.
---@overload fun(input: torch.Tensor, opts?: {some?: boolean, compute_uv?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param some? boolean min(m, n) columns; false: U and V are square
---@param compute_uv? boolean false: U and V are zeros
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.svd(input, some, compute_uv, opts) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {axis0: integer, axis1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, dim0: integer, dim1: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param axis0 integer one dim
---@param axis1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.swapaxes(input, axis0, axis1, opts) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {axis0: integer, axis1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, dim0: integer, dim1: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param axis0 integer one dim
---@param axis1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.swapaxes_(input, axis0, axis1, opts) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.swapdims(input, dim0, dim1, opts) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.swapdims_(input, dim0, dim1, opts) end

--- The transpose of a matrix; tensors of fewer dims as they are.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.t(input, opts) end

--- The transpose of a matrix; tensors of fewer dims as they are.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.t_(input, opts) end

--- The elements at positions of the flattened input.
---@param input torch.Tensor
---@param index torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.take(input, index, opts) end

--- Gather, where input and indices broadcast in the other dims; without dim of all elements.
---@overload fun(input: torch.Tensor, indices: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param indices torch.Tensor
---@param dim? integer the dim that indices count along; nil: all elements as one dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.take_along_dim(input, indices, dim, opts) end

--- Tangent of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.tan(input, opts) end

--- Tangent of each element, in radians.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.tan_(input, opts) end

--- Hyperbolic tangent of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.tanh(input, opts) end

--- Hyperbolic tangent of each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.tanh_(input, opts) end

--- x - tanh(x) for each element.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.tanhshrink(input, opts) end

--- Parts along a dim; where they cannot be equal the first are larger.
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: integer, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: number|number[], dim?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: number|number[], dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: torch.Tensor, dim?: integer, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param indices_or_sections integer how many parts
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.tensor_split(input, indices_or_sections, dim, opts) end

--- Sums of products over the last `dims` dims of a and the first of b.
---@overload fun(a: torch.Tensor, b: torch.Tensor, opts?: {dims?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(a: torch.Tensor, b: torch.Tensor, dims: number|number[], opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(a: torch.Tensor, b: torch.Tensor, opts?: {dims: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param a torch.Tensor
---@param b torch.Tensor
---@param dims? integer how many dims to sum over
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.tensordot(a, b, dims, opts) end

--- Each element, or value where it is not above threshold.
---@overload fun(input: torch.Tensor, opts?: {threshold: number|boolean, value: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param threshold number|boolean elements above it stay
---@param value number|boolean what the others become
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.threshold(input, threshold, value, opts) end

--- Each element, or value where it is not above threshold.
---@overload fun(input: torch.Tensor, opts?: {threshold: number|boolean, value: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param threshold number|boolean elements above it stay
---@param value number|boolean what the others become
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.threshold_(input, threshold, value, opts) end

--- Copies of the tensor side by side, as repeat; numbers for the last dims may stand alone.
---@overload fun(input: torch.Tensor, opts?: {dims: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dims integer|integer[]|torch.Size how often along each dim, the last of them last
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.tile(input, dims, opts) end

--- The k largest elements along a dim, and where they are.
---@overload fun(input: torch.Tensor, opts?: {k: integer, dim?: integer, largest?: boolean, sorted?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param k integer how many
---@param dim? integer the dim
---@param largest? boolean false: the smallest
---@param sorted? boolean in order; luth always sorts them
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.topk(input, k, dim, largest, sorted, opts) end

--- The sum of a matrix's main diagonal.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.trace(input, opts) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.transpose(input, dim0, dim1, opts) end

--- A view with two dims exchanged.
---@overload fun(input: torch.Tensor, opts?: {dim0: integer, dim1: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim0 integer one dim
---@param dim1 integer the other
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.transpose_(input, dim0, dim1, opts) end

--- The integral of samples y at points x along a dim, by trapezoids.
---@param y torch.Tensor
---@param x? torch.Tensor
---@param opts? {dx?: number|boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.trapezoid(y, x, opts) end

--- The integral of samples y at points x along a dim, by trapezoids.
---@param y torch.Tensor
---@param x? torch.Tensor
---@param opts? {dx?: number|boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.trapz(y, x, opts) end

--- The lower triangle of matrices, zeros above a diagonal.
---@overload fun(input: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param diagonal? integer the last diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.tril(input, diagonal, opts) end

--- The lower triangle of matrices, zeros above a diagonal.
---@overload fun(input: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param diagonal? integer the last diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.tril_(input, diagonal, opts) end

--- How much nearer than margin the negative is to the anchor, compared with the positive.
---@overload fun(anchor: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor, opts?: {margin?: number, p?: number, eps?: number, swap?: boolean, reduction?: string, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param anchor torch.Tensor
---@param positive torch.Tensor
---@param negative torch.Tensor
---@param margin? number the difference of distances wanted; above 0
---@param p? number the exponent of the norm that measures distances
---@param eps? number added to differences
---@param swap? boolean take the negative's distance to the positive where that is less
---@param reduction? string 'mean', 'sum' or 'none'
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction, opts) end

--- As triplet_margin_loss, by a distance of the script's own: a function of two tensors, F.pairwise_distance where nil.
---@param anchor any
---@param positive any
---@param negative any
---@param opts? {distance_function?: any, margin?: number, swap?: boolean, reduction?: any}
---@return any
function nn.functional.triplet_margin_with_distance_loss(anchor, positive, negative, opts) end

--- The upper triangle of matrices, zeros below a diagonal.
---@overload fun(input: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param diagonal? integer the first diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.triu(input, diagonal, opts) end

--- The upper triangle of matrices, zeros below a diagonal.
---@overload fun(input: torch.Tensor, opts?: {diagonal?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param diagonal? integer the first diagonal to keep; 0 is the main one, 1 above it
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.triu_(input, diagonal, opts) end

--- Input divided by other: a float, whatever they are.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.true_divide(input, other, opts) end

--- Input divided by other: a float, whatever they are.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.true_divide_(input, other, opts) end

--- Each element without its fraction.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.trunc(input, opts) end

--- Each element without its fraction.
---@param input torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.trunc_(input, opts) end

--- The positions along a dim as tensors of their own.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param dim? integer the dim
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.unbind(input, dim, opts) end

--- One dim split into several.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, sizes: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer the dim to split
---@param sizes integer|integer[]|torch.Size its new extents; one may be -1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.unflatten(input, dim, sizes, opts) end

--- The windows of images as columns (im2col).
---@overload fun(input: torch.Tensor, opts?: {kernel_size: integer|integer[]|torch.Size, dilation?: integer|integer[]|torch.Size, padding?: integer|integer[]|torch.Size, stride?: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param kernel_size integer|integer[]|torch.Size height and width of the windows
---@param dilation? integer|integer[]|torch.Size the distance between the elements of a window
---@param padding? integer|integer[]|torch.Size zeros around the images
---@param stride? integer|integer[]|torch.Size the step of the windows
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.unfold(input, kernel_size, dilation, padding, stride, opts) end

--- The different elements, or positions along a dim, in ascending order.
---@overload fun(input: torch.Tensor, opts?: {sorted?: boolean, return_inverse?: boolean, return_counts?: boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param sorted? boolean in ascending order; luth always sorts them
---@param return_inverse? boolean also where each element is among the results
---@param return_counts? boolean also how many elements each result stands for
---@param dim? integer compare whole positions along this dim; nil: all elements
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.unique(input, sorted, return_inverse, return_counts, dim, opts) end

--- The elements, or the positions along a dim, without those that equal the one before.
---@overload fun(input: torch.Tensor, opts?: {return_inverse?: boolean, return_counts?: boolean, dim?: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param return_inverse? boolean also where each element is among the results
---@param return_counts? boolean also how many elements each result stands for
---@param dim? integer compare whole positions along this dim; nil: all elements
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.unique_consecutive(input, return_inverse, return_counts, dim, opts) end

--- Positions in the flat form of a tensor as positions in each dim.
---@overload fun(indices: torch.Tensor, opts?: {shape: integer|integer[]|torch.Size, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param indices torch.Tensor
---@param shape integer|integer[]|torch.Size the shape of the tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.unravel_index(indices, shape, opts) end

--- A view with a new dim of extent 1.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer where the new dim stands
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.unsqueeze(input, dim, opts) end

--- A view with a new dim of extent 1.
---@overload fun(input: torch.Tensor, opts?: {dim: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim integer where the new dim stands
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.unsqueeze_(input, dim, opts) end

--- The older name of interpolate.
---@overload fun(input: torch.Tensor, opts?: {size?: integer|integer[]|torch.Size, scale_factor?: number|number[], mode?: string, align_corners?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param size? integer|integer[]|torch.Size the sizes of the spatial dims, or one for all
---@param scale_factor? number|number[] their factors, or one for all, in place of size
---@param mode? string as interpolate's
---@param align_corners? boolean as interpolate's
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.upsample(input, size, scale_factor, mode, align_corners, opts) end

--- interpolate with mode = 'bilinear' and align_corners = true.
---@overload fun(input: torch.Tensor, opts?: {size?: integer|integer[]|torch.Size, scale_factor?: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param size? integer|integer[]|torch.Size the sizes of the spatial dims, or one for all
---@param scale_factor? number|number[] their factors, or one for all, in place of size
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.upsample_bilinear(input, size, scale_factor, opts) end

--- interpolate with mode = 'nearest'.
---@overload fun(input: torch.Tensor, opts?: {size?: integer|integer[]|torch.Size, scale_factor?: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param size? integer|integer[]|torch.Size the sizes of the spatial dims, or one for all
---@param scale_factor? number|number[] their factors, or one for all, in place of size
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.upsample_nearest(input, size, scale_factor, opts) end

--- The powers N - 1, … 1, 0 of each element of a vector, in a new last dim.
---@overload fun(x: torch.Tensor, opts?: {N?: integer, increasing?: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param x torch.Tensor
---@param N? integer how many; nil: as many as there are elements
---@param increasing? boolean the powers 0, 1, … N - 1
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.vander(x, N, increasing, opts) end

--- Variance over dims: squared distances from the mean over n - correction.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, unbiased?: boolean, keepdim?: boolean, correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, unbiased: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {unbiased: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param unbiased? boolean false: the same as correction 0
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.var(input, dim, unbiased, keepdim, opts) end

--- Variance and mean over dims.
---@overload fun(input: torch.Tensor, opts?: {dim?: integer|integer[]|torch.Size, unbiased?: boolean, keepdim?: boolean, correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, unbiased: boolean, opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@overload fun(input: torch.Tensor, opts?: {unbiased: boolean, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor, torch.Tensor
---@param input torch.Tensor
---@param dim? integer|integer[]|torch.Size the dim or dims to reduce; all of them where nil
---@param unbiased? boolean false: the same as correction 0
---@param keepdim? boolean keep reduced dims with extent 1
---@param opts? {correction?: number|boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
---@return torch.Tensor
function nn.functional.var_mean(input, dim, unbiased, keepdim, opts) end

--- The same as dot, for real numbers.
---@param input torch.Tensor
---@param other torch.Tensor
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.vdot(input, other, opts) end

--- The dot products of vectors along a dim; other dims broadcast.
---@param x torch.Tensor
---@param y torch.Tensor
---@param opts? {dim?: integer, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.vecdot(x, y, opts) end

--- Parts below each other, of the first dim.
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: integer, out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, indices_or_sections: number|number[], opts?: {out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@overload fun(input: torch.Tensor, opts?: {indices_or_sections: number|number[], out?: torch.Tensor|torch.Tensor[]}): torch.Tensor[]
---@param input torch.Tensor
---@param indices_or_sections integer how many equal parts
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor[]
function nn.functional.vsplit(input, indices_or_sections, opts) end

--- The tensors below each other, vectors as rows.
---@param tensors torch.Tensor[]
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.vstack(tensors, opts) end

--- Elements of input where condition is true, of other elsewhere. The condition alone: the positions where it is true, a tensor for each dim, as several values.
---@param condition any
---@param input any
---@param other any
---@return any
function nn.functional.where(condition, input, other) end

--- Input times the logarithm of other; 0 where input is 0.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.xlogy(input, other, opts) end

--- Input times the logarithm of other; 0 where input is 0.
---@param input torch.Tensor|number|boolean
---@param other torch.Tensor|number|boolean
---@param opts? {out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.xlogy_(input, other, opts) end

--- As the function without _like, in the shape, dtype and device of input.
---@param input torch.Tensor
---@param opts? {dtype?: torch.dtype|string, device?: torch.device|string, memory_format?: torch.memory_format|string, requires_grad?: boolean, out?: torch.Tensor|torch.Tensor[]}
---@return torch.Tensor
function nn.functional.zeros_like(input, opts) end

--- Initial values of parameters; all work in place.
nn.init = {}

--- The gain for what follows.
---@param nonlinearity any
---@param param? any
---@return any
function nn.init.calculate_gain(nonlinearity, param) end

--- A constant.
---@param tensor any
---@param val any
---@return any
function nn.init.constant_(tensor, val) end

--- Filters that pass each channel on.
---@param filters any
---@param groups? integer
---@return any
function nn.init.dirac_(filters, groups) end

--- Ones on the diagonal.
---@param matrix any
---@return any
function nn.init.eye_(matrix) end

--- Normal with std gain / √fan.
---@param tensor any
---@param a? integer
---@param mode? any
---@param nonlinearity? any
---@param opts? {generator?: any}
---@return any
function nn.init.kaiming_normal_(tensor, a, mode, nonlinearity, opts) end

--- Uniform within gain √(3 / fan).
---@param tensor any
---@param a? integer
---@param mode? any
---@param nonlinearity? any
---@param opts? {generator?: any}
---@return any
function nn.init.kaiming_uniform_(tensor, a, mode, nonlinearity, opts) end

--- Normal.
---@param tensor any
---@param mean? integer
---@param std? integer
---@param opts? {generator?: any}
---@return any
function nn.init.normal_(tensor, mean, std, opts) end

--- Ones.
---@param tensor any
---@return any
function nn.init.ones_(tensor) end

--- Orthonormal rows or columns, the fewer of both, times gain; the dims behind the first count as one.
---@param tensor any
---@param gain? integer
---@param opts? {generator?: any}
---@return any
function nn.init.orthogonal_(tensor, gain, opts) end

--- Normal, and in each column of a matrix a share of 0.
---@param tensor any
---@param sparsity any
---@param std? number
---@param opts? {generator?: any}
---@return any
function nn.init.sparse_(tensor, sparsity, std, opts) end

--- Normal within [a, b].
---@param tensor any
---@param mean? integer
---@param std? integer
---@param a? integer
---@param b? integer
---@param opts? {generator?: any}
---@return any
function nn.init.trunc_normal_(tensor, mean, std, a, b, opts) end

--- Uniform between a and b.
---@param tensor any
---@param a? integer
---@param b? integer
---@param opts? {generator?: any}
---@return any
function nn.init.uniform_(tensor, a, b, opts) end

--- Normal with std gain √(2 / (fan_in + fan_out)).
---@param tensor any
---@param gain? integer
---@param opts? {generator?: any}
---@return any
function nn.init.xavier_normal_(tensor, gain, opts) end

--- Uniform within gain √(6 / (fan_in + fan_out)).
---@param tensor any
---@param gain? integer
---@param opts? {generator?: any}
---@return any
function nn.init.xavier_uniform_(tensor, gain, opts) end

--- Zeros.
---@param tensor any
---@return any
function nn.init.zeros_(tensor) end

--- What training does with gradients.
nn.utils = {}

--- Scales gradients together so that their norm is at most max_norm; gives the norm before.
---@param parameters any
---@param max_norm any
---@param opts? {norm_type?: integer}
---@return any
function nn.utils.clip_grad_norm_(parameters, max_norm, opts) end

--- Brings each element of the gradients into [-clip_value, clip_value].
---@param parameters any
---@param clip_value any
---@return any
function nn.utils.clip_grad_value_(parameters, clip_value) end

--- Scales gradients whose norm is known so that it is at most max_norm.
---@param parameters any
---@param max_norm any
---@param total_norm any
---@return any
function nn.utils.clip_grads_with_norm_(parameters, max_norm, total_norm) end

--- The norm of all elements of several tensors.
---@param tensors any
---@param norm_type? number
---@param error_if_nonfinite? boolean
---@return any
function nn.utils.get_total_norm(tensors, norm_type, error_if_nonfinite) end

--- The elements of all parameters, one after the other, as one vector.
---@param parameters any
---@return any
function nn.utils.parameters_to_vector(parameters) end

--- Makes the parameters views of the parts of a vector.
---@param vec any
---@param parameters any
---@return any
function nn.utils.vector_to_parameters(vec, parameters) end

--- Optimizers: optim.SGD(model:parameters(), {lr = 0.1}).
optim = {}

---@class optim.Adam: optim.Optimizer
---@field lr any learning rate
---@field betas any decay of the running means of the gradient and of its square
---@field eps any added to the denominator
---@field weight_decay any weight decay
---@field amsgrad any divide by the largest mean of the square so far
---@field maximize any ascend instead of descend

--- Adam; weight_decay is an L2 penalty unless decoupled_weight_decay
---@param opts? {lr?: number, betas?: any, eps?: number, weight_decay?: number, amsgrad?: boolean, maximize?: boolean, decoupled_weight_decay?: boolean}
---@return optim.Adam
function optim.Adam(opts) end

---@class optim.AdamW: optim.Optimizer
---@field lr any learning rate
---@field betas any decay of the running means of the gradient and of its square
---@field eps any added to the denominator
---@field weight_decay any weight decay
---@field amsgrad any divide by the largest mean of the square so far
---@field maximize any ascend instead of descend

--- Adam with weight decay apart from the gradient
---@param opts? {lr?: number, betas?: any, eps?: number, weight_decay?: number, amsgrad?: boolean, maximize?: boolean}
---@return optim.AdamW
function optim.AdamW(opts) end

---@class optim.SGD: optim.Optimizer
---@field lr any learning rate
---@field momentum any momentum factor
---@field dampening any dampening of the momentum
---@field weight_decay any L2 penalty
---@field nesterov any Nesterov momentum
---@field maximize any ascend instead of descend

--- stochastic gradient descent, with momentum
---@param opts? {lr?: number, momentum?: number, dampening?: number, weight_decay?: number, nesterov?: boolean, maximize?: boolean}
---@return optim.SGD
function optim.SGD(opts) end

--- Schedules of the learning rate: the optimizer comes first.
optim.lr_scheduler = {}

---@class optim.lr_scheduler.ChainedScheduler: optim.lr_scheduler

--- several schedules at once
---@return optim.lr_scheduler.ChainedScheduler
function optim.lr_scheduler.ChainedScheduler() end

---@class optim.lr_scheduler.ConstantLR: optim.lr_scheduler
---@field factor any factor in the beginning
---@field total_iters any epochs that it lasts

--- the rate times factor for the first epochs
---@param opts? {factor?: number, total_iters?: integer}
---@return optim.lr_scheduler.ConstantLR
function optim.lr_scheduler.ConstantLR(opts) end

---@class optim.lr_scheduler.CosineAnnealingLR: optim.lr_scheduler
---@field T_max any epochs of half a period
---@field eta_min any the lowest rate

--- half a cosine from the initial rate to eta_min in T_max epochs
---@param T_max any
---@param opts? {eta_min?: number}
---@return optim.lr_scheduler.CosineAnnealingLR
function optim.lr_scheduler.CosineAnnealingLR(T_max, opts) end

---@class optim.lr_scheduler.CosineAnnealingWarmRestarts: optim.lr_scheduler
---@field T_0 any epochs until the first restart
---@field T_mult any growth of the period
---@field eta_min any the lowest rate

--- half cosines, each T_mult times as long as the one before
---@param T_0 any
---@param opts? {T_mult?: integer, eta_min?: number}
---@return optim.lr_scheduler.CosineAnnealingWarmRestarts
function optim.lr_scheduler.CosineAnnealingWarmRestarts(T_0, opts) end

---@class optim.lr_scheduler.CyclicLR: optim.lr_scheduler
---@field base_lr any the lowest rate, for all groups or one for each
---@field max_lr any the highest rate
---@field step_size_up any steps up
---@field step_size_down any steps down; as many as up when nil
---@field mode any 'triangular', 'triangular2' or 'exp_range'
---@field gamma any of exp_range: the range shrinks by gamma every step
---@field cycle_momentum any whether the momentum goes the other way
---@field base_momentum any the lowest momentum
---@field max_momentum any the highest momentum

--- up and down between base_lr and max_lr; steps are batches
---@param base_lr any
---@param max_lr any
---@param opts? {step_size_up?: integer, step_size_down?: any, mode?: any, gamma?: number, cycle_momentum?: boolean, base_momentum?: any, max_momentum?: any}
---@return optim.lr_scheduler.CyclicLR
function optim.lr_scheduler.CyclicLR(base_lr, max_lr, opts) end

---@class optim.lr_scheduler.ExponentialLR: optim.lr_scheduler
---@field gamma any factor of a decay

--- the rate times gamma every epoch
---@param gamma any
---@return optim.lr_scheduler.ExponentialLR
function optim.lr_scheduler.ExponentialLR(gamma) end

---@class optim.lr_scheduler.LambdaLR: optim.lr_scheduler

--- the initial rate times a function of the epoch
---@return optim.lr_scheduler.LambdaLR
function optim.lr_scheduler.LambdaLR() end

---@class optim.lr_scheduler.LinearLR: optim.lr_scheduler
---@field start_factor any factor in the beginning
---@field end_factor any factor at the end
---@field total_iters any epochs between them

--- a factor that grows from start_factor to end_factor
---@param opts? {start_factor?: number, end_factor?: number, total_iters?: integer}
---@return optim.lr_scheduler.LinearLR
function optim.lr_scheduler.LinearLR(opts) end

---@class optim.lr_scheduler.MultiStepLR: optim.lr_scheduler
---@field milestones any epochs of the decays
---@field gamma any factor of a decay

--- the rate times gamma at each milestone
---@param milestones any
---@param opts? {gamma?: number}
---@return optim.lr_scheduler.MultiStepLR
function optim.lr_scheduler.MultiStepLR(milestones, opts) end

---@class optim.lr_scheduler.MultiplicativeLR: optim.lr_scheduler

--- the present rate times a function of the epoch
---@return optim.lr_scheduler.MultiplicativeLR
function optim.lr_scheduler.MultiplicativeLR() end

---@class optim.lr_scheduler.OneCycleLR: optim.lr_scheduler
---@field max_lr any the highest rate, for all groups or one for each
---@field total_steps any steps of the cycle
---@field epochs any with steps_per_epoch: in place of total_steps
---@field steps_per_epoch any with epochs: in place of total_steps
---@field pct_start any share of the steps in which the rate rises
---@field anneal_strategy any 'cos' or 'linear'
---@field cycle_momentum any whether the momentum goes the other way
---@field base_momentum any the lowest momentum
---@field max_momentum any the highest momentum
---@field div_factor any the initial rate is max_lr / div_factor
---@field final_div_factor any the last rate is the initial one / final_div_factor
---@field three_phase any a third phase goes below the initial rate

--- up to max_lr and far down again; steps are batches
---@param max_lr any
---@param opts? {total_steps?: any, epochs?: any, steps_per_epoch?: any, pct_start?: number, anneal_strategy?: any, cycle_momentum?: boolean, base_momentum?: any, max_momentum?: any, div_factor?: number, final_div_factor?: number, three_phase?: boolean}
---@return optim.lr_scheduler.OneCycleLR
function optim.lr_scheduler.OneCycleLR(max_lr, opts) end

---@class optim.lr_scheduler.PolynomialLR: optim.lr_scheduler
---@field total_iters any epochs of the decay
---@field power any power of the polynomial

--- a polynomial decay to 0
---@param opts? {total_iters?: integer, power?: number}
---@return optim.lr_scheduler.PolynomialLR
function optim.lr_scheduler.PolynomialLR(opts) end

---@class optim.lr_scheduler.ReduceLROnPlateau: optim.lr_scheduler
---@field mode any 'min' or 'max': what is better
---@field factor any factor of a reduction
---@field patience any epochs without improvement that are allowed
---@field threshold any smallest change that counts
---@field threshold_mode any 'rel' or 'abs'
---@field cooldown any epochs to wait after a reduction
---@field min_lr any the lowest rate, for all groups or one for each
---@field eps any smaller changes of the rate are not made

--- the rate times factor when a metric no longer improves
---@param opts? {mode?: any, factor?: number, patience?: integer, threshold?: number, threshold_mode?: any, cooldown?: integer, min_lr?: any, eps?: number}
---@return optim.lr_scheduler.ReduceLROnPlateau
function optim.lr_scheduler.ReduceLROnPlateau(opts) end

---@class optim.lr_scheduler.SequentialLR: optim.lr_scheduler
---@field milestones any epochs at which the next schedule begins

--- schedules one after the other
---@param milestones any
---@return optim.lr_scheduler.SequentialLR
function optim.lr_scheduler.SequentialLR(milestones) end

---@class optim.lr_scheduler.StepLR: optim.lr_scheduler
---@field step_size any epochs between two decays
---@field gamma any factor of a decay

--- the rate times gamma every step_size epochs
---@param step_size any
---@param opts? {gamma?: number}
---@return optim.lr_scheduler.StepLR
function optim.lr_scheduler.StepLR(step_size, opts) end

--- Datasets and loaders; also torch.utils.data.
data = {}

--- Several datasets, one after the other.
---@param opts? {dataset?: any}
---@return any
function data.ConcatDataset(opts) end

--- Batches of a dataset, read ahead on threads: for x, y in loader do ... end.
---@param dataset any
---@param opts? {batch_size?: integer, shuffle?: boolean, sampler?: any, batch_sampler?: any, num_workers?: integer, collate_fn?: any, drop_last?: boolean, prefetch_factor?: integer, pin_memory?: boolean, seed?: any}
---@return any
function data.DataLoader(dataset, opts) end

--- Some samples of a dataset; indices count from 1.
---@param dataset any
---@param indices any
---@return any
function data.Subset(dataset, indices) end

--- Sample i is element i of each tensor.
---@param tensor any
---@param ... any
---@return any
function data.TensorDataset(tensor, ...) end

--- A class of datasets: define init(…), len() and get(i), which returns the values of sample i.
---@param name any
---@return any
function data.class(name) end

--- MNIST: images as float32[1, 28, 28] in [0, 1], labels 1 to 10. root is looked up here, then in the installation.
---@param opts? {root?: any, train?: boolean}
---@return any
function data.mnist(opts) end

--- Disjoint random parts, as several values; sizes add up to the dataset or, as shares, to 1.
---@param dataset any
---@param sizes any
---@param opts? {seed?: any}
---@return any
function data.random_split(dataset, sizes, opts) end

--- Switches of the libraries that devices compute with.
torch.backends = {}

--- Switches of CUDA: matmul.
torch.backends.cuda = {}

--- Switches of cuDNN: fields that are read and assigned. is_available() and version() ask for the library.
torch.backends.cudnn = {}

torch.Tensor = Tensor
torch.nn, torch.optim, torch.utils.data, F = nn, optim, data, nn.functional

--- Prints how a function is called and what its arguments are.
---@param what any
function help(what) end
