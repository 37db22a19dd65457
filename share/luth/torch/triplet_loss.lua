-- nn.TripletMarginWithDistanceLoss: the methods of the class.
local arguments = require 'luth.torch.arguments'
local M = {}

function M.init(self, ...)
  local name = 'nn.TripletMarginWithDistanceLoss'
  local a = arguments.read(name, { 'distance_function', 'margin', 'swap', 'reduction' }, 0, ...)
  if a.margin and not (type(a.margin) == 'number' and a.margin > 0) then
    arguments.fail(name, 'margin must be a number above 0, not %s', tostring(a.margin))
  end
  self.distance_function = a.distance_function or nn.PairwiseDistance()
  self.margin, self.swap, self.reduction = a.margin or 1.0, a.swap or false, a.reduction or 'mean'
end

function M.forward(self, anchor, positive, negative)
  return nn.functional.triplet_margin_with_distance_loss(anchor, positive, negative, {
    distance_function = self.distance_function, margin = self.margin, swap = self.swap, reduction = self.reduction,
  })
end

return M
