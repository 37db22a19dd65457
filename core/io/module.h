// Whole modules as trees, and back: classes by name, settings, tensors, children. Never code.
#pragma once
#include <map>

#include "core/io/tree.h"
#include "core/nn/module.h"

namespace luth::io {

/// The kinds of maps that describe objects (Map::kind).
namespace kinds {
inline constexpr const char* module = "module";  // share/doc/checkpoint.md has its entries
inline constexpr const char* same = "same";      // another place of an object: its number, `id`
}  // namespace kinds

/// Makes trees of modules. A module at several places is written once. Derive from it to write more than modules of C++
/// have.
class ModuleWriter {
 public:
  virtual ~ModuleWriter() = default;
  Item write(const nn::Module& m);
  /// A map of `kind` with the number of a new object; or, for one that was written already, one that refers to it.
  Map begin(const void* object, const char* kind, bool& known);

 protected:
  /// Adds what the class of the language has.
  virtual void add(const nn::Module& m, Map& map);

 private:
  std::map<const void*, int64_t> ids_;
};

/// Makes modules of trees. Throws for what is no tree of modules, naming the class; parts of the tree that are not
/// known are left alone.
class ModuleReader {
 public:
  virtual ~ModuleReader() = default;
  nn::ModuleRef read(const Item& item);

 protected:
  /// A module of the class and settings of the map, without parts. Throws for an unknown class.
  virtual nn::ModuleRef make(const Map& map);
  /// Sees each module when it is made and has no parts, and when it has all.
  virtual void made(const nn::ModuleRef&) {}
  virtual void filled(const nn::ModuleRef&, const Map&) {}

 private:
  struct Known {
    nn::ModuleRef module;
    int64_t places = 0;  // of it and of what lies below, once it has all parts
  };
  void fill(nn::Module& m, const Map& map);
  void add_places(int64_t n);
  std::map<int64_t, Known> modules_;
  int64_t places_ = 0;  // in all trees that were read
};

/// A module of C++ classes as a tree. Throws for one whose class is the language's.
Item to_item(const nn::Module& m);
/// The module of a tree, such as a file of `torch.save(model, path)` holds. Throws for a class that C++ does not have.
nn::ModuleRef to_module(const Item& item);

/// A state dict as a tree, and that of a tree: a table of tensors by name, such as a safetensors file holds.
Item to_item(const nn::StateDict& dict);
nn::StateDict to_state_dict(const Item& item);

/// The entry of that name; throws where there is none of type T.
template <class T>
const T& entry(const Map& map, const char* name) {
  const Item* item = map.find(name);
  if (const T* value = item ? item->as<T>() : nullptr) return *value;
  throw Error(ErrorCode::checkpoint, "the file describes a {} without a readable '{}'", map.kind, name);
}

/// Described settings as text, and back; devices stay as they are.
std::string settings_text(const std::vector<FieldDoc>& fields);
void read_settings_text(const std::string& text, const std::function<void(Fields&)>& describe);

}  // namespace luth::io
