// Images in Lua: files, datasets of them, data.transforms.
#include <algorithm>
#include <filesystem>

#include "core/data/cifar.h"
#include "core/data/image_folder.h"
#include "core/dispatch/generator.h"
#include "core/image/codecs.h"
#include "core/io/disk.h"
#include "lang/data/data.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/late_names.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

using data::TransformRef;

// ---- transforms ----

// A function of Lua of an image. The userdata of each transform or dataset made of it keeps the function.
class LuaTransform final : public data::Transform {
 public:
  LuaTransform(lua_State* L, int index) : function_(L, index) {}
  std::string type() const override { return "function"; }
  void describe(Fields&) override {}
  std::string text() override { return "a function"; }
  bool any_thread() const override { return false; }
  Tensor apply(const Tensor& image, data::Random&) const override {
    lua_State* L = function_.running();
    luaL_checkstack(L, 4, nullptr);
    function_.push(L);
    push_tensor(L, image);
    if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
      const std::string text = luaL_tolstring(L, -1, nullptr);
      lua_pop(L, 2);
      throw Error(error_code(L, text), "transform: {}", text);
    }
    const Tensor* result = to_tensor(L, -1);
    const Tensor out = result ? *result : Tensor();
    const std::string got = out ? "" : given_text(L, lua_gettop(L));
    lua_pop(L, 1);
    return out ? out : throw Error("a transform returned {}; it must return a tensor", got);
  }

 private:
  WeakRef function_;
};

TransformRef check_transform(lua_State* L, int index, const char* what) {
  if (auto* t = to_box<TransformRef>(L, index); t && *t) return *t;
  if (lua_isfunction(L, index) || luaL_getmetafield(L, index, "__call") != LUA_TNIL)
    return TransformRef(new LuaTransform(L, index));
  throw Error("{} expects a transform of data.transforms or a function, got {}", what, given_text(L, index));
}

int push_transform(lua_State* L, TransformRef t, int source) {
  push_box<TransformRef>(L, std::move(t), source ? 1 : 0);
  if (source) lua_pushvalue(L, source), lua_setiuservalue(L, -2, 1);
  return 1;
}

int make_transform(lua_State* L) {
  const data::TransformClass& c = data::transform_classes()[size_t(lua_tointeger(L, lua_upvalueindex(1)))];
  TransformRef t = c.make();
  read_settings(L, 1, std::string(c.name), [&](Fields& f) { t->describe(f); });
  t->check();
  return push_transform(L, std::move(t), 0);
}

int compose(lua_State* L) {
  if (!lua_istable(L, 1)) throw Error("Compose: expects a list of transforms, got {}", given_text(L, 1));
  std::vector<TransformRef> parts;
  lua_settop(L, 1);
  lua_newtable(L);  // a copy of the list, which the script may change
  each_element(L, 1, [&](int at, lua_Integer k) {
    parts.push_back(check_transform(L, at, "Compose:"));
    lua_pushvalue(L, at);
    lua_rawseti(L, 2, k);
  });
  return push_transform(L, TransformRef(new data::Compose(std::move(parts))), 2);
}

// t(image): the random numbers are the next ones of the CPU's generator.
int call_transform(lua_State* L) {
  const TransformRef t = own<TransformRef>(L);
  const Tensor& image = check_tensor(L, 2, "a transform expects");
  const PhiloxState state = generator_for(host()).reserve(1, Dtype::i64);
  data::Random random(state.seed, UINT32_MAX, state.offset);  // no epoch of a loader has that number
  push_tensor(L, t->apply(image, random));
  return 1;
}
int transform_text(lua_State* L) {
  const std::string text = own<TransformRef>(L)->text();
  return lua_pushlstring(L, text.data(), text.size()), 1;
}

// ---- files ----

int channels_of(NamedArguments& options) { return int(options.integer("channels", 3)); }

