-- What an expression consists of, for who walks a tree: by type, a function that calls visitor:expression for each part in
-- order. Names and constants have none; what a function consists of are statements.
local M = {}

local function each(visitor, list)
  for i = 1, #list do visitor:expression(list[i]) end
end

function M.Index(visitor, e)
  visitor:expression(e.object)
  if not e.dot then visitor:expression(e.key) end
end
function M.Call(visitor, e)
  visitor:expression(e.callee)
  each(visitor, e.args)
end
function M.Method(visitor, e)
  visitor:expression(e.object)
  each(visitor, e.args)
end
function M.Binary(visitor, e)
  visitor:expression(e.left)
  visitor:expression(e.right)
end
function M.Unary(visitor, e) visitor:expression(e.operand) end
function M.Paren(visitor, e) visitor:expression(e.inner) end
function M.Table(visitor, e) each(visitor, e.items) end

return M
