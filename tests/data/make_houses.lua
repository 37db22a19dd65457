-- Makes share/data/houses: invented houses with prices, of which a linear model explains a part. Some values are missing.
--   luth tests/data/make_houses.lua FOLDER
local folder = assert(arg[1], 'expects a folder')
torch.manual_seed(17)
local function uniform(low, high) return low + (high - low) * torch.rand(1):item() end
local function missing(share, text) return uniform(0, 1) < share and '' or text end

-- name, price of a square metre, how fast it falls with the distance from the centre
local districts = { { 'Centre', 4.1, 0.10 }, { 'Harbour', 3.7, 0.06 }, { 'North', 2.6, 0.02 }, { 'South', 3.0, 0.04 }, { 'West', 2.2, 0.01 } }
local kinds = { { 'flat', 1 }, { 'house', 1.12 }, { 'villa', 1.45 } }

local function house()
  local district = districts[torch.randint(1, #districts + 1, { 1 }):item()]
  local kind = kinds[torch.multinomial(torch.tensor { 0.55, 0.35, 0.1 }, 1):item()]
  local area = uniform(35, 110) * kind[2] * kind[2]
  local rooms = math.max(1, math.floor(area / 26 + uniform(-0.7, 1.2)))
  local age, distance = math.floor(uniform(0, 120)), uniform(0.3, 18)
  local worn = 1 - 0.35 * math.sin(math.pi * math.min(age, 110) / 110)  -- new houses and very old ones cost most
  local price = area * district[2] * kind[2] * math.exp(-district[3] * distance) * worn * (1 + 0.04 * rooms) + 25
  price = price * math.exp(0.08 * torch.randn(1):item())
  return string.format('%.1f,%s,%s,%.1f,%s,%s,%.3f', area, missing(0.03, tostring(rooms)), missing(0.05, tostring(age)), distance,
                       missing(0.02, district[1]), kind[1], price / 100)
end

local function write(name, n)
  local lines = { 'area,rooms,age,distance,district,kind,price' }
  for i = 1, n do lines[i + 1] = house() end
  local file <close> = assert(io.open(folder .. '/' .. name, 'w'))
  file:write(table.concat(lines, '\n'), '\n')
end
write('train.csv', 1000)
write('test.csv', 250)
