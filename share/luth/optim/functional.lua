-- Torch7's functional optimizers: x, losses = optim.sgd(feval, x, config, state). feval(x) returns the loss and its
-- gradient. They step optimizers of luth over the vector x; `state` keeps the optimizer from call to call.
local arguments = require 'luth.torch.arguments'

local M = {}

local function fail(name, ...) arguments.fail('optim.' .. name, ...) end

-- The names of `config`, which is checked so that a misspelt one is noticed.
local function check(name, feval, x, config, known)
  if type(feval) ~= 'function' then fail(name, 'argument 1 expects a function, which returns loss and gradient, got %s', type(feval)) end
  if not torch.is_tensor(x) then fail(name, 'argument 2 expects a tensor, got %s', type(x)) end
  if config ~= nil and type(config) ~= 'table' then fail(name, 'argument 3 expects a table of settings, got %s', type(config)) end
  local own = { optimizer = true, evalCounter = true }  -- what a state keeps, which may be the same table
  for key in pairs(config or {}) do
    local found = own[key]
    for word in known:gmatch '%w+' do found = found or word == key end
    if not found then fail(name, "no setting is named '%s'; it has %s", tostring(key), known) end
  end
  return config or {}
end

-- feval's loss as a number; x gets its gradient.
local function evaluate(name, feval, x)
  local loss, gradient = feval(x)
  if torch.is_tensor(loss) then loss = loss:item() end
  if type(loss) ~= 'number' then fail(name, 'feval must return the loss and its gradient, got %s', type(loss)) end
  if not torch.is_tensor(gradient) then fail(name, 'feval must return the gradient second, got %s', type(gradient)) end
  x.grad = gradient:detach()
  return loss
end

-- The optimizer of the state, with the settings of this call.
local function optimizer_of(state, class, x, settings)
  if not state.optimizer then state.optimizer = class({ x.is_leaf and x or x:detach() }, settings) end
  local group = state.optimizer.param_groups[1]
  for key, value in pairs(settings) do group[key] = value end
  return state.optimizer
end

-- One step; `settings(config, calls)` are those of luth's optimizer.
local function stepper(name, class, known, settings)
  M[name] = function(feval, x, config, state)
    config = check(name, feval, x, config, known)
    state = state or config
    local loss = evaluate(name, feval, x)
    optimizer_of(state, optim[class], x, settings(config, state.evalCounter or 0)):step()
    state.evalCounter = (state.evalCounter or 0) + 1
    x.grad = nil
    return x, { loss }
  end
end

local function rate(config, otherwise, calls)
  return (config.learningRate or otherwise) / (1 + calls * (config.learningRateDecay or 0))
end

stepper('sgd', 'SGD', 'learningRate learningRateDecay weightDecay momentum dampening nesterov', function(c, calls)
  local momentum = c.momentum or 0
  return { lr = rate(c, 1e-3, calls), momentum = momentum, dampening = c.dampening or (c.nesterov and 0 or momentum),
           weight_decay = c.weightDecay or 0, nesterov = c.nesterov or false }
end)
stepper('adam', 'Adam', 'learningRate learningRateDecay beta1 beta2 epsilon weightDecay', function(c, calls)
  return { lr = rate(c, 1e-3, calls), betas = { c.beta1 or 0.9, c.beta2 or 0.999 }, eps = c.epsilon or 1e-8,
           weight_decay = c.weightDecay or 0 }
end)
stepper('adamax', 'Adamax', 'learningRate beta1 beta2 epsilon', function(c, calls)
  return { lr = rate(c, 2e-3, calls), betas = { c.beta1 or 0.9, c.beta2 or 0.999 }, eps = c.epsilon or 1e-38 }
end)
stepper('adagrad', 'Adagrad', 'learningRate learningRateDecay weightDecay', function(c)
  return { lr = c.learningRate or 1e-3, lr_decay = c.learningRateDecay or 0, weight_decay = c.weightDecay or 0 }
end)
stepper('adadelta', 'Adadelta', 'rho eps weightDecay', function(c)
  return { rho = c.rho or 0.9, eps = c.eps or 1e-6, weight_decay = c.weightDecay or 0 }
end)
stepper('rmsprop', 'RMSprop', 'learningRate learningRateDecay alpha epsilon weightDecay', function(c, calls)
  return { lr = rate(c, 1e-2, calls), alpha = c.alpha or 0.99, eps = c.epsilon or 1e-8, weight_decay = c.weightDecay or 0 }
end)

