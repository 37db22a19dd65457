-- What the tests of the registry cannot know of einsum, tensordot and torch.linalg: how Lua calls them, what counts
-- from 1, and what errors say.
local t, s = torch.Tester(), torch.TestSuite()

function s.einsum_takes_tensors_or_a_table()
  local a, b = torch.rand(2, 3, 4), torch.rand(2, 4, 5)
  t:eq(torch.einsum('bij,bjk->bik', a, b):size(), torch.Size {2, 3, 5})
  t:eq(torch.einsum('bij,bjk->bik', {a, b}), torch.einsum('bij,bjk->bik', a, b))
end

function s.einsum_points_into_the_equation()
  local a, b = torch.rand(2, 3), torch.rand(3, 4)
  t:fails(function() torch.einsum('ij,jk->ix', a, b) end,
    "label 'x' is in the output and in no operand\n  ij,jk->ix\n          ^")
  t:fails(function() torch.einsum('ij,kj', a, b) end, "label 'j' is 4 here and 3 before\n  ij,kj\n      ^")
end

function s.tensordot_takes_pairs_of_dims_from_1()
  local a, b = torch.rand(2, 3, 4), torch.rand(4, 5, 3)
  t:eq(torch.tensordot(a, b, {{2, 3}, {3, 1}}):size(), torch.Size {2, 5})
  t:eq(torch.tensordot(a, b, {{3}, {1}}):size(), torch.Size {2, 3, 5, 3})
  t:fails(function() torch.tensordot(a, b, {{1, 2}, {3}}) end, 'as many dims of the one as of the other, got 2 and 1')
end

function s.errors_count_from_1()
  local a = torch.stack {torch.eye(3), torch.eye(3)}
  a[{2, 3, 3}] = 0
  t:fails(function() torch.linalg.inv(a) end, 'matrix 2 of the batch is singular: element 3 of the diagonal')
end

function s.tolerances_have_names()
  local a = torch.tensor {{2., 0.}, {0., 1e-3}}
  t:eq(torch.linalg.matrix_rank(a, {atol = 0.01}):item(), 1)
  t:eq(torch.linalg.matrix_rank(a):item(), 2)
  t:eq(torch.linalg.pinv(a, {rtol = 0.1})[{2, 2}]:item(), 0.)
end

function s.norms_have_names_and_numbers()
  local a = torch.tensor {{3., 0.}, {0., -4.}}
  t:eq(torch.linalg.norm(a):item(), 5.)
  t:eq(torch.linalg.norm(a, 'nuc'):item(), 7.)
  t:eq(torch.linalg.matrix_norm(a, 2):item(), 4.)
  t:eq(torch.linalg.vector_norm(a, math.huge):item(), 4.)
  t:eq(a:norm('nuc'):item(), 7.)
end

t:add(s):run()
