// What luth says and does about GPUs: where there is none, where one cannot be used, and on those of the fake run-time
// (tests/fakecuda). Each error is a sentence, and the session goes on.
#include <gtest/gtest.h>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

Env fake(Env more = {}) {
  Env env{{"LUTH_DEVICE_PATH", LUTH_BINARY_DIR "/lib-test"}, {"FAKECUDA_DEVICES", "2"}};
  for (auto& e : more) env.push_back(e);
  return env;
}
Result lua(const std::string& code, const Env& env) { return run({"-e", code}, {.env = env}); }

// Every use of CUDA says all `parts`, is_available() is false and raises nothing, and the session goes on.
void expect_no_gpu(const Env& env, const std::vector<std::string>& parts) {
  const Result r =
      lua("print(torch.cuda.is_available())\n"
          "local ok, text = pcall(torch.ones, 2, {device = 'cuda'}) print(ok) io.stderr:write(text)\n"
          "print(torch.cuda.memory_allocated()) torch.cuda.empty_cache() torch.cuda.manual_seed(1)\n"
          "torch.cuda.reset_peak_memory_stats() assert(torch.backends.cudnn.is_available() == false)\n"
          "print((torch.ones(2) + 1):sum():item())",
          env);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "false\nfalse\n0\n4.0\n") << r.err;
  for (auto& p : parts) EXPECT_TRUE(has(r.err, p)) << "'" << p << "' is not in:\n" << r.err;
}

TEST(Cuda, NoDriver) {
  expect_no_gpu(fake({{"FAKECUDA_DRIVER", "none"}}), {"'cuda' is not available: no NVIDIA driver: libcuda.so.1"});
}
TEST(Cuda, DriverThatDoesNotRun) { expect_no_gpu(fake({{"FAKECUDA_DRIVER", "0"}}), {"no NVIDIA driver is running"}); }
TEST(Cuda, DriverTooOld) {
  expect_no_gpu(fake({{"FAKECUDA_DRIVER", "11040"}}),
                {"the NVIDIA driver is too old: it knows CUDA 11.4, this luth needs", "install a newer driver"});
  // kernels that nvcc has compressed
  expect_no_gpu(fake({{"FAKECUDA_RUNTIME", "12080"}, {"FAKECUDA_DRIVER", "12030"}}),
                {"the NVIDIA driver is too old: it knows CUDA 12.3, this luth needs 12.4"});
  EXPECT_EQ(
      lua("print(torch.cuda.is_available())", fake({{"FAKECUDA_RUNTIME", "12080"}, {"FAKECUDA_DRIVER", "12040"}})).out,
      "true\n");
}
TEST(Cuda, DriverThatDoesNotFit) {
  expect_no_gpu(fake({{"FAKECUDA_START", "802"}}), {"CUDA cannot start: ", "nvidia-fabricmanager"});
  expect_no_gpu(fake({{"FAKECUDA_START", "803"}}), {"CUDA cannot start: ", "restart the machine"});
  expect_no_gpu(fake({{"FAKECUDA_START", "804"}}), {"CUDA cannot start: ", "LD_LIBRARY_PATH"});
}
TEST(Cuda, NoDevice) { expect_no_gpu(fake({{"FAKECUDA_DEVICES", "0"}}), {"CUDA shows no device"}); }

TEST(Cuda, VisibleDevices) {
  for (const char* list : {"", "-1", "x", "7", "GPU-x"})
    expect_no_gpu(fake({{"CUDA_VISIBLE_DEVICES", list}}),
                  {"no device that it may use", std::string("CUDA_VISIBLE_DEVICES is '") + list + "'"});
  const std::string names =
      "for i = 0, torch.cuda.device_count() - 1 do io.write(torch.cuda.get_device_name(i), ';') end";
  EXPECT_EQ(lua(names, fake({{"FAKECUDA_DEVICES", "3"}, {"CUDA_VISIBLE_DEVICES", "0, 2"}})).out,
            "Fake GPU 0;Fake GPU 2;");
  EXPECT_EQ(lua(names, fake({{"CUDA_VISIBLE_DEVICES", "1,9,0"}})).out, "Fake GPU 1;");
  EXPECT_EQ(lua("torch.cuda.set_visible_devices({1, 0}) " + names, fake()).out, "Fake GPU 1;Fake GPU 0;");
  EXPECT_EQ(lua("torch.cuda.set_visible_devices('1') " + names, fake()).out, "Fake GPU 1;");
  const Result r = lua("torch.ones(1, {device = 'cuda:1'})", fake({{"CUDA_VISIBLE_DEVICES", "1"}}));
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "'cuda:1' does not exist; there is only cuda:0; CUDA_VISIBLE_DEVICES is '1'")) << r.err;
}

