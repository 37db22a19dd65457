#include "tests/faults/campaign.h"

#include <fmt/format.h>

#include <sstream>

namespace luth::testing {
namespace fs = std::filesystem;

CampaignOptions::CampaignOptions(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help") {
      std::cout << "usage: " << argv[0]
                << " [--minutes M] [--seed N] [--only TEXT|TEXT…] [--keep FOLDER] [--part I --parts N] [--repeat N] "
                   "[--broken]\ntests/faults/README.md says what they mean.\n";
      std::exit(0);
    }
    if (name == "--broken") broken = true;
    if (i + 1 == argc) break;
    if (name == "--minutes") minutes = std::atof(argv[i + 1]);
    if (name == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--keep") keep = argv[i + 1];
    if (name == "--only") only = argv[i + 1];
    if (name == "--part") part = size_t(std::atoi(argv[i + 1]));
    if (name == "--parts") parts = size_t(std::atoi(argv[i + 1]));
    if (name == "--repeat") repeat = std::atoi(argv[i + 1]);
  }
}

bool CampaignOptions::wants(const std::string& name) const {
  std::istringstream texts(only + '|');
  for (std::string text; std::getline(texts, text, '|');)
    if (has(name, text)) return true;
  return false;
}

int Campaign::report() const {
  for (auto& [what, n] : counts_) std::cout << what << ": " << n << "\n";
  std::cout << fmt::format("seed {}, {:.0f} seconds: {}\n", options_.seed, detail::now() - start_,
                           failures_ ? std::to_string(failures_) + " times a rule was broken" : "no rule was broken");
  return (failures_ > 0) == options_.broken ? 0 : 1;
}

bool Campaign::broke(const std::string& rule, const std::string& what, const TempDir& folder) {
  if (rule.empty()) return false;
  ++failures_;
  std::cout << "BROKEN " << what << ": " << rule << std::endl;
  if (!options_.keep.empty()) {
    fs::create_directories(options_.keep);
    fs::copy(folder.path(), fs::path(options_.keep) / std::to_string(failures_),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  return true;
}

Files files_below(const std::string& folder) {
  Files files;
  std::error_code none;
  for (auto& entry : fs::recursive_directory_iterator(folder, none))
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder)] = read_file(entry.path());
  return files;
}

Files files_below_of(const Files& files, const std::string& folder) {
  Files below;
  for (auto& [path, bytes] : files)
    if (path.starts_with(folder)) below[path.substr(folder.size())] = bytes;
  return below;
}

std::string leftover(const Files& files) {
  for (auto& [path, bytes] : files)
    if (has(path, ".saving") || has(path, "history.")) return path;
  return "";
}

// ---- Training ------------------------------------------------------------------------------------------------------

namespace {

// $STATES names a folder that gets the checkpoint of each step.
constexpr const char* training_recipe = R"lua(
local o = options { rows = 96 }
local states = os.getenv('STATES')
local function saved(t, path, step)
  if os.getenv('STOP') and step > 2 then os.exit(9) end  -- in the second epoch
  if not states then
    print('saved ' .. step)
    io.stdout:flush()
    return
  end
  local from <close> = io.open(path, 'rb')
  local to <close> = io.open(states .. '/' .. step, 'wb')
  to:write(from:read('a'))
end
local T = data.transforms
local x, y = torch.randint(0, 256, { o.rows, 1, 4, 4 }):byte(), torch.randint(1, 4, { o.rows })
local pictures = data.TensorDataset(x, y)
return recipe {
  data = {
    train = data.Transformed(pictures, T.Compose { T.RandomHorizontalFlip(), T.RandomCrop(4, { padding = { 1 } }), T.ToTensor() }),
    val = data.Transformed(pictures, T.ToTensor()),
  },
  augment = T.RandomChoice { T.MixUp { num_classes = 3 }, T.CutMix { num_classes = 3 } },
  model = nn.Sequential(nn.Flatten(), nn.Linear(16, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3)),
  loss = nn.CrossEntropyLoss(),
  optim = optim.Adam { lr = 0.01 },
  schedule = optim.lr_scheduler.OneCycleLR { max_lr = 0.01 },
  batch = 8, epochs = 3, accumulate = 2, ema = 0.9, workers = 2, metrics = { 'accuracy' },
  callbacks = { on_save = saved },
}
)lua";

}  // namespace

// A checkpoint without the best score and what was counted since; "" where it is none.
static std::string unscored(const std::string& checkpoint) {
  const TempDir dir;
  dir.write("a.h5", checkpoint);
  run_in(dir,
         {"-e", "local c = torch.load('a.h5'); c.progress.best, c.progress.worse = nil, nil; torch.save(c, 'b.h5')"});
  return read_file(dir / "b.h5");
}

