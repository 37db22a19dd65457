#include "core/data/image_folder.h"

#include <algorithm>
#include <filesystem>

#include "core/image/codecs.h"

namespace luth::data {
namespace {

namespace fs = std::filesystem;

bool is_image(const fs::path& path) {
  std::string suffix = path.extension().string();
  for (char& c : suffix) c = char(c >= 'A' && c <= 'Z' ? c + 32 : c);
  const auto known = image_suffixes();
  return std::find(known.begin(), known.end(), suffix) != known.end();
}

[[noreturn]] void fail(const fs::path& path, const std::error_code& error) {
  throw Error("ImageFolder: cannot list '{}': {}", path.string(), error.message());
}

std::vector<std::string> folders_in(const std::string& root) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error))
    if (it->is_directory(error)) names.push_back(it->path().filename().string());
  if (error) fail(root, error);
  std::sort(names.begin(), names.end());
  return names;
}

// Links to folders are followed, as to a class elsewhere; a loop of links ends in an error of the system.
std::vector<std::string> images_below(const fs::path& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::follow_directory_symlink, error), end;
       !error && it != end; it.increment(error))
    if (is_image(it->path()) && it->is_regular_file(error)) paths.push_back(it->path().string());
  if (error) fail(folder, error);
  std::sort(paths.begin(), paths.end());
  return paths;
}

Sample transformed(Tensor image, const Transform* transform, int64_t i, const Epoch& epoch) {
  if (!transform) return {image};
  Random random(epoch.seed, epoch.number, i);
  return {transform->apply(image, random)};
}

}  // namespace

ImageFolder::ImageFolder(ImageFolderSpec spec) : spec_(std::move(spec)), classes_(folders_in(spec_.root)) {
  if (classes_.empty())
    throw Error("ImageFolder: '{}' has no folders; it wants one for each class, with images in it", spec_.root);
  for (size_t label = 0; label < classes_.size(); ++label) {
    const std::vector<std::string> paths = images_below(fs::path(spec_.root) / classes_[label]);
    if (paths.empty())
      throw Error("ImageFolder: the class '{}' of '{}' has no images (.jpg, .jpeg, .png, .webp, .bmp)", classes_[label],
                  spec_.root);
    for (auto& path : paths) files_.push_back({path, int64_t(label)});
  }
}

Sample ImageFolder::get(int64_t i, const Epoch& epoch) {
  Sample s = transformed(read_image(path(i), spec_.channels).image, spec_.transform.get(), i, epoch);
  s.push_back(label(i) + base);
  return s;
}

Sample Transformed::get(int64_t i, const Epoch& epoch) {
  Sample s = of_->get(i, epoch);
  if (s.empty() || !s[0].is_tensor()) throw Error("the first value of a sample is no image");
  s[0] = transformed(s[0].tensor(), transform_.get(), i, epoch)[0];
  return s;
}

}  // namespace luth::data