TEST(Cuda, ErrorThatNothingWaitedFor) {
  const Result r = lua("local x = torch.ones(3):cuda() local y = x[torch.tensor({9}):cuda()]", fake());
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "index holds 9 at position 1; it must be from 1 to 3")) << r.err;
  EXPECT_EQ(lua("local x = torch.ones(3):cuda() local y = x[torch.tensor({3}):cuda()]", fake()).code, 0);
}

TEST(Cuda, DeviceThatIsNotThere) {
  const Result r = lua("torch.ones(1, {device = 'cuda:9'})", fake());
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "'cuda:9' does not exist; there is cuda:0 to cuda:1")) << r.err;
}

TEST(Cuda, LibraryOfAnotherVersion) {
  TempDir dir;
  std::filesystem::copy_file(LUTH_BINARY_DIR "/lib-test/libluth_tiny_old.so", dir / "libluth_cuda.so");
  expect_no_gpu({{"LUTH_DEVICE_PATH", dir.path()}}, {"was built for ABI", "install matching versions"});
}

TEST(Cuda, GpuWithoutCode) {
  const Env env = fake({{"FAKECUDA_CAPABILITY", "70"}});
  const Result r =
      lua("print(torch.cuda.is_available(), torch.cuda.device_count())\n"
          "io.stderr:write(select(2, pcall(torch.ones, 2, {device = 'cuda'})))",
          env);
  EXPECT_EQ(r.out, "false\t2\n");
  EXPECT_TRUE(has(r.err, "compute capability 7.0, and this luth has code for sm_90, PTX 9.0")) << r.err;
  EXPECT_TRUE(has(run({"doctor"}, {.env = env}).out, "compute capability 7.0, and this luth has code for")) << r.err;
  EXPECT_EQ(lua("print(torch.cuda.is_available())", fake({{"FAKECUDA_CAPABILITY", "103"}})).out, "true\n");  // by PTX
}

TEST(Cuda, NothingIsOpenedBeforeFirstUse) {
  const Result r =
      lua("local function open() return io.open('/proc/self/maps'):read('a'):find('luth_cuda', 1, true) ~= nil end\n"
          "print(open(), torch.cuda.is_initialized()) torch.ones(3):sum():item() torch.device('cuda')\n"
          "print(open(), torch.cuda.is_available(), open(), torch.cuda.is_initialized())",
          fake());
  EXPECT_EQ(r.out, "false\tfalse\nfalse\ttrue\ttrue\ttrue\n") << r.err;
}

