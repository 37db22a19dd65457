// What this machine can do, as lines of JSON for scripts/compare.lua: memory bandwidth; for the workloads io/* what the
// disk and the page cache do; for matmul/* and conv/* the better of OpenBLAS and oneDNN called directly, in the layouts
// that they prefer; for networks that, and the time of the bytes that must be moved.
//   c++ -O3 -march=native -std=c++20 -fopenmp *.cpp -o limits -ldnnl -lopenblas
//   OMP_NUM_THREADS=1 ./limits REGEX      only workloads whose whole name matches
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <numeric>

#include "calls.h"

using namespace limits;

namespace {

// ---- memory: z = x + 3 y; reads alone; writes alone ----

Call triad(size_t n) {
  const auto filled = [n](float v) { return std::make_shared<std::vector<float>>(n, v); };
  return [=, x = filled(1), y = filled(2), z = filled(0)] {
    const float *a = x->data(), *b = y->data();
    float* __restrict out = z->data();
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; ++i) out[i] = a[i] + 3.f * b[i];
  };
}

unsigned total;  // of what was read

Call reading(size_t n) {
  return [n, x = std::make_shared<std::vector<unsigned>>(n, 1)] {
    const unsigned* in = x->data();
    unsigned sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < n; ++i) sum += in[i];
    total += sum;
  };
}

void read_and_fill(const char* size, size_t n) {
  report("read/" + std::string(size), "GB/s", 4e-9 * double(n), {reading(n)});
  std::vector<unsigned> x(n, 1);
  report("fill/" + std::string(size), "GB/s", 4e-9 * double(n), {[&] {
           unsigned* out = x.data();
#pragma omp parallel for schedule(static)
           for (size_t part = 0; part < 16; ++part) std::fill(out + n / 16 * part, out + n / 16 * (part + 1), total);
         }});
}

// Five calls that each read and write a vector: the first writes another one, all others write what they read, so this
// is the least that five eager calls move. Without tanh's arithmetic.
void chain(const char* size, size_t n) {
  if (!wanted("elementwise/chain5/" + std::string(size))) return;
  std::vector<float> x(n, 1.f), y(n);
  report("elementwise/chain5/" + std::string(size), "GB/s", 40e-9 * double(n), {[&] {
           float* out = y.data();
           auto pass = [n, out](const float* in, float factor, float shift) {
#pragma omp parallel for simd schedule(static)
             for (size_t i = 0; i < n; ++i) out[i] = in[i] * factor + shift;
           };
           pass(x.data(), 1.5f, 0.f);
           for (int i = 0; i < 4; ++i) pass(out, 0.5f, 0.5f);
         }});
}

// ---- files ----

void synced(int fd) {
  if (fd < 0 || fsync(fd)) perror("limits");
  close(fd);
}

