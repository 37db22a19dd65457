// Datasets of image files, and datasets whose images are transformed.
#pragma once
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/data/transform.h"

namespace luth::data {

struct ImageFolderSpec {
  std::string root;
  TransformRef transform;  // null: none
  int channels = 3;
};

/// The images below root/<class>/…, in order of class and name; a sample is the image and the number of its class.
class ImageFolder final : public Dataset {
 public:
  /// Throws for a folder without classes, or a class without images; the text names it.
  explicit ImageFolder(ImageFolderSpec spec);
  std::string name() const override { return "ImageFolder"; }
  int64_t size() const override { return int64_t(files_.size()); }
  Sample get(int64_t i, const Epoch& epoch) override;
  bool any_thread() const override { return !spec_.transform || spec_.transform->any_thread(); }
  std::vector<std::string> classes() const override { return classes_; }
  const std::string& path(int64_t i) const { return files_[size_t(i)].path; }
  int64_t label(int64_t i) const { return files_[size_t(i)].label; }

 private:
  struct File {
    std::string path;
    int64_t label;
  };
  ImageFolderSpec spec_;
  std::vector<std::string> classes_;
  std::vector<File> files_;
};

/// A dataset whose first value of each sample goes through a transform.
class Transformed final : public Dataset {
 public:
  Transformed(DatasetRef of, TransformRef transform) : of_(std::move(of)), transform_(std::move(transform)) {}
  std::string name() const override { return of_->name(); }
  int64_t size() const override { return of_->size(); }
  Sample get(int64_t i, const Epoch& epoch) override;
  bool any_thread() const override { return of_->any_thread() && transform_->any_thread(); }
  Dataset* learned() override { return of_->learned(); }
  std::vector<std::string> classes() const override { return of_->classes(); }

 private:
  DatasetRef of_;
  TransformRef transform_;
};

}  // namespace luth::data
