-- Two networks against each other, each with an optimizer: a generator learns to put points onto eight places of a circle, a critic
-- to tell them from real ones. luth train scripts/gan.lua [--epochs 60]
-- Prints on how many of the eight places the generator puts at least 2 % of its points, and writes points.png into the run's folder: all
-- eight after 60 epochs with the default seed. Metz et al., "Unrolled Generative Adversarial Networks", use this set to show that plain
-- pairs often leave places out.
local o = options { noise = { 8, 'dims of the noise' }, width = { 128, 'units of the hidden layers' } }

local angle = (torch.arange(8) * (2 * torch.pi / 8)):float()
local places = torch.stack({ angle:cos(), angle:sin() }, 2) * 2
local function real_points(n, seed)
  local g = torch.Generator():manual_seed(seed)
  local which = torch.randint(1, 9, { n }, { generator = g })
  return places:index_select(1, which) + 0.05 * torch.randn(n, 2, { generator = g })
end

local w = o.width
local generator = nn.Linear(o.noise, w) .. nn.ReLU() .. nn.Linear(w, w) .. nn.ReLU() .. nn.Linear(w, 2)
local critic = nn.Linear(2, w) .. nn.LeakyReLU(0.2) .. nn.Linear(w, w) .. nn.LeakyReLU(0.2) .. nn.Linear(w, 1)

-- The loss of scores that should be those of `label`, 1 real or 0 made.
local function loss_of(scores, label) return F.binary_cross_entropy_with_logits(scores, torch.full_like(scores, label)) end

local function report(ctx)
  local _ <close> = torch.no_grad()
  local made = generator(torch.randn(2000, o.noise, { device = ctx.device })):cpu()
  local distance, nearest = torch.cdist(made, places):min(2)
  local counts = torch.bincount(nearest:masked_select(distance:lt(0.3)), { minlength = 9 })
  print(('%d of 8 places, %.0f %% of the points near one'):format(counts:gt(40):sum():item(), 100 * distance:lt(0.3):float():mean():item()))
  plot.scatter({ { real_points(500, 7):unbind(2) }, { made[{ { 1, 500 } }]:unbind(2) } }, { title = 'real and made' }, ctx.dir .. '/points.png')
end

return recipe {
  data = { train = data.TensorDataset(real_points(10240, 1)) }, model = nn.ModuleDict { generator = generator, critic = critic },
  optim = { g = optim.Adam({ { params = generator:parameters() } }, { lr = 1e-3, betas = { 0.5, 0.999 } }),
            d = optim.Adam({ { params = critic:parameters() } }, { lr = 1e-3, betas = { 0.5, 0.999 } }) },
  batch = 256, epochs = 60,
  step = function(_, batch, ctx)
    local real = batch[1]
    local made = generator(torch.randn(#real, o.noise, { device = real.device }))
    ctx.optimizer.d:zero_grad()
    local critic_loss = loss_of(critic(real), 0.9) + loss_of(critic(made:detach()), 0)  -- 0.9: a critic that is too sure teaches nothing
    critic_loss:backward()
    ctx.optimizer.d:step()
    ctx.optimizer.g:zero_grad()
    loss_of(critic(made), 1):backward()
    ctx.optimizer.g:step()
  end,
  callbacks = { on_end = report },
}