// io/save_*: the bytes in a file that takes another's place, and are on the disk when the call returns. luth promises
// no less. io/load_*: the bytes from the page cache into memory that is there.
void files() {
  std::vector<char> bytes(4 * 11168832, 'x');
  const char* tmp = getenv("TMPDIR");
  const std::string folder = tmp ? tmp : "/tmp", path = folder + "/luth-limit-" + std::to_string(getpid());
  const Call save = [&] {
    const int fd = open((path + ".new").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    constexpr size_t part = size_t(8) << 20;
    for (size_t at = 0; at < bytes.size(); at += part) {
      if (pwrite(fd, bytes.data() + at, std::min(part, bytes.size() - at), off_t(at)) < 0) perror("limits");
      sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    }
    synced(fd);
    if (rename((path + ".new").c_str(), path.c_str())) perror("limits");
    synced(open(folder.c_str(), O_RDONLY | O_DIRECTORY));
  };
  const Call load = [&] {
    const int fd = open(path.c_str(), O_RDONLY);
    if (pread(fd, bytes.data(), bytes.size(), 0) < 0) perror("limits");
    close(fd);
  };
  const auto put = [&](const std::string& name, const Call& call) {
    if (wanted("io/" + name)) report("io/" + name, "GB/s", double(bytes.size()) / 1e9, {call});
  };
  save();
  for (const std::string format : {"torch", "safetensors", "h5py"})
    put("save_" + format, save), put("save_" + format + "_fsync", save);
  for (const std::string format : {"torch", "h5py"})
    put("load_" + format, load), put("load_" + format + "_touched", load);
  unlink(path.c_str());
}

// ---- products ----

void products() {
  auto put = [](const std::string& name, double work, const std::function<std::vector<Call>()>& ways) {
    if (wanted("matmul/" + name)) report("matmul/" + name, "GFLOP/s", work / 1e9, ways());
  };
  for (int n : {64, 256, 512, 1024, 2048, 4096})
    put("sgemm/" + std::to_string(n), 2.0 * n * n * n, [=] {
      return std::vector{blas_product(n, n, n), dnnl_product(1, n, n, n, Type::f32)};
    });
  for (int n : {1024, 2048})
    put("bf16/" + std::to_string(n), 2.0 * n * n * n,
        [=] { return std::vector{dnnl_product(1, n, n, n, Type::bf16)}; });
  put("sgemm_tn/1024", 2.0 * 1024 * 1024 * 1024, [] {
    return std::vector{blas_product(1024, 1024, 1024, true), dnnl_product(1, 1024, 1024, 1024, Type::f32, true)};
  });
  put("batched", 2.0 * 64 * 128 * 128 * 64, [] {
    return std::vector{blas_product(128, 128, 64, false, false, 64), dnnl_product(64, 128, 128, 64, Type::f32)};
  });
  put("linear_fwdbwd", 6.0 * 128 * 1024 * 1024, [] {
    return std::vector<Call>{[y = blas_product(128, 1024, 1024, false, true), dx = blas_product(128, 1024, 1024),
                              dw = blas_product(1024, 1024, 128, true)] { y(), dx(), dw(); }};
  });
}

// ---- convolutions ----

struct Convolution {
  std::string name;
  Dims x, w;  // w with the groups first where there are several
  Dims stride, padding;
  bool transposed = false;
  Type type = Type::f32;
  Tag order = Tag::any;  // of input and result
};

struct ConvolutionCalls {
  double work;  // of forward, in 10^9
  Call forward, to_input, to_filters;
};
template <class Forward, class BackwardData, class BackwardWeights>
ConvolutionCalls convolution(const Convolution& c, dnnl::algorithm algorithm) {
  const bool grouped = c.w.size() > c.x.size();
  Dims y{c.x[0], grouped ? c.w[0] * c.w[1] : c.w[0]};
  for (size_t i = 0; i < c.stride.size(); ++i) {
    const int64_t kernel = c.w[c.w.size() - c.stride.size() + i], extent = c.x[2 + i];
    y.push_back(c.transposed ? (extent - 1) * c.stride[i] - 2 * c.padding[i] + kernel
                             : (extent + 2 * c.padding[i] - kernel) / c.stride[i] + 1);
  }
  const dnnl::memory::desc dx(c.x, c.type, c.order), dw(c.w, c.type, Tag::any), dy(y, c.type, c.order);
  // of each position of the kernel as many products as w has elements
  auto count = [](auto begin, auto end) {
    return double(std::accumulate(begin, end, int64_t(1), std::multiplies<>()));
  };
  const Dims& positions = c.transposed ? c.x : y;
  const double work =
      2e-9 * double(c.x[0]) * count(c.w.begin(), c.w.end()) * count(positions.begin() + 2, positions.end());
  const auto forward =
      described<Forward>(dnnl::prop_kind::forward_training, algorithm, dx, dw, dy, c.stride, c.padding, c.padding);
  Call run = runs(Forward(forward), {{DNNL_ARG_SRC, forward.src_desc()},
                                     {DNNL_ARG_WEIGHTS, forward.weights_desc()},
                                     {DNNL_ARG_DST, forward.dst_desc()}});
  const auto data = described_after<BackwardData>(forward, algorithm, dx, dw, dy, c.stride, c.padding, c.padding);
  const auto weights = described_after<BackwardWeights>(forward, algorithm, dx, dw, dy, c.stride, c.padding, c.padding);
  Call back = runs(BackwardData(data), {{DNNL_ARG_DIFF_DST, data.diff_dst_desc()},
                                        {DNNL_ARG_WEIGHTS, data.weights_desc()},
                                        {DNNL_ARG_DIFF_SRC, data.diff_src_desc()}});
  Call down = runs(BackwardWeights(weights), {{DNNL_ARG_DIFF_DST, weights.diff_dst_desc()},
                                              {DNNL_ARG_SRC, weights.src_desc()},
                                              {DNNL_ARG_DIFF_WEIGHTS, weights.diff_weights_desc()}});
  return {work, std::move(run), std::move(back), std::move(down)};
}
ConvolutionCalls direct_convolution(const Convolution& c) {
  using namespace dnnl;
  if (c.transposed)
    return convolution<deconvolution_forward, deconvolution_backward_data, deconvolution_backward_weights>(
        c, algorithm::deconvolution_direct);
  return convolution<convolution_forward, convolution_backward_data, convolution_backward_weights>(
      c, algorithm::convolution_direct);
}

void convolutions() {
  const std::vector<Convolution> list{
      {"3x3_64_56", {32, 64, 56, 56}, {64, 64, 3, 3}, {1, 1}, {1, 1}},
      {"3x3_256_14", {32, 256, 14, 14}, {256, 256, 3, 3}, {1, 1}, {1, 1}},
      {"3x3_256_14_bf16", {32, 256, 14, 14}, {256, 256, 3, 3}, {1, 1}, {1, 1}, false, Type::bf16},
      {"1x1_256_64_56", {32, 256, 56, 56}, {64, 256, 1, 1}, {1, 1}, {0, 0}},
      {"stem_7x7_224", {32, 3, 224, 224}, {64, 3, 7, 7}, {2, 2}, {3, 3}},
      {"depthwise_3x3_128_56", {32, 128, 56, 56}, {128, 1, 1, 3, 3}, {1, 1}, {1, 1}},
      {"conv1d_64_128_k5", {32, 64, 1024}, {128, 64, 5}, {1}, {2}},
      {"transpose_128_64_k4s2", {32, 128, 14, 14}, {64, 128, 4, 4}, {2, 2}, {1, 1}, true},
  };
  for (auto& c : list) {
    if (!wanted("conv/" + c.name) && !wanted("conv/" + c.name + "_fwdbwd")) continue;
    try {
      const ConvolutionCalls calls = direct_convolution(c);
      if (wanted("conv/" + c.name)) report("conv/" + c.name, "GFLOP/s", calls.work, {calls.forward});
      if (wanted("conv/" + c.name + "_fwdbwd"))
        report("conv/" + c.name + "_fwdbwd", "GFLOP/s", 3 * calls.work,
               {[=] { calls.forward(), calls.to_input(), calls.to_filters(); }});
    } catch (const dnnl::error& e) { fprintf(stderr, "limits: %s: %s\n", c.name.c_str(), e.what()); }
  }
}

// ---- networks ----

// Seconds of moving a float, with n in each operand.
double seconds_of_float(size_t n) { return seconds_of(triad(n)) / double(3 * n); }

// ResNet-18 for images of 32 x 32: its convolutions with packed filters, and what the operators between them move at
// least, from results of `cached` elements.
void resnet18(const std::string& name, int64_t images, bool trains, size_t cached) {
  if (!wanted(name)) return;
  double seconds = 0, floats = trains ? 5 * 11173962.0 : 0;  // SGD: weight, gradient and momentum; two are written
  const auto layer = [&](int64_t in, int64_t out, int64_t kernel, int64_t extent, int64_t stride, int times) {
    const ConvolutionCalls calls = direct_convolution(
        {"", {images, in, extent, extent}, {out, in, kernel, kernel}, {stride, stride}, {kernel / 2, kernel / 2}});
    seconds += times * seconds_of(calls.forward);
    if (trains) seconds += times * seconds_of(calls.to_filters);
    if (trains && in > 3) seconds += times * seconds_of(calls.to_input);
    // batch norm reads its input twice and writes the result; backward reads input and gradient twice and writes one.
    // ReLU moves 2 and 3, in all but the shortcuts. Without training both move 2.
    const double size = double(images * out * (extent / stride) * (extent / stride));
    floats += times * size * (trains ? kernel == 1 ? 8 : 13 : kernel == 1 ? 2 : 4);
  };
  layer(3, 64, 3, 32, 1, 1);
  for (int64_t out = 64, extent = 32; out <= 512; out *= 2, extent /= 2) {
    const bool halves = out > 64;
    const int64_t in = halves ? out / 2 : out;
    if (halves) layer(in, out, 3, 2 * extent, 2, 1), layer(in, out, 1, 2 * extent, 2, 1);
    layer(out, out, 3, extent, 1, halves ? 3 : 4);
    floats += 2 * (trains ? 6 : 3) * double(images * out * extent * extent);  // two sums, and two of gradients
  }
  report_seconds(name, seconds + floats * seconds_of_float(cached));
}

// A step of train/lenet5: convolutions in the better of two orders, products by OpenBLAS, and what lies between them.
void lenet5() {
  if (!wanted("train/lenet5")) return;
  double seconds = 0, floats = 5 * 61706.0;
  const auto layer = [&](int64_t in, int64_t out, int64_t extent, int64_t padding) {
    double forward = 1e9, to_filters = 1e9, to_input = 1e9;
    for (Tag order : {Tag::any, Tag::nhwc}) {
      const ConvolutionCalls calls = direct_convolution(
          {"", {128, in, extent, extent}, {out, in, 5, 5}, {1, 1}, {padding, padding}, false, Type::f32, order});
      forward = std::min(forward, seconds_of(calls.forward));
      to_filters = std::min(to_filters, seconds_of(calls.to_filters));
      if (in > 1) to_input = std::min(to_input, seconds_of(calls.to_input));
    }
    seconds += forward + to_filters + (in > 1 ? to_input : 0);
    // ReLU moves 2 and 3; pooling reads all and writes a quarter, and the reverse
    const int64_t result = extent + 2 * padding - 4;
    floats += 7.5 * double(128 * out * result * result);
  };
  layer(1, 6, 28, 2), layer(6, 16, 14, 0);
  for (auto [in, out] : {std::pair(400, 120), {120, 84}, {84, 10}})
    seconds += seconds_of(blas_product(128, out, in, false, true)) + seconds_of(blas_product(128, in, out)) +
               seconds_of(blas_product(out, in, 128, true));
  report_seconds("train/lenet5", seconds + floats * seconds_of_float(1 << 18));
}

// infer/mlp_b1: its weights are read once.
void mlp() {
  if (wanted("infer/mlp_b1")) report_seconds("infer/mlp_b1", seconds_of(reading(784 * 512 + 512 * 512 + 512 * 10)));
}

}  // namespace

int main(int argc, char** argv) {
  wanted_names = argc > 1 ? argv[1] : ".*";
  const std::pair<const char*, size_t> sizes[] = {{"64Ki", 64 << 10}, {"1Mi", 1 << 20}, {"16Mi", 16 << 20}};
  for (auto& [name, n] : sizes) {
    report("triad/" + std::string(name), "GB/s", 12e-9 * double(n), {triad(n)});
    read_and_fill(name, n), chain(name, n);
  }
  files();
  products();
  convolutions();
  resnet18("train/resnet18_cifar", 64, true, 1 << 20);
  resnet18("infer/resnet18_cifar_b1", 1, false, 1 << 16);
  lenet5();
  mlp();
  sequences();
}
