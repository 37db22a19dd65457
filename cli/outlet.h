// Writing that holds nobody up.
#pragma once
#include <memory>
#include <string>

namespace luth::cli {

/// Writes texts to descriptors, one after the other, on a thread of its own: whoever gives them goes on where nobody
/// reads them. What is left when the object ends may be lost.
class Outlet {
 public:
  Outlet();
  ~Outlet();
  Outlet(const Outlet&) = delete;
  void give(int fd, std::string text);
  /// Bytes that have not been written.
  size_t waiting() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace luth::cli