-- Returns x, the losses of all evaluations, and their number.
function M.lbfgs(feval, x, config, state)
  config = check('lbfgs', feval, x, config, 'maxIter maxEval tolFun tolX nCorrection lineSearch lineSearchOptions learningRate verbose')
  state = state or config
  local losses, iterations = {}, config.maxIter or 20
  local opt = optimizer_of(state, optim.LBFGS, x, {
    lr = config.learningRate or 1, max_iter = iterations, max_eval = config.maxEval or math.max(1, iterations * 5 // 4),
    tolerance_grad = config.tolFun or 1e-5, tolerance_change = config.tolX or 1e-9,
    history_size = config.nCorrection or 100, line_search_fn = config.lineSearch and 'strong_wolfe' or nil,
  })
  opt:step(function()
    losses[#losses + 1] = evaluate('lbfgs', feval, x)
    return losses[#losses]
  end)
  x.grad = nil
  return x, losses, #losses
end

-- ---- Conjugate gradients ---------------------------------------------------------------------------------------------

-- The minimum of the cubic with the losses and slopes of two points, kept a tenth of the interval from its ends.
local function between(a, b)
  local low, high = math.min(a.t, b.t), math.max(a.t, b.t)
  local d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
  local square = d1 * d1 - a.slope * b.slope
  local t = (low + high) / 2
  if square >= 0 then
    local d2 = math.sqrt(square) * (b.t > a.t and 1 or -1)
    t = b.t - (b.t - a.t) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2)
  end
  local margin = 0.1 * (high - low)
  if not (t >= low + margin and t <= high - margin) then t = t ~= t and (low + high) / 2 or math.min(math.max(t, low + margin), high - margin) end
  return t
end

-- A point on the line with less loss and less slope than at its start (the conditions of Wolfe and Powell); or the best
-- that was found. Nocedal and Wright, "Numerical optimization", section 3.5.
local function search(at, start, t, c, room)
  local best, low, high = start, start, nil
  for _ = 1, room do
    local p = at(t)
    if p.loss == p.loss and p.loss < best.loss then best = p end
    local enough = p.loss <= start.loss + c.rho * t * start.slope and p.loss <= low.loss
    if enough and math.abs(p.slope) <= -c.sig * start.slope then return p end
    if not enough or p.loss ~= p.loss then
      high = p
    else
      if p.slope * ((high and high.t or math.huge) - low.t) >= 0 then high = low end
      low = p
    end
    t = high and (high.loss == high.loss and between(low, high) or (low.t + high.t) / 2) or t * c.ext
  end
  return best
end

-- Polak and Ribière's conjugate gradients. Returns x, the losses after each line search, and the number of evaluations.
function M.cg(feval, x, config, state)
  config = check('cg', feval, x, config, 'maxIter maxEval rho sig ext red int verbose')
  state = state or config
  local iterations = config.maxIter or 20
  local left = config.maxEval or math.max(1, iterations * 5 // 4)
  local c = { rho = config.rho or 0.01, sig = config.sig or 0.5, ext = config.ext or 3.0 }
  local _ <close> = torch.no_grad()
  local origin, direction
  local function at(t)
    if t > 0 then x:copy_(origin + direction * t) end
    left = left - 1
    local loss
    do
      local _ <close> = torch.enable_grad()
      loss = evaluate('cg', feval, x)
    end
    local gradient = x.grad:clone()
    return { t = t, loss = loss, gradient = gradient, slope = direction and (gradient * direction):sum():item() or 0 }
  end
  local before = left
  local here, losses, step = at(0), {}, nil
  losses[1] = here.loss
  for _ = 1, iterations do
    local square = here.gradient:square():sum():item()
    if left <= 0 or not (square > 0) then break end
    if not direction then direction = -here.gradient end
    here.slope = (here.gradient * direction):sum():item()
    if here.slope >= 0 then direction, here.slope = -here.gradient, -square end  -- no descent: start anew
    origin, here.t = x:clone(), 0
    local found = search(at, here, step or 1 / (1 + math.sqrt(square)), c, math.min(left, 20))
    x:copy_(origin + direction * found.t)
    if found.t == 0 then break end
    local share = ((found.gradient * (found.gradient - here.gradient)):sum():item()) / square
    direction = direction * math.max(share, 0) - found.gradient
    step = found.t
    here = found
    losses[#losses + 1] = here.loss
  end
  state.evalCounter = (state.evalCounter or 0) + before - left
  x.grad = nil
  return x, losses, before - left
end

return M
