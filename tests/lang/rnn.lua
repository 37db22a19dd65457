-- Recurrent layers and packed sequences beyond PyTorch's answers (nn_golden.lua): dropout between layers, sequences of
-- any lengths, states, errors, classes made from them.
local tester = torch.Tester()
local tests = torch.TestSuite()
local rnn = nn.utils.rnn

local function same(a, b, what)
  tester:assert(torch.allclose(a, b, { rtol = 1e-5, atol = 1e-6 }), what)
end
local function refused(pattern, f, ...)
  local ok, why = pcall(f, ...)
  tester:assert(not ok and tostring(why):find(pattern, 1, true) ~= nil, pattern .. ' expected, got ' .. tostring(why))
end

function tests.results_have_pytorchs_form()
  local y, state = nn.LSTM(3, 4, 2)(torch.randn(5, 2, 3))
  tester:eq(tostring(y:size()), 'torch.Size([5, 2, 4])')
  tester:eq(#state, 2)
  tester:eq(tostring(state[1]:size()), 'torch.Size([2, 2, 4])')
  local _, h = nn.GRU(3, 4, { bidirectional = true })(torch.randn(5, 3))
  tester:eq(tostring(h:size()), 'torch.Size([2, 4])')
  local lstm = nn.LSTM(3, 4)
  tester:eq(#lstm:all_weights()[1], 4)
  tester:eq(lstm:all_weights()[1][2], lstm.weight_hh_l0)
  tester:eq(lstm:flatten_parameters(), nil)
end

function tests.a_cell_is_one_step()
  for layer, cell in pairs { RNN = 'RNNCell', LSTM = 'LSTMCell', GRU = 'GRUCell' } do
    local m, c = nn[layer](3, 4), nn[cell](3, 4)
    for _, name in ipairs { 'weight_ih', 'weight_hh', 'bias_ih', 'bias_hh' } do c[name] = m[name .. '_l0'] end
    local x, h, s = torch.randn(5, 2, 3), nil, nil
    for t = 1, 5 do
      if layer == 'LSTM' then
        h, s = c(x[t], h and { h, s })
      else
        h = c(x[t], h)
      end
    end
    local y, state = m(x)
    same(h, y[5], layer)
    same(h, (layer == 'LSTM' and state[1] or state)[1], layer)
  end
end

function tests.a_state_goes_on()
  local m, x = nn.LSTM(3, 4, 2), torch.randn(6, 2, 3)
  local whole = m(x)
  local first, state = m(x[{ { 1, 2 } }])
  same(torch.cat({ first, (m(x[{ { 3, 6 } }], state)) }), whole)
end

function tests.dropout_acts_between_layers_in_training()
  local x = torch.randn(7, 3, 4)
  local none, all = nn.GRU(4, 4, 2, { dropout = 0.0 }), nn.GRU(4, 4, 2, { dropout = 1.0 })
  all:load_state_dict(none:state_dict())
  local y = none(x)
  tester:assert(not torch.allclose(all(x), y))
  local second = nn.GRU(4, 4)
  for _, kind in ipairs { 'weight_ih', 'weight_hh', 'bias_ih', 'bias_hh' } do second[kind .. '_l0'] = none[kind .. '_l1'] end
  same(all(x), (second(torch.zeros(7, 3, 4))), 'all of the first layer dropped')
  same(all:eval()(x), y, 'evaluation')
  local half = nn.GRU(4, 4, 2, { dropout = 0.5 })
  torch.manual_seed(1)
  local once = half(x)
  tester:assert(not torch.allclose(half(x), once))
  torch.manual_seed(1)
  same(half(x), once, 'the same seed')
end

-- Each sequence by itself gives what it gives among others of other lengths, forward and backward.
function tests.packed_sequences_are_apart()
  local lengths = { 2, 5, 1, 5, 3 }
  for _, class in ipairs { 'RNN', 'LSTM', 'GRU' } do
    local m = nn[class](3, 4, 2, { bidirectional = true, batch_first = true })
    local alone, list = {}, {}
    for i, n in ipairs(lengths) do list[i] = torch.randn(n, 3) end
    local padded = rnn.pad_sequence(list, { batch_first = true, padding_value = 9 }):requires_grad_()
    local packed = rnn.pack_padded_sequence(padded, lengths, { batch_first = true, enforce_sorted = false })
    local out, state = m(packed)
    local y, counted = rnn.pad_packed_sequence(out, { batch_first = true, padding_value = -7, total_length = 6 })
    tester:eq(table.concat(counted:tolist(), ' '), '2 5 1 5 3')
    tester:eq(tostring(y:size()), 'torch.Size([5, 6, 8])')
    y:sum():backward()
    local h = class == 'LSTM' and state[2] or state
    for i, n in ipairs(lengths) do
      local x = list[i]:clone():requires_grad_()
      local want, last = m(x)
      want:sum():backward()
      same(y[i][{ { 1, n } }], want, class)
      tester:assert(y[i][{ { n + 1, 6 } }]:eq(-7):all())
      same(h[{ {}, i }], class == 'LSTM' and last[2] or last, class .. ': state')
      same(padded.grad[i][{ { 1, n } }], x.grad, class .. ': gradient')
      tester:assert(padded.grad[i]:abs():sum():item() > 0)
      if n < 5 then tester:assert(padded.grad[i][{ { n + 1, 5 } }]:eq(0):all()) end
      alone[i] = want
    end
    for i, x in ipairs(rnn.unpack_sequence(out)) do same(x, alone[i], 'unpacked') end
  end
end

-- What only backward reads is not made without gradients; all else has the same bits.
function tests.without_gradients_results_are_the_same()
  local sequences = rnn.pack_sequence({ torch.randn(2, 3), torch.randn(4, 3), torch.randn(4, 3) }, { enforce_sorted = false })
  for _, class in ipairs { 'RNN', 'LSTM', 'GRU' } do
    for _, settings in ipairs { {}, class == 'LSTM' and { proj_size = 2 } or { bias = false } } do
      settings.bidirectional = true
      for _, x in ipairs { torch.randn(5, 2, 3), torch.randn(1, 2, 3), sequences } do
        local m = nn[class](3, 4, 2, settings)
        local function results()
          local y, state = m(x)
          local list = class == 'LSTM' and { table.unpack(state) } or { state }
          table.insert(list, torch.is_tensor(y) and y or y.data)
          return list
        end
        local want, got = results(), nil
        do
          local _ <close> = torch.no_grad()
          got = results()
        end
        for i = 1, #want do tester:assert(torch.equal(got[i], want[i]), class .. ' ' .. i) end
      end
    end
  end
end

function tests.sequences_round_trip()
  local list = { torch.randn(2, 3), torch.randn(4, 3), torch.randn(4, 3), torch.randn(1, 3) }
  local packed = rnn.pack_sequence(list, { enforce_sorted = false })
  tester:eq(table.concat(packed.batch_sizes:tolist(), ' '), '4 3 2 2')
  tester:eq(table.concat(packed.sorted_indices:tolist(), ' '), '2 3 1 4')
  tester:eq(table.concat(packed.unsorted_indices:tolist(), ' '), '3 1 2 4')
  for i, x in ipairs(rnn.unpack_sequence(packed)) do same(x, list[i]) end
  local padded = rnn.pad_sequence(list)
  for i, x in ipairs(rnn.unpad_sequence(padded, { 2, 4, 4, 1 })) do same(x, list[i]) end
  local none = rnn.unpad_sequence(padded, { 0, 4, 4, 1 })[1]
  tester:eq(none:size(), torch.Size { 0, 3 })
  local left = rnn.pad_sequence(list, { batch_first = true, padding_side = 'left' })
  tester:assert(left[1][{ { 1, 2 } }]:eq(0):all())
  same(left[1][{ { 3, 4 } }], list[1])
  local again = rnn.PackedSequence(packed.data, packed.batch_sizes, packed.sorted_indices)
  same((rnn.pad_packed_sequence(again)), padded)
  tester:eq(packed:double().data.dtype, torch.float64)
  tester:eq(rnn.pack_sequence { torch.ones(2), torch.ones(1) }.sorted_indices, nil)
end

function tests.second_gradients()
  local x = torch.randn(3, 2, 2, { dtype = torch.float64 }):requires_grad_()
  for _, class in ipairs { 'LSTM', 'GRU' } do
    local m = nn[class](2, 2, { dtype = torch.float64 })
    tester:assert(torch.autograd.gradgradcheck(function(v) return (m(v)) end, { x }), class)
  end
end

function tests.autocast_and_16_bits()
  local m, x = nn.LSTM(3, 4), torch.randn(5, 2, 3)
  local y, low = m(x), nil
  do
    local _ <close> = torch.autocast('cpu', { dtype = torch.bfloat16 })
    low = m(x, { torch.zeros(1, 2, 4), torch.zeros(1, 2, 4) })
  end
  tester:eq(low.dtype, torch.bfloat16)
  tester:assert(torch.allclose(low:float(), y, { rtol = 0.05, atol = 0.02 }))
  low:sum():backward()
  tester:eq(m.weight_hh_l0.grad.dtype, torch.float32)
  local half = m:clone():half()(x:half())
  tester:assert(torch.allclose(half:float(), y, { rtol = 0.05, atol = 0.02 }))
end

function tests.classes_and_hooks()
  local Encoder = nn.class('Encoder', nn.GRU)
  function Encoder:init(size) nn.GRU.init(self, size, size) end
  function Encoder:forward(x) return select(2, nn.GRU.forward(self, x)) end
  local m = Encoder(3)
  tester:eq(tostring(m(torch.randn(4, 2, 3)):size()), 'torch.Size([1, 2, 3])')
  local lstm, seen = nn.LSTM(3, 4), nil
  lstm:register_forward_hook(function(_, given, results) seen = { #given, #results[2], torch.is_tensor(results[1]) } end)
  lstm(torch.randn(4, 2, 3))
  tester:eq(table.concat({ seen[1], seen[2], tostring(seen[3]) }, ' '), '1 2 true')
  local packed = lstm(rnn.pack_sequence { torch.randn(4, 3), torch.randn(2, 3) })
  tester:eq(tostring(packed.data:size()), 'torch.Size([6, 4])')
  tester:eq(seen[3], false)
end

function tests.errors_say_what_is_expected()
  local m, x = nn.LSTM(3, 4), torch.randn(5, 2, 3)
  refused('must have 3 features (input_size)', m, torch.randn(5, 2, 4))
  refused('3 dims (steps, batch, features), or 2 without a batch', m, torch.randn(3))
  refused('h0 must have shape [1, 2, 4]', m, x, { torch.zeros(1, 3, 4), torch.zeros(1, 2, 4) })
  refused('c0 must have shape [1, 2, 4]', m, x, { torch.zeros(1, 2, 4), torch.zeros(2, 2, 4) })
  refused('list of two tensors, h and c, got a tensor', m, x, torch.zeros(1, 2, 4))
  refused('h0 is float64, but the input is float32', nn.GRU(3, 4), x, torch.zeros(1, 2, 4, { dtype = torch.float64 }))
  refused('has no steps', m, torch.randn(0, 2, 3))
  refused('as the input has no batch', m, torch.randn(5, 3), { torch.zeros(1, 1, 4), torch.zeros(1, 1, 4) })
  refused('proj_size of LSTM must be less than hidden_size 4', nn.LSTM, 3, 4, { proj_size = 4 })
  refused('dropout of GRU is a probability, got 2', nn.GRU, 3, 4, 2, { dropout = 2 })
  refused("nonlinearity of RNN is 'tanh' or 'relu', got 'elu'", nn.RNN, 3, 4, { nonlinearity = 'elu' })
  refused('hx must have shape [2, 4]', nn.GRUCell(3, 4), torch.randn(2, 3), torch.zeros(3, 4))
  refused('length 0 of sequence 2', rnn.pack_padded_sequence, x, { 5, 0 })
  refused('length 6 of sequence 1', rnn.pack_padded_sequence, x, { 6, 2 })
  refused('lengths has 1 numbers', rnn.pack_padded_sequence, x, { 5 })
  refused('enforce_sorted', rnn.pack_padded_sequence, x, { 2, 5 })
  refused('total_length is 3', rnn.pad_packed_sequence, rnn.pack_padded_sequence(x, { 5, 2 }), { total_length = 3 })
  local data, sizes = torch.randn(3, 2), torch.tensor { 2, 1 }
  refused('positive and fall', rnn.PackedSequence, data, torch.tensor { 1, 2 })
  refused('add up to 2 rows', rnn.PackedSequence, data, torch.tensor { 1, 1 })
  refused('each position from 1 to 2 once, got 7', rnn.PackedSequence, data, sizes, torch.tensor { 1, 7 })
  refused('each the inverse of the other', rnn.PackedSequence, data, sizes, torch.tensor { 1, 2 }, torch.tensor { 2, 1 })
  m.num_layers = 2  -- there are no parameters for it
  refused('weight is missing', m, x)
end

tester:add(tests):run()
