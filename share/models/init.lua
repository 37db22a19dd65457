-- require 'models': models by name, each read when it is first asked for.
local files = {
  resnet = 'resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d wide_resnet50_2',
  vgg = 'vgg11 vgg13 vgg16 vgg19 vgg11_bn vgg13_bn vgg16_bn vgg19_bn',
  classics = 'lenet alexnet squeezenet1_0 squeezenet1_1 googlenet densenet121 unet',
  mobile = 'mobilenet_v2 mobilenet_v3_small mobilenet_v3_large shufflenet_v2_x1_0 efficientnet_b0',
  convnext = 'convnext_tiny',
  vit = 'vit_b_16',
  gpt = 'gpt',
  bert = 'bert',
  llama = 'llama',
}
local where, names = {}, {}
for file, list in pairs(files) do
  for name in list:gmatch('%S+') do
    where[name] = file
    names[#names + 1] = name
  end
end
table.sort(names)

return setmetatable({}, {
  __index = function(models, name)
    if not where[name] then
      require('luth.torch.arguments').fail('models', "no model is named '%s'; there are %s", tostring(name), table.concat(names, ', '))
    end
    models[name] = require('models.' .. where[name])[name]
    return rawget(models, name)
  end,
  __pairs = function(models)
    for _, name in ipairs(names) do local _ = models[name] end
    return next, models, nil
  end,
})