Training::Training(std::vector<std::string> words, bool saves_fail)
    : recipe_(training_recipe), words_(std::move(words)), saves_fail_(saves_fail) {
  const TempDir dir;
  prepare(dir);
  fs::create_directory(dir / "states");
  std::vector<std::string> all = this->words(false);
  all.insert(all.end(), {"--save-every", "1"});
  Result r = run(all, {.env = {{"STATES", dir / "states"}}, .dir = dir.path()});
  if (r.code) throw std::runtime_error("an unharmed run fails: " + r.err);
  for (auto& [step, bytes] : files_below(dir / "states")) states_[bytes] = std::stoi(step);
  fs::remove_all(dir / "run");
  const double start = detail::now();
  r = run_in(dir, this->words(false));
  seconds_ = detail::now() - start;
  whole_ = files_below(dir / "run");
  if (const std::string rule = harmed(whole_); r.code || !rule.empty())
    throw std::runtime_error("an unharmed run: " + rule + r.err);
}

std::vector<std::string> Training::words(bool resume) const {
  std::vector<std::string> all{"train", "r.lua", "--dir", "run"};
  all.insert(all.end(), words_.begin(), words_.end());
  if (resume) all.push_back("--resume");
  return all;
}

int Training::step_of(const std::string& bytes) const {
  if (const auto known = states_.find(bytes); known != states_.end()) return known->second;
  if (!saves_fail_) return -1;
  if (unscored_.empty())
    for (auto& [state, step] : states_) unscored_[unscored(state)] = step;
  unscored_.erase("");
  const auto known = unscored_.find(unscored(bytes));
  return known == unscored_.end() ? -1 : known->second;
}

std::string Training::harmed(const Files& files) const {
  for (auto& [path, bytes] : files)
    if (path.ends_with(".h5") && step_of(bytes) < 0) return path + " is no checkpoint of an unharmed run";
  return "";
}

std::string Training::finished(const Files& files, bool idle) const {
  for (auto& [path, bytes] : whole_) {
    const auto found = files.find(path);
    if (path == ".lock" || (idle && found == files.end() && path == "ckpt/prev.h5")) continue;
    if (found == files.end()) return path + " is missing";
    const bool any_step = path == "ckpt/prev.h5" || (saves_fail_ && path == "ckpt/best.h5");
    const bool same = any_step                ? step_of(found->second) >= 0
                      : path.ends_with(".h5") ? step_of(found->second) == step_of(bytes)
                                              : comparable(path, found->second) == comparable(path, bytes);
    if (!same) return path + " is not that of an unharmed run";
  }
  for (auto& [path, bytes] : files)
    if (!whole_.contains(path) && !idle && path != "warnings.jsonl") return path + " is left over";
  return "";
}

int Training::step_of_last(const Files& files) const {
  const auto last = files.find("ckpt/last.h5");
  return last == files.end() ? -1 : step_of(last->second);
}

void Training::accept(const Files& files) {
  if (const auto last = files.find("ckpt/last.h5"); last != files.end()) states_.try_emplace(last->second, 0);
}

// ---- Scripts that save ---------------------------------------------------------------------------------------------

const std::vector<std::string> saved_names{"a.h5", "a.safetensors", "a.npz", "a.npy"};

const char* const save_script = R"lua(
local names = { 'a.h5', 'a.safetensors', 'a.npz', 'a.npy' }
-- the value of a file, which must be the same in all its parts; -1 where it is not whole
local function value(name)
  local f = io.open(name, 'rb')
  if not f then return 0 end
  f:close()
  local ok, state = pcall(torch.load, name)
  if not ok then io.stderr:write(state, '\n') return -1 end
  local w = name == 'a.npy' and state or state.w
  local k = math.tointeger(w[1]:item()) or -1
  local whole = torch.equal(w, torch.full({ 3000 }, k))
  if name ~= 'a.npy' then whole = whole and torch.equal(state.n, torch.tensor { k }:long()) end
  if name == 'a.h5' then whole = whole and state.k == k and state.text == ('x'):rep(40000) .. k end
  return whole and k or -1
end
if arg[1] == 'check' then
  for _, name in ipairs(names) do print(value(name), name) end
  return
end
for k = tonumber(arg[1]), tonumber(arg[2]) do
  for _, name in ipairs(names) do
    local state = { w = torch.full({ 3000 }, k), n = torch.tensor { k }:long() }
    if name == 'a.h5' then state.k, state.text = k, ('x'):rep(40000) .. k end
    torch.save(name == 'a.npy' and state.w or state, name)
    io.write(k, ' ', name, '\n')
    io.flush()
    if arg[3] == 'read' then assert(value(name) == k, name .. ' was not read back') end
  end
end
)lua";

std::map<std::string, int> promised_values(const std::string& out) {
  std::map<std::string, int> values;
  std::istringstream lines(out.substr(0, out.rfind('\n') + 1));
  int k;
  for (std::string name; lines >> k >> name;) values[name] = k;
  return values;
}

std::map<std::string, int> values_below(const TempDir& dir) {
  return promised_values(run_in(dir, {"s.lua", "check"}).out);
}

}  // namespace luth::testing
