-- What the programs are about, and how often: an area has its weight in the sum of all.
local scripts = require 'scripts'
local areas = {
  {name = 'operators', weight = 60, program = require('operators').program},
  {name = 'names', weight = 4, program = require('names').program},
  {name = 'networks', weight = 8, program = require('networks').program},
  {name = 'optimizers', weight = 4, program = require('optimizers').program},
  {name = 'loaders', weight = 2, program = require('loaders').program},
}
for name, weight in require('values').sorted {views = 8, hooks = 3, functions = 2, transforms = 3, modes = 3, generators = 1, coroutines = 1, objects = 3} do
  areas[#areas + 1] = {name = name, weight = weight, program = scripts[name]}
end
return areas