int read_image(lua_State* L) {
  const std::string path = luaL_checkstring(L, 1);
  NamedArguments options(L, 2, "data.read_image");
  const int channels = channels_of(options);
  options.done();
  push_tensor(L, data::read_image(path, channels).image);
  return 1;
}
int decode_image(lua_State* L) {
  size_t n = 0;
  const char* bytes = luaL_checklstring(L, 1, &n);
  NamedArguments options(L, 2, "data.decode_image");
  const int channels = channels_of(options);
  options.done();
  const data::Bytes file(reinterpret_cast<const uint8_t*>(bytes), n);
  push_tensor(L, data::decode_image(file, channels, "the string").image);
  return 1;
}
// The bytes of the image at 1 in the format of the name at 2.
std::vector<uint8_t> encoded(lua_State* L, const char* function) {
  const Tensor& image = check_tensor(L, 1, "expects");
  const std::string name = luaL_checkstring(L, 2);
  NamedArguments options(L, 3, function);
  const int quality = int(options.integer("quality", 75));
  options.done();
  return data::encode_image(data::pixels_of(image, function), name, quality);
}
int encode_image(lua_State* L) {
  const auto bytes = encoded(L, "data.encode_image");
  return lua_pushlstring(L, reinterpret_cast<const char*>(bytes.data()), bytes.size()), 1;
}
int write_image(lua_State* L) {
  const auto bytes = encoded(L, "data.write_image");
  io::replace_file(luaL_checkstring(L, 2), reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return 0;
}

// ---- datasets ----

// Sets `to` from the option of that name; its index, 0 where it was not given.
int take_transform(lua_State* L, NamedArguments& options, const char* name, TransformRef& to) {
  const int at = options.get(name);
  if (at) to = check_transform(L, at, name);
  return at;
}

int image_folder(lua_State* L) {
  data::ImageFolderSpec spec;
  spec.root = find_data(luaL_checkstring(L, 1));
  NamedArguments options(L, 2, "data.ImageFolder");
  const int at = take_image_options(L, options, spec.channels, spec.transform);
  return push_dataset_of_file(L, data::image_folder(spec), at);
}

std::string text_option(NamedArguments& options, lua_State* L, const char* name, const std::string& otherwise) {
  const int at = options.get(name);
  if (!at) return otherwise;
  if (lua_type(L, at) != LUA_TSTRING) throw Error("{} expects a string, got {}", name, given_text(L, at));
  return lua_tostring(L, at);
}

int image_list(lua_State* L) {
  data::ImageListSpec spec;
  spec.list = find_data(luaL_checkstring(L, 1));
  NamedArguments options(L, 2, "data.ImageList");
  spec.root = text_option(options, L, "root", std::filesystem::path(spec.list).parent_path().string());
  spec.path = text_option(options, L, "path", "");
  spec.target = text_option(options, L, "target", "");
  const int at = take_image_options(L, options, spec.channels, spec.transform);
  return push_dataset_of_file(L, data::image_list(spec), at);
}

int cifar(lua_State* L, const char* function, const char* root, data::DatasetRef (*make)(const data::CifarSpec&)) {
  data::CifarSpec spec;
  lua_settop(L, 1);
  NamedArguments options(L, 1, function);
  spec.root = find_data(text_option(options, L, "root", root));
  spec.train = options.flag("train", true);
  if (make == data::cifar100) spec.coarse = options.flag("coarse", false);
  lua_createtable(L, 2, 0);  // what the dataset needs
  const int kept = lua_gettop(L);
  for (auto [name, to] : {std::pair("transform", &spec.transform), std::pair("test_transform", &spec.test_transform)})
    if (const int at = take_transform(L, options, name, *to)) {
      lua_pushvalue(L, at);
      lua_rawseti(L, kept, lua_Integer(lua_rawlen(L, kept)) + 1);
    }
  options.done();
  return push_dataset_of_tensors(
      L, [&] { return make(spec); }, kept);
}
int cifar10(lua_State* L) { return cifar(L, "data.CIFAR10", "cifar10", data::cifar10); }
int cifar100(lua_State* L) { return cifar(L, "data.CIFAR100", "cifar100", data::cifar100); }

int transformed(lua_State* L) {
  lua_settop(L, 2);
  data::DatasetRef of = check_dataset(L, 1, "data.Transformed:");
  of->base = 1;
  TransformRef t = check_transform(L, 2, "data.Transformed:");
  lua_createtable(L, 2, 0);
  for (int i : {1, 2}) lua_pushvalue(L, i), lua_rawseti(L, 3, i);
  return push_dataset(L, data::DatasetRef(new data::Transformed(std::move(of), std::move(t))), 3);
}

const data::ImageFiles& files(lua_State* L) {
  auto* d = to_box<data::DatasetRef>(L, 1);
  auto* f = d ? dynamic_cast<const data::ImageFiles*>(d->get()) : nullptr;
  return f ? *f : throw Error("expects an ImageFolder or ImageList, got {}", given_text(L, 1));
}
int path(lua_State* L) {
  const data::ImageFiles& f = files(L);
  const int64_t i = luaL_checkinteger(L, 2);
  if (i < 1 || i > f.size()) throw Error("path: sample {} is out of range; there are samples 1 to {}", i, f.size());
  return lua_pushlstring(L, f.path(i - 1).data(), f.path(i - 1).size()), 1;
}

constexpr Row functions[] = {
    {"read_image", guarded<read_image>, "data.read_image(path, {channels = 3})",
     "uint8[C, H, W] of a JPEG, PNG, WebP or BMP file. channels is 1, 3, or 0 for those of the file. Transparency is "
     "dropped, 16-bit values are scaled to 8 bits."},
    {"decode_image", guarded<decode_image>, "data.decode_image(string, {channels = 3})",
     "The same of the bytes of such a file."},
    {"encode_image", guarded<encode_image>, "data.encode_image(image, name, {quality = 75})",
     "The bytes of a file of uint8[1 or 3, H, W], a string; the suffix of the name is the format, '.png' or '.jpg'."},
    {"write_image", guarded<write_image>, "data.write_image(image, path, {quality = 75})",
     "Writes uint8[1 or 3, H, W] as .png or .jpg. The old file stays whatever goes wrong."},
    {"ImageFolder", guarded<image_folder>, "data.ImageFolder(root, {transform = nil, channels = 3})",
     "The images in root/<class>/…: a sample is the image and the number of its class, from 1, in the order of the "
     "classes' names. dataset:classes() lists these. A broken file is an error that names it."},
    {"ImageList", guarded<image_list>,
     "data.ImageList(list, {root = nil, path = nil, target = nil, transform = nil, channels = 3})",
     "The images that a CSV file lists: path and target are its columns, the first two where they are not named; paths "
     "are relative to root, the list's folder. A sample is the image and the number of its class, from 1, in the order "
     "of the classes' names."},
    {"CIFAR10", guarded<cifar10>, "data.CIFAR10{root = 'cifar10', train = true, transform = nil, test_transform = nil}",
     "The CIFAR-10 dataset in its binary files, as `luth data get cifar10` fetches them: images uint8[3, 32, 32] and "
     "labels 1 to 10; dataset:classes() names these. The test part has test_transform."},
    {"CIFAR100", guarded<cifar100>,
     "data.CIFAR100{root = 'cifar100', train = true, coarse = false, transform = nil, test_transform = nil}",
     "The same of CIFAR-100: labels 1 to 100, or with coarse = true 1 to 20."},
    {"Transformed", guarded<transformed>, "data.Transformed(dataset, transform)",
     "A dataset whose first value of each sample has gone through a transform."},
};
constexpr Row image_folder_methods[] = {
    {"path", guarded<path>, "dataset:path(i)", "The file of sample i of an ImageFolder or ImageList, counted from 1."},
};

std::string help_of(const void* of) {
  auto& c = *static_cast<const data::TransformClass*>(of);
  TransformRef t = c.make();
  return settings_help("data.transforms." + std::string(c.name), std::string(c.brief),
                       [&](Fields& f) { t->describe(f); });
}

// The table data.transforms.
class TransformNames final : public LateNames {
 public:
  bool push(lua_State* L, std::string_view name) const override {
    if (name == "Compose") {
      lua_pushcfunction(L, guarded<compose>);
      document(L, -1,
               "data.transforms.Compose{transform, ...}\n  Transforms one after the other. A function of an image is "
               "one too; then the dataset is read on the main thread.");
      return true;
    }
    const auto& all = data::transform_classes();
    const auto it = std::find_if(all.begin(), all.end(), [&](auto& c) { return c.name == name; });
    if (it == all.end()) return false;
    lua_pushinteger(L, lua_Integer(it - all.begin()));
    lua_pushcclosure(L, guarded<make_transform>, 1);
    document(L, -1, help_of, &*it);
    return true;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> list{"Compose"};
    for (auto& c : data::transform_classes()) list.emplace_back(c.name);
    return list;
  }
};

}  // namespace

int take_image_options(lua_State* L, NamedArguments& options, int& channels, data::TransformRef& transform) {
  channels = channels_of(options);
  const int at = take_transform(L, options, "transform", transform);
  options.done();
  return at;
}

void add_image_methods(lua_State* L, int methods) { add_functions(L, methods, image_folder_methods); }

void open_images(lua_State* L, int data) {
  add_functions(L, data, functions);
  open_box<TransformRef>(L, "data.Transform");
  lua_pushcfunction(L, guarded<call_transform>);
  lua_setfield(L, -2, "__call");
  lua_pushcfunction(L, guarded<transform_text>);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, destroy_box<TransformRef>);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  lua_newtable(L);
  static const TransformNames names;
  add_late_names(L, lua_gettop(L), names);
  lua_setfield(L, data, "transforms");
}

}  // namespace luth::lang