TEST(Cuda, Doctor) {
  const std::string text = run({"doctor"}, {.env = fake()}).out;
  for (const char* part : {"cuda:1", "Fake GPU 1, 1.0 GiB, PCI 0000:02:00.0, compute capability 9.0, driver ",
                           "this build has code for it: sm_90, PTX 9.0", "9.12.3", "13.1.1"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  EXPECT_TRUE(
      has(run({"doctor"}, {.env = fake({{"FAKECUDA_DRIVER", "none"}})}).out, "not available: no NVIDIA driver"));
}

// What doctor and torch.backends say is what the kernels compute with: here the stand-ins of tests/fakecuda/libraries.
TEST(Cuda, LibrariesAreThoseThatCompute) {
  const std::string ask = "print(torch.backends.cudnn.is_available(), torch.backends.cudnn.version())";
  EXPECT_EQ(lua(ask, fake()).out, "true\t91203\n");
  const Env none = fake({{"LUTH_FAKE_DNN", "none"}, {"LUTH_FAKE_BLAS", "none"}});
  EXPECT_EQ(lua(ask, none).out, "false\tnil\n");
  const std::string text = run({"doctor"}, {.env = none}).out;
  for (const char* part :
       {"not available: libcudnn.so.9: cannot open", "not available: libcublasLt.so.13: cannot open"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

TEST(Cuda, FunctionsOfMemoryNameThemselves) {
  for (const char* name : {"memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved",
                           "reset_peak_memory_stats"})
    EXPECT_TRUE(has(lua(std::string("torch.cuda.") + name + "('cpu')", fake()).err,
                    std::string("torch.cuda.") + name + " expects a CUDA device, got 'cpu'"))
        << name;
}

// ---- --device ----

TEST(DeviceOption, Scripts) {
  const std::string where = "print(torch.zeros(1).device, torch.get_default_device())";
  EXPECT_EQ(run({"--device", "cuda:1", "-e", where}, {.env = fake()}).out, "cuda:1\tcuda:1\n");
  EXPECT_EQ(run({"--device=cpu", "-e", where}, {.env = fake()}).out, "cpu\tcpu\n");
  const Result found = run({"--device", "auto", "-e", where}, {.env = fake()});
  EXPECT_EQ(found.out, "cuda:0\tcuda:0\n");
  EXPECT_EQ(found.err, "luth: --device auto: cuda:0 (Fake GPU 0)\n");
  const Result none = run({"--device", "auto", "-e", where}, {.env = fake({{"FAKECUDA_DRIVER", "none"}})});
  EXPECT_EQ(none.out, "cpu\tcpu\n");
  EXPECT_TRUE(has(none.err, "--device auto: cpu (device 'cuda' is not available: no NVIDIA driver")) << none.err;
}

TEST(DeviceOption, WhatCannotBeHadIsAWrongSetting) {
  TempDir dir;
  dir.write("p.lua", points_recipe());
  const Env none = fake({{"FAKECUDA_DEVICES", "0"}});
  for (auto& words : std::vector<std::vector<std::string>>{{"--device", "cuda", "-e", "print(1)"},
                                                           {"bench", "--device", "cuda", "--filter", "add10"},
                                                           {"train", "p.lua", "--device", "cuda"},
                                                           {"train", "p.lua", "--device=cuda:1"}}) {
    const Result r = run_in(dir, words, none);
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_EQ(r.out, "");
    EXPECT_TRUE(has(r.err, "--device takes 'auto' or a device, got 'cuda")) << r.err;
    EXPECT_TRUE(has(r.err, "CUDA shows no device")) << r.err;
    EXPECT_FALSE(has(r.err, "traceback")) << r.err;
  }
  EXPECT_EQ(run_in(dir, {"train", "p.lua", "--device", "cuda:9"}, fake()).code, 2);
  EXPECT_EQ(run({"--device"}).code, 2);
}

TEST(DeviceOption, BenchSaysWhere) {
  const Result r =
      run({"bench", "--device", "cuda:1", "--json", "--seconds", "0", "--filter", "add10$"}, {.env = fake()});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "\"device\":\"cuda\"")) << r.out;
}

TEST(Placement, IsLogged) {
  const std::string code = "local x = torch.ones(2, {device = 'cuda:1'}) local _ = x + x; x:mul_(2)";
  const std::string expected = "ones: cuda:1\nadd: cuda:1\nmul_: cuda:1\n";
  EXPECT_EQ(lua(code, fake({{"LUTH_LOG_PLACEMENT", "1"}})).err, expected);
  EXPECT_EQ(run({"--log-device-placement", "-e", code}, {.env = fake()}).err, expected);
  EXPECT_EQ(
      lua("torch.set_log_device_placement(true) " + code + " torch.set_log_device_placement(false) x = -torch.ones(1)",
          fake())
          .err,
      expected);
  EXPECT_EQ(lua(code, fake()).err, "");
}

// ---- interrupts ----

// A second's work in the queue of the GPU, and more.
constexpr char long_work[] = "x = torch.zeros(1 << 17, {device = 'cuda'}) for i = 1, 900 do x:add_(1) end ";

TEST(Interrupt, EndsAWaitForTheGpu) {
  Process p({"-e", std::string(long_work) +
                       "local last = torch.cuda.Event() last:record()\n"
                       "local _ <close> = setmetatable({}, {__close = function() print('done:', last:query()) end})\n"
                       "print('waiting') io.stdout:flush() pcall(torch.cuda.synchronize) print('not interrupted')"},
            {.env = fake()});
  ASSERT_TRUE(p.wait_for("waiting", 60));
  p.signal(SIGINT);
  const Result r = p.wait();
  EXPECT_EQ(r.code, 130) << r.err;
  EXPECT_EQ(r.out, "waiting\ndone:\tfalse\n");
  EXPECT_FALSE(has(r.err, "traceback")) << r.err;
}

TEST_F(AtTerminal, GoesOnAfterAnInterruptOfAGpu) {
  Terminal t({}, fake());
  ASSERT_TRUE(t.expect("> "));
  t.send(std::string(long_work) + "print('wait' .. 'ing') x:sum():item()\n");
  ASSERT_TRUE(t.expect("waiting", 60)) << t.seen();
  t.send("\x03");
  ASSERT_TRUE(t.expect("interrupted", 60)) << t.seen();
  t.send("print('the value is', x[1]:item())\n");
  EXPECT_TRUE(t.expect("the value is\t900.0", 60) || t.expect("900.0", 1)) << t.seen();
  ASSERT_TRUE(t.expect("> "));  // an end of input before the prompt would be lost
  t.send("\x04");
  EXPECT_EQ(t.wait(), 0);
}

}  // namespace
}  // namespace luth::testing
