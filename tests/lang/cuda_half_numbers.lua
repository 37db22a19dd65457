-- half_numbers.lua on the fake GPU too.
assert(torch.cuda.is_available())
dofile((debug.getinfo(1, 'S').source:sub(2):gsub('cuda_half', 'half')))
