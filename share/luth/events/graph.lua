-- The modules that a call of a model reaches, as nodes of TensorBoard's graph.
local M = {}

local function tensors_in(value, f)
  if torch.is_tensor(value) then return f(value) end
  for _, part in ipairs(type(value) == 'table' and value or {}) do tensors_in(part, f) end
end

--- Notes the calls of the modules of a model until the function that it returns is called, which gives the nodes {name, op, inputs,
--- text} in order. `inputs`: the values that the model gets. The inputs of a node are the nodes whose results it gets.
function M.watch(model, inputs)
  -- The place of a result in memory tells it: a later result that takes the place has its maker noted there.
  local nodes, made_by, handles = { { name = 'input', op = 'Placeholder', inputs = {} } }, {}, {}
  local function note(value, name)
    tensors_in(value, function(t) made_by[t:data_ptr()] = name end)
  end
  note(inputs, 'input')
  for path, m in model:named_modules() do
    if #m:children() == 0 then
      local name = (path == '' and 'model' or path):gsub('%.', '/')
      handles[#handles + 1] = m:register_forward_hook(function(_, given, output)
        local sources, seen = {}, {}
        tensors_in(given, function(t)
          local from = made_by[t:data_ptr()]
          if from and from ~= name and not seen[from] then sources[#sources + 1], seen[from] = from, true end
        end)
        if not made_by[m] then  -- a module that is called twice is one node
          nodes[#nodes + 1] = { name = name, op = torch.typename(m):gsub('^nn%.', ''), inputs = sources, text = tostring(m):match '^[^\n]*' }
          made_by[m] = name
        end
        note(output, name)
      end)
    end
  end
  return function()
    for _, handle in ipairs(handles) do handle:remove() end
    return nodes
  end
end

return M
