-- A linear support vector machine by stochastic subgradients (Pegasos; Shalev-Shwartz et al. 2011): even against odd digits of MNIST.
-- luth scripts/classic/svm.lua [steps] [root]
-- 3,000 steps: accuracy 0.901. scikit-learn's LinearSVC(C = 1) of the first 20,000 images: 0.898.
local steps, root = tonumber(arg[1] or 3000), arg[2] or 'data/mnist'
local lambda = 1e-4

-- Images with a column of ones for the threshold; +1 for even digits, -1 for odd ones. Label 1 is the digit 0.
local function signed(images, labels)
  return torch.cat({ images:flatten(2), torch.ones(#images, 1) }, 2), labels:remainder(2) * 2.0 - 1
end

torch.manual_seed(0)
local weight, mean = torch.zeros(785), torch.zeros(785)
local step = 0
while step < steps do
  for images, labels in data.DataLoader(data.mnist { root = root }, { batch_size = 100, shuffle = true, seed = step }) do
    step = step + 1
    local x, sign = signed(images, labels)
    local wrong = (sign * x:mv(weight)):lt(1):float()  -- within the margin, or on the wrong side
    local rate = 1 / (lambda * step)
    weight = (1 - rate * lambda) * weight + rate / #x * x:t():mv(sign * wrong)
    weight = weight * (1 / (math.sqrt(lambda) * weight:norm())):clamp_max(1)
    if step > steps // 2 then mean = mean + weight end
    if step == steps then break end
  end
end

local right, count = 0, 0
for images, labels in data.DataLoader(data.mnist { root = root, train = false }, { batch_size = 1000 }) do
  local x, sign = signed(images, labels)
  right, count = right + x:mv(mean):sign():eq(sign):sum():item(), count + #x
end
print(('step %d  accuracy %.4f'):format(step, right / count))
