// Datasets of image files, and datasets whose images are transformed.
#pragma once
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/data/transform.h"

namespace luth::data {

/// The image after a transform; `transform` may be null. Random choices are a function of (seed, epoch, sample, level).
Tensor transformed(const Tensor& image, const Transform* transform, int64_t sample, const Epoch& epoch, int level = 0);

struct ImageFolderSpec {
  std::string root;
  TransformRef transform;  // null: none
  int channels = 3;
};
struct ImageListSpec : ImageFolderSpec {
  std::string list;          // a CSV file; paths in it are relative to `root`
  std::string path, target;  // columns; "": the first, and the second
};

/// What datasets of image files have in common.
class ImageReader : public Dataset {
 public:
  bool any_thread() const override { return !transform_ || transform_->any_thread(); }
  int random_levels() const override { return transform_ ? 1 : 0; }

 protected:
  ImageReader(TransformRef transform, int channels) : transform_(std::move(transform)), channels_(channels) {}
  /// The image at the path, transformed as that of sample i.
  Tensor image_at(const std::string& path, int64_t i, const Epoch& epoch) const;

  const TransformRef transform_;
  const int channels_;
};

/// Files of images with labels; a sample is the image and the number of its class. What it has learned are the names of
/// the classes.
class ImageFiles final : public ImageReader {
 public:
  struct File {
    std::string path;
    int64_t label;
  };
  ImageFiles(std::string name, const ImageFolderSpec& spec, std::vector<std::string> classes, std::vector<File> files);
  std::string name() const override { return name_; }
  int64_t size() const override { return int64_t(files_.size()); }
  Sample get(int64_t i, const Epoch& epoch) override;
  std::vector<std::string> classes() const override { return fit_.targets[0].categories; }
  const Fit* fit() const override { return &fit_; }
  void set_fit(Fit fit) override;
  DatasetRef of_files(const std::vector<std::string>& paths) const override;
  const std::string& path(int64_t i) const { return files_[size_t(i)].path; }

 private:
  std::string name_;
  std::vector<File> files_;
  Fit fit_;
};

/// Files of images without labels.
class ImageInputs final : public ImageReader {
 public:
  ImageInputs(std::vector<std::string> paths, TransformRef transform, int channels)
      : ImageReader(std::move(transform), channels), paths_(std::move(paths)) {}
  std::string name() const override { return "the images"; }
  int64_t size() const override { return int64_t(paths_.size()); }
  Sample get(int64_t i, const Epoch& epoch) override;

 private:
  std::vector<std::string> paths_;
};

/// The images below root/<class>/…, in order of class and name. Throws for a folder without classes, or a class without
/// images; the text names it.
DatasetRef image_folder(const ImageFolderSpec& spec);
/// The images that a table lists. Classes are in the order of their names. Throws, with the line, for a path or label
/// that is missing, and for labels of one class.
DatasetRef image_list(const ImageListSpec& spec);

/// A dataset whose first value of each sample goes through a transform.
class Transformed final : public Dataset {
 public:
  Transformed(DatasetRef of, TransformRef transform) : of_(std::move(of)), transform_(std::move(transform)) {}
  std::string name() const override { return of_->name(); }
  int64_t size() const override { return of_->size(); }
  Sample get(int64_t i, const Epoch& epoch) override;
  std::vector<int64_t> order(const Epoch& epoch) override { return of_->order(epoch); }
  bool any_thread() const override { return of_->any_thread() && transform_->any_thread(); }
  int random_levels() const override { return of_->random_levels() + 1; }
  std::vector<std::string> classes() const override { return of_->classes(); }
  const Fit* fit() const override { return of_->fit(); }
  void set_fit(Fit fit) override { of_->set_fit(std::move(fit)); }
  DatasetRef of_files(const std::vector<std::string>& paths) const override;

 private:
  DatasetRef of_;
  TransformRef transform_;
};

}  // namespace luth::data
