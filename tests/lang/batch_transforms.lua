-- Transforms of batches: MixUp, CutMix, one-hot labels, label smoothing.
local T = data.transforms
local t, s = torch.Tester(), torch.TestSuite()
local close = torch.testing.assert_close
local x, y = torch.randn(6, 3, 10, 8), torch.tensor { 1, 2, 3, 4, 5, 1 }
local rows = F.one_hot(y, 5):float()

function s.mixup_blends_with_the_one_before()
  local mix = T.MixUp { num_classes = 5 }
  for batch = 0, 3 do
    mix:set_batch(7, 1, batch)
    local a, b = mix(x, y)
    local share = b[{ 2, 2 }]:item()  -- the second label is 2, that of the one before it 1
    t:assert(share >= 0 and share <= 1)
    close(a, x * share + x:roll(1, 1) * (1 - share))
    close(b, rows * share + rows:roll(1, 1) * (1 - share))
    close(b:sum(2), torch.ones(6))
  end
  local a, b = mix(x, rows)  -- rows of probabilities too
  t:eq(#a, 6)
  close(b:sum(2), torch.ones(6))
  close(y, torch.tensor { 1, 2, 3, 4, 5, 1 })
end

function s.choices_are_a_function_of_seed_epoch_batch()
  for _, mix in ipairs { T.MixUp { num_classes = 5, alpha = 0.4 }, T.CutMix { num_classes = 5 },
                         T.RandomChoice { T.MixUp { num_classes = 5 }, T.CutMix { num_classes = 5 } } } do
    local function result(seed, epoch, batch)
      mix:set_batch(seed, epoch, batch)
      return (mix(x, y))
    end
    local first = result(1, 2, 3)
    torch.randn(5)
    t:assert(torch.equal(first, result(1, 2, 3)))
    local others = 0
    for k = 1, 8 do others = others + (torch.equal(first, result(1, 2, 3 + k)) and 0 or 1) end
    t:assert(others >= 7)
    t:assert(not torch.equal(result(2, 2, 4), result(1, 3, 4)))
  end
end

function s.cutmix_pastes_a_box()
  local cut = T.CutMix { num_classes = 5 }
  local boxes = 0
  for batch = 0, 15 do
    cut:set_batch(3, 0, batch)
    local a, b = cut(x, y)
    local same = a:eq(x)
    t:assert(torch.where(same, x, x:roll(1, 1)):eq(a):all())
    local kept = same:float():mean():item()
    close(b[{ 2, 2 }]:item(), kept, { rtol = 0, atol = 1e-6 })
    -- all images and channels have the same box
    t:assert(same:all(1):eq(same:any(1)):all())
    boxes = boxes + (kept < 1 and 1 or 0)
  end
  t:assert(boxes >= 10)
end

-- The mean of Beta(a, a) is 1/2 and its variance 1 / (4 (2 a + 1)).
function s.shares_have_the_distribution()
  for _, alpha in ipairs { 0.2, 1, 3 } do
    local mix = T.MixUp { alpha = alpha }
    local one, labels, n = torch.zeros(2, 1), torch.tensor { { 1.0, 0.0 }, { 0.0, 1.0 } }, 3000
    mix:set_batch(0, 0, 0)
    local sum, square = 0, 0
    for _ = 1, n do
      local _, b = mix(one, labels)
      local share = b[{ 1, 1 }]:item()
      sum, square = sum + share, square + share * share
    end
    local mean = sum / n
    local variance, expected = square / n - mean * mean, 1 / (4 * (2 * alpha + 1))
    t:assert(math.abs(mean - 0.5) < 4 * math.sqrt(expected / n), mean)
    t:assert(math.abs(variance / expected - 1) < 0.15, variance)
  end
end

function s.labels()
  local a, b = T.OneHot { num_classes = 5 }(x, y)
  t:assert(a == x)
  close(b, rows)
  local _, smooth = T.LabelSmoothing { smoothing = 0.2, num_classes = 5 }(x, y)
  close(smooth, rows * 0.8 + 0.04)
  local _, again = T.LabelSmoothing { smoothing = 0.2 }(x, rows)
  close(again, smooth)
  -- as the loss has it
  local scores = torch.randn(6, 5)
  close(F.cross_entropy(scores, smooth), F.cross_entropy(scores, y, { label_smoothing = 0.2 }))
end

function s.choice_by_probability()
  local one, other = T.OneHot { num_classes = 5 }, T.LabelSmoothing { smoothing = 1, num_classes = 5 }
  local choice = T.RandomChoice({ one, other }, { p = { 1, 0 } })
  for batch = 1, 20 do
    choice:set_batch(0, 0, batch)
    local _, b = choice(x, y)
    close(b, rows)
  end
  t:eq(tostring(T.MixUp { num_classes = 5 }), 'MixUp(alpha=1.0, num_classes=5)')
end

-- What is drawn for the choice tells nothing of what the part draws.
function s.chosen_parts_draw_anew()
  local labels = torch.tensor { { 1.0, 0.0 }, { 0.0, 1.0 } }
  local choice, small, n = T.RandomChoice { T.MixUp(), T.OneHot { num_classes = 2 } }, 0, 0
  for batch = 1, 200 do
    choice:set_batch(3, 1, batch)
    local _, b = choice(torch.zeros(2, 1), labels)
    local share = b[{ 1, 1 }]:item()
    if share < 1 then n, small = n + 1, small + (share < 0.5 and 1 or 0) end
  end
  t:assert(n > 60 and n < 140, n)
  t:assert(small > n / 4 and small < 3 * n / 4, small)
end

function s.wrong_use()
  t:fails(function() T.MixUp { alpha = 0 } end, 'alpha is a number above 0, got 0')
  t:fails(function() T.MixUp { classes = 3 } end, "unknown setting 'classes'")
  t:fails(function() T.MixUp()(x, y) end, 'num_classes is needed for labels that are integers')
  t:fails(function() T.MixUp { num_classes = 5 }(x) end, 'expects images and labels, got 1 values')
  t:fails(function() T.MixUp { num_classes = 5 }(x:byte(), y) end, 'it comes after ToTensor')
  t:fails(function() T.MixUp { num_classes = 5 }(x, y[{ { 1, 3 } }]) end, 'there are 6 images and 3 labels')
  t:fails(function() T.CutMix { num_classes = 5 }(x[{ {}, {}, 1 }], y) end, 'images are [N, C, H, W]')
  t:fails(function() T.OneHot() end, 'num_classes is needed')
  t:fails(function() T.LabelSmoothing { smoothing = 2 } end, 'smoothing lies within 0 to 1')
  t:fails(function() T.RandomChoice { } end, 'expects a list of transforms')
  t:fails(function() T.RandomChoice({ T.MixUp() }, { p = { 1, 2 } }) end, 'there are 1 transforms and 2 probabilities')
end

t:add(s):run()
