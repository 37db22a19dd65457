// Steps of recurrent networks and of a transformer: their products, each by the better of OpenBLAS and oneDNN, the
// weights in the layout that oneDNN prefers; and what the operators between them take at least, which is what they move
// at the speed of z = x + 3 y, or oneDNN's exp and tanh, whichever is longer.
#include "calls.h"

namespace limits {
namespace {

// Seconds for c[m, n] = a b. ta: a lies transposed. kept: b is a weight, packed before.
double product(int m, int n, int k, bool ta = false, bool kept = true) {
  const auto f = Type::f32;
  const dnnl::memory::desc a({m, k}, f, ta ? Tag::ba : Tag::ab), b({k, n}, f, kept ? Tag::any : Tag::ab),
      c({m, n}, f, Tag::ab);
  const auto matmul = described<dnnl::matmul>(a, b, c);
  return std::min(
      {seconds_of(blas_product(m, n, k, ta)), seconds_of(dnnl_product(1, m, n, k, f, ta)),
       seconds_of(runs(dnnl::matmul(matmul),
                       {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, matmul.weights_desc()}, {DNNL_ARG_DST, c}}))});
}
// weight^T gradient, of which nothing is kept
double to_weight(int out, int in, int rows) { return product(out, in, rows, true, false); }
double linear(int rows, int in, int out) {
  return product(rows, out, in) + product(rows, in, out) + to_weight(out, in, rows);
}

// Seconds for each element of a function, in cache.
double each(dnnl::algorithm function) {
  constexpr int64_t n = 1 << 15;
  const dnnl::memory::desc x({n}, Type::f32, Tag::a);
#if DNNL_VERSION_MAJOR >= 3
  const auto call = described<dnnl::eltwise_forward>(dnnl::prop_kind::forward_inference, function, x, x, 0.f, 0.f);
#else
  const auto call = described<dnnl::eltwise_forward>(dnnl::prop_kind::forward_inference, function, x, 0.f, 0.f);
#endif
  return seconds_of(runs(dnnl::eltwise_forward(call), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}})) / n;
}

// Seconds for each float that is read or written, in vectors of n.
double each_moved(size_t n) {
  std::vector<float> x(n, 1.f), y(n, 2.f), z(n);
  return seconds_of([&] {
           float* __restrict out = z.data();
#pragma omp parallel for simd schedule(static)
           for (size_t i = 0; i < n; ++i) out[i] = x[i] + 3.f * y[i];
         }) /
         double(3 * n);
}

// ---- A layer of LSTM: 64 steps of 32 rows, 256 inputs and outputs ----

constexpr int steps = 64, batch = 32, rows = steps * batch, hidden = 256, gates = 4 * hidden;

struct Lstm {
  double forward, both;
};
Lstm lstm() {
  const double cached = each_moved(64 << 10), moved = each_moved(1 << 20), units = double(rows) * hidden;
  const double tanh = each(dnnl::algorithm::eltwise_tanh), logistic = each(dnnl::algorithm::eltwise_logistic);
  // reads the step's product, the cell, the input's part of the gates; writes cell and state
  const double cells = std::max(units * (3 * logistic + 2 * tanh), units * (6 * cached + 5 * moved));
  // training keeps the gates; backward reads them, the cell, two gradients, and writes one and those of the gates
  const double back = std::max(units * tanh, units * (3 * cached + 9 * moved));
  const double forward = product(rows, gates, hidden) + steps * product(batch, gates, hidden) + cells;
  return {forward, forward + units * 4 * moved + back + steps * product(batch, hidden, gates) +
                       product(rows, hidden, gates) + 2 * to_weight(gates, hidden, rows) + units * 4 * moved};
}

void recurrent() {
  const bool step = wanted("train/char_lstm");
  if (!step && !wanted("rnn/lstm") && !wanted("rnn/lstm_fwdbwd")) return;
  const Lstm layer = lstm();
  if (wanted("rnn/lstm")) report_seconds("rnn/lstm", layer.forward);
  if (wanted("rnn/lstm_fwdbwd")) report_seconds("rnn/lstm_fwdbwd", layer.both);
  if (!step) return;
  constexpr int letters = 65;
  const double parameters = 2 * letters * hidden + letters + 2 * (2.0 * gates * hidden + 2 * gates);
  // Adam moves seven floats of each; the rows of embeddings, and the logits with their gradient
  const double floats = 7 * parameters + 3.0 * rows * hidden + 4.0 * rows * letters;
  report_seconds("train/char_lstm", 2 * layer.both + linear(rows, hidden, letters) + floats * each_moved(1 << 20));
}

// ---- A step of the transformer: six blocks of width 192, six heads, 16 texts of 128 letters ----

void transformer() {
  if (!wanted("train/char_gpt")) return;
  constexpr int width = 192, blocks = 6, heads = 96, context = 128, rows = 16 * context, letters = 65;
  const double moved = each_moved(1 << 20), unit = double(rows) * width;
  const double weights = linear(rows, width, 3 * width) + linear(rows, width, width) + linear(rows, width, 4 * width) +
                         linear(rows, 4 * width, width);
  // the products of attention, three and four of them with backward, and exp twice, of half a square
  const double square = double(heads) * context * context;
  const double attention = 0.5 * (3 * seconds_of(dnnl_product(heads, context, context, width / 6, Type::f32)) +
                                  4 * seconds_of(dnnl_product(heads, context, width / 6, context, Type::f32)) +
                                  2 * square * each(dnnl::algorithm::eltwise_exp));
  const double gelu = std::max(8 * unit * each(dnnl::algorithm::eltwise_gelu_erf), 20 * unit * moved);
  // two norms move five units, two sums six, gradients of biases nine
  const double block = weights + attention + gelu + (2 * 5 + 2 * 6 + 9) * unit * moved;
  const double parameters = blocks * (12.0 * width * width + 13 * width) + (2 * letters + context + 2) * width;
  const double floats = 7 * parameters + 5 * unit + 4.0 * rows * letters;
  report_seconds("train/char_gpt", blocks * block + linear(rows, width, letters) + floats * moved);
}

}  // namespace

void sequences() {
  recurrent();
  transformer();
}

}  // namespace limits
