-- Ten folders of 1,000 JPEG files of 32 x 32, smooth random pictures, for data/jpeg_*.
local native = require 'luth.native'

--- Makes them below a folder; returns all paths, folders behind what is in them.
return function(folder)
  local grow, paths = data.transforms.Resize({ 32, 32 }, { interpolation = 'bicubic' }), {}
  for class = 0, 9 do
    native.mkdirs(folder .. '/' .. class)
    for i = 1, 1000 do
      local path = string.format('%s/%d/%d.jpg', folder, class, i)
      local file <close> = assert(io.open(path, 'wb'))
      file:write(data.encode_image(grow(torch.randint(0, 256, { 3, 6, 6 }):to(torch.uint8)), '.jpg'))
      paths[#paths + 1] = path
    end
    paths[#paths + 1] = folder .. '/' .. class
  end
  paths[#paths + 1] = folder
  return paths
end
