-- The pages of the reference, in Markdown.
local model = require 'luth.reference.model'
local examples = require 'luth.reference.examples'
local shapes = require 'luth.reference.shapes'

local M = {}
local notice = 'Made by `luth scripts/reference.lua` from what the program knows; changes here are lost.\n'

-- Escapes characters that Markdown would interpret.
local function escaped(text) return (text:gsub('[*<>]', '\\%0')) end

local function add(page, ...) page[#page + 1] = string.format(...) end

local function param_kind(p)
  if p.input then return p.list and 'a list of tensors' or p.number and 'a tensor or a number' or 'a tensor' end
  return p.doc ~= '' and p.doc or p.expects
end

local function add_params(page, form)
  for _, p in ipairs(form.params) do
    local kind = param_kind(p)
    if p.input and not p.required then kind = kind .. ', may be nil' end
    local default = not p.input and not p.required and string.format(' (default `%s`)', p.default) or ''
    add(page, '- `%s`: %s%s', p.name, escaped(kind), default)
  end
end

local function results_of(form)
  if form.several then return ' -> table' end
  if #form.outputs <= 1 then return '' end
  return ' -> ' .. table.concat(form.outputs, ', ')
end

local function ways(face)
  local list = {}
  if face.is_function and face.is_method then list[#list + 1] = string.format('Also a method: `x:%s(…)`.', face.name) end
  if face.inplace_face then
    local names = { face.inplace_face.name, table.unpack(face.inplace_face.other_names or {}) }
    list[#list + 1] = string.format('In place: `x:%s(…)`.', table.concat(names, '(…)`, `x:'))
  end
  if face.other_names then
    list[#list + 1] = string.format('Also called `%s`.', table.concat(face.other_names, '`, `'))
  end
  return list
end

local function add_shapes(page, name, form)
  local lines = shapes.lines(name, form)
  if not lines then return end
  for i, line in ipairs(lines) do lines[i] = line:find ' -> ' and '`' .. line .. '`' or escaped(line) end
  add(page, '\nShapes: %s.', (table.concat(lines, '; '):gsub('%.$', '')))
end

local function add_operator(page, face)
  add(page, '\n## %s\n', escaped(face.prefix .. face.name))
  for i, form in ipairs(face.forms) do
    add(page, '```\n%s%s%s\n```\n', face.prefix, form.signature, results_of(form))
    add(page, '%s\n', escaped(form.brief))
    add_params(page, form)
    add_shapes(page, form.operator, form)
    if form.no_gradient ~= '' then add(page, '\nNo gradient: %s.', escaped(form.no_gradient)) end
    local lines, why = examples.of(face, i)
    if lines then
      add(page, '\n```lua\n%s\n```\n', table.concat(lines, '\n'))
    else
      error(string.format('no example of %s can be made: %s', form.operator, why))
    end
  end
  local more = ways(face)
  if #more > 0 then add(page, '%s', table.concat(more, ' ')) end
  if face.inplace_face then  -- its example stands behind that line, where help finds it
    local name = 'x:' .. face.inplace_face.name
    local lines = examples.of_name(name, name) or examples.of(face.inplace_face, 1)
    add(page, '\n```lua\n%s\n```', table.concat(lines or error('no example of ' .. name .. ' can be made'), '\n'))
  end
end

local function add_entry(page, path, entry)
  local signature, brief, lines = model.parts(entry.help)
  add(page, '\n### %s\n', escaped(path .. '.' .. entry.name))
  if signature ~= path .. '.' .. entry.name then add(page, '```\n%s\n```\n', signature) end
  add(page, '%s', escaped(brief))
  if #lines > 0 then add(page, '') end
  for _, line in ipairs(lines) do
    local name, text = line:match('^(%S+)%s%s+(.*)$')
    add(page, '- %s', name and string.format('`%s`: %s', name, escaped(text)) or escaped(line))
  end
  add_shapes(page, path .. '.' .. entry.name)
  local example = examples.of_name(path .. '.' .. entry.name, entry.help)
  if example then add(page, '\n```lua\n%s\n```', table.concat(example, '\n')) end
end

-- The entries that are no operators, and a line that names the operators.
local function add_table(page, t, where)
  add(page, '\n## %s', t.path)
  if t.brief then add(page, '\n%s', escaped(t.brief)) end
  local operators = {}
  for _, entry in ipairs(t.entries) do
    if entry.operator then
      local page_name = where[entry.operator]
      operators[#operators + 1] = page_name and string.format('[%s](%s.md)', entry.name, page_name) or entry.name
    else
      add_entry(page, t.path, entry)
    end
  end
  if #operators > 0 then add(page, '\nOperators: %s.', table.concat(operators, ', ')) end
end

local function named_page(title, brief) return { string.format('# %s\n\n%s\n\n%s', title, escaped(brief), notice:sub(1, -2)) } end

-- Tables of names that are written by hand, by page.
local groups = {
  { 'torch', 'torch', 'Functions of torch that are not operators.', { 'torch', 'torch.utils', 'torch.testing', 'torch.ops' } },
  { 'tensor', 'Tensors', 'Fields and methods of tensors.', { 'torch.Tensor' } },
  { 'autograd', 'Gradients', 'The functions of torch.autograd besides x:backward().', { 'torch.autograd' } },
  { 'cuda', 'GPUs', 'Devices, streams, memory, settings of libraries.', { 'torch.cuda', 'torch.backends', 'torch.backends.cudnn' } },
  { 'distributed', 'Several processes', 'Processes that compute together, and modules that lie on several.',
    { 'torch.distributed', 'torch.distributed.algorithms.ddp_comm_hooks.default_hooks',
      'torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook', 'nn.parallel' } },
  { 'nn', 'Modules', 'Layers, losses, containers.', { 'nn' } },
  { 'functional', 'nn.functional, nn.init, nn.utils', 'Functions for networks.', { 'nn.functional', 'nn.init', 'nn.utils', 'nn.utils.rnn', 'nn.modules.module', 'nn.modules.utils' } },
  { 'optim', 'Optimizers and schedules', 'Optimizers update parameters; schedules change the learning rate.', { 'optim', 'optim.lr_scheduler', 'optim.swa_utils', 'optim.optimizer' } },
  { 'data', 'Data', 'Datasets and loaders.', { 'data' } },
  { 'plot', 'Pictures', 'Pictures of numbers, on the terminal or in files.', { 'plot' } },
}

local function group_page(group, tables, where)
  local page = named_page(group[2], group[3])
  local found = false
  for _, path in ipairs(group[4]) do
    if tables[path] then
      tables[path].taken, found = true, true
      if path == 'torch.Tensor' then
        add(page, '\n## Fields\n')
        for _, field in ipairs(model.tensor_fields()) do
          local _, brief = model.parts(field.help)
          add(page, '- `x.%s`: %s', field.name, escaped(brief))
        end
      end
      add_table(page, tables[path], where)
    end
  end
  return found and page
end

local function objects_page()
  local brief = 'Methods of modules, optimizers, schedules, loaders, streams, events and other objects.'
  local page = named_page('Objects', brief)
  for _, class in ipairs(model.classes()) do add_table(page, class, {}) end
  return page
end

--- Name of the file -> text.
function M.all()
  local files, index, where = {}, {}, {}
  local function keep(name, title, page)
    files[name .. '.md'] = table.concat(page, '\n') .. '\n'
    index[#index + 1] = string.format('- [%s](%s.md)', title, name)
  end
  local operator_pages = model.operator_pages()
  for _, p in ipairs(operator_pages) do
    for _, face in ipairs(p.faces) do
      where[face.name] = p.name
      if face.inplace_face then where[face.inplace_face.name] = p.name end
      for _, other in ipairs(face.other_names or {}) do where[other] = p.name end
    end
  end
  for _, p in ipairs(operator_pages) do
    local page = named_page(p.title, p.brief)
    for _, face in ipairs(p.faces) do add_operator(page, face) end
    if #p.faces > 0 then keep(p.name, p.title, page) end
  end
  local tables = {}
  for _, t in ipairs(model.tables()) do tables[t.path] = t end
  for _, group in ipairs(groups) do
    local page = group_page(group, tables, where)
    if page then keep(group[1], group[2], page) end
  end
  for _, t in ipairs(model.tables()) do  -- a table that no group names has a page of its own
    if not tables[t.path].taken and not where[t.path] then
      local page = named_page(t.path, t.brief)
      add_table(page, t, where)
      local only_operators = true
      for _, entry in ipairs(t.entries) do only_operators = only_operators and entry.operator end
      if not only_operators then keep(t.path:gsub('%.', '_'), t.path, page) end
    end
  end
  keep('objects', 'Objects', objects_page())
  local head = '# Reference\n\n`luth help NAME` and, at the prompt, `? NAME` show the same. Positions count from 1; named arguments ' ..
    'go into a last table.\n\n'
  files['README.md'] = head .. notice .. '\n' .. table.concat(index, '\n') .. '\n'
  return files
end

return M
