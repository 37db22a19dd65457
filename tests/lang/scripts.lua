-- The examples in scripts/ run for some steps, and say what they should.
local native = require 'luth.native'

local source = os.getenv 'LUTH_SOURCE'
local folder = os.tmpname()
os.remove(folder)
native.mkdirs(folder)

-- What `luth WORDS` prints, on both outputs.
local function run(words)
  local _, _, code = os.execute(("cd '%s' && '%s' %s >out 2>&1 </dev/null"):format(folder, native.program(), words:gsub('scripts/', source .. '/scripts/')))
  local file <close> = assert(io.open(folder .. '/out'))
  local text = file:read 'a'
  assert(code == nil or code == 0, words .. ' ended with ' .. tostring(code) .. '\n' .. text)
  return text
end
-- The number behind `name` in what it prints is at least that.
local function reaches(words, name, least)
  local text = run(words)
  local value = tonumber(text:match(name .. ' ([%d.]+)'))
  assert(value and value >= least, words .. ': ' .. text)
end

reaches('scripts/softmax_regression.lua 100', 'accuracy', 0.8)
reaches('scripts/classic/knn.lua 3 100', 'accuracy', 0.9)
reaches('scripts/classic/kmeans.lua', 'inertia', 1164)
reaches('scripts/classic/naive_bayes.lua', 'accuracy', 0.801)
reaches('scripts/classic/svm.lua 200', 'accuracy', 0.8)
reaches('scripts/classic/decision_tree.lua 5', 'accuracy', 0.88)
reaches('scripts/classic/decision_tree.lua 2', 'accuracy', 0.81)
reaches('scripts/linear_regression.lua 50', 'y =', 2.8)

run('train scripts/vae.lua --dir vae --epochs 1 --limit-train 20')
assert(data.read_image(folder .. '/vae/samples.png'):size(3) == 224 and data.read_image(folder .. '/vae/reconstructed.png'):size(2) == 56)
local gan = run('train scripts/gan.lua --dir gan --epochs 2')
assert(gan:find '%d of 8 places' and not gan:find 'nan', gan)
assert(native.read(folder .. '/gan/points.png', 1 << 20, 1):sub(2, 4) == 'PNG')
run('train scripts/transfer.lua --part first --dir first --limit-train 20 --limit-val 2')
local second = run("train scripts/transfer.lua --part second --dir second --epochs 2 --limit-val 2 --init-from first/ckpt/best.h5 --freeze 'features%.[14]%.'")
assert(second:find 'head_second', second)  -- what the file has not is named
run(('train scripts/cifar10.lua --root %s/tests/data/cifar10 --dir cifar --epochs 1 --batch 20 --width 8 --workers 0'):format(source))
reaches('eval cifar', 'accuracy', 0)
os.execute("rm -r '" .. folder .. "'")
