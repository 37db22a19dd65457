#include "core/data/image_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <unordered_map>

#include "core/base/visible.h"
#include "core/image/codecs.h"
#include "core/records/csv.h"

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

}  // namespace

Tensor transformed(const Tensor& image, const Transform* transform, int64_t sample, const Epoch& epoch, int level) {
  if (!transform) return image;
  Random random(epoch.seed, epoch.number, sample, level);
  return transform->apply(image, random);
}

Tensor ImageReader::image_at(const std::string& path, int64_t i, const Epoch& epoch) const {
  return transformed(read_image(path, channels_).image, transform_.get(), i, epoch);
}

ImageFiles::ImageFiles(std::string name, const ImageFolderSpec& spec, std::vector<std::string> classes,
                       std::vector<File> files)
    : ImageReader(spec.transform, spec.channels), name_(std::move(name)), files_(std::move(files)) {
  fit_.targets.push_back({"label", true, 0, 1, std::move(classes)});
}

Sample ImageFiles::get(int64_t i, const Epoch& epoch) {
  const File& file = files_[size_t(i)];
  return {image_at(file.path, i, epoch), file.label + base};
}

DatasetRef ImageFiles::of_files(const std::vector<std::string>& paths) const {
  return DatasetRef(new ImageInputs(paths, transform_, channels_));
}

Sample ImageInputs::get(int64_t i, const Epoch& epoch) { return {image_at(paths_[size_t(i)], i, epoch)}; }

DatasetRef Transformed::of_files(const std::vector<std::string>& paths) const {
  DatasetRef files = of_->of_files(paths);
  return files ? DatasetRef(new Transformed(std::move(files), transform_)) : files;
}

void ImageFiles::set_fit(Fit fit) {
  if (!fit.features.empty() || fit.targets.size() != 1 || !fit.targets[0].is_category)
    throw Error("{}: what was learned is of a table, here are labels of images", name_);
  std::unordered_map<std::string_view, int64_t> known;
  for (const std::string& name : fit.targets[0].categories) known.emplace(name, int64_t(known.size()));
  std::vector<int64_t> label;
  for (const std::string& name : fit_.targets[0].categories) {
    const auto it = known.find(name);
    if (it == known.end()) throw Error("{}: the class '{}' is none of the training data", name_, foreign(name));
    label.push_back(it->second);
  }
  for (File& file : files_) file.label = label[size_t(file.label)];
  fit_ = std::move(fit);
}

DatasetRef image_folder(const ImageFolderSpec& spec) {
  std::vector<std::string> classes = folders_in(spec.root);
  std::vector<ImageFiles::File> files;
  if (classes.empty())
    throw Error("ImageFolder: '{}' has no folders; it wants one for each class, with images in it", spec.root);
  for (size_t label = 0; label < classes.size(); ++label) {
    const std::vector<std::string> paths = images_below(fs::path(spec.root) / classes[label]);
    if (paths.empty())
      throw Error("ImageFolder: the class '{}' of '{}' has no images (.jpg, .jpeg, .png, .webp, .bmp)", classes[label],
                  spec.root);
    for (auto& path : paths) files.push_back({path, int64_t(label)});
  }
  return DatasetRef(new ImageFiles("ImageFolder", spec, std::move(classes), std::move(files)));
}

DatasetRef image_list(const ImageListSpec& spec) {
  const auto records = read_csv(spec.list);
  const auto& columns = records->columns();
  if (columns.size() < 2) throw Error("{} has one column; a list of images has paths and labels", records->name());
  const size_t path = spec.path.empty() ? 0 : column_position(columns, spec.path, records->name());
  const size_t target = spec.target.empty() ? 1 : column_position(columns, spec.target, records->name());
  std::map<std::string, int64_t, std::less<>> labels;
  std::vector<ImageFiles::File> files;
  std::vector<std::string> of_file;
  for (std::vector<Cell> row; records->next(row);) {
    for (size_t column : {path, target})
      if (row[column].text.empty())
        throw Error("{}, {}, column '{}': the value is missing", records->name(), records->where(),
                    foreign(columns[column]));
    files.push_back({(fs::path(spec.root) / row[path].text).string(), 0});
    of_file.emplace_back(row[target].text);
  }
  if (files.empty()) throw Error("{} has no rows", records->name());
  std::vector<std::string> classes = of_file;
  sort_categories(classes);
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  if (classes.size() < 2) throw Error("{} has one class alone, '{}'", records->name(), foreign(classes[0]));
  for (size_t k = 0; k < classes.size(); ++k) labels[classes[k]] = int64_t(k);
  for (size_t i = 0; i < files.size(); ++i) files[i].label = labels.find(of_file[i])->second;
  return DatasetRef(new ImageFiles(records->name(), spec, std::move(classes), std::move(files)));
}

Sample Transformed::get(int64_t i, const Epoch& epoch) {
  Sample s = of_->get(i, epoch);
  if (s.empty() || !s[0].is_tensor()) throw Error("the first value of a sample is no image");
  s[0] = transformed(s[0].tensor(), transform_.get(), i, epoch, of_->random_levels());
  return s;
}

}  // namespace luth::data
