// What the tests of the fake runtime share: a machine for each test, and device memory that frees itself.
#pragma once
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "fakecuda.h"

inline void expect_success(cudaError_t error, const char* what, int line) {
  EXPECT_EQ(error, cudaSuccess) << "line " << line << ": " << what << ": " << cudaGetErrorName(error);
}
#define OK(call) expect_success(call, #call, __LINE__)

class Fake : public testing::Test {
 protected:
  void SetUp() override { fake::reset(); }
  // A fault that a test does not expect is a failure.
  void TearDown() override { EXPECT_EQ(fake::take_reports(), std::vector<std::string>()); }
  /// The one report there is; "" if there is none, or another number.
  static std::string only_report() {
    auto all = fake::take_reports();
    return all.size() == 1 ? all[0] : "";
  }
  static bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }
};

template <class T>
class Buffer {
 public:
  explicit Buffer(size_t n) : size_(n) { OK(cudaMalloc(&data_, n * sizeof(T))); }
  explicit Buffer(const std::vector<T>& v) : Buffer(v.size()) {
    OK(cudaMemcpy(data_, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }
  operator T*() const { return data_; }
  std::vector<T> get() const {
    std::vector<T> v(size_);
    OK(cudaMemcpy(v.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  size_t size_;
  T* data_ = nullptr;
};

template <class T>
std::vector<T> counting(size_t n, T first = 0) {
  std::vector<T> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}
