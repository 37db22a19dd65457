#include "cli/launch_plan.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>

#include "core/base/threads.h"
#include "core/device/device.h"
#include "core/dist/table.h"

namespace luth::cli {
namespace {

int count_of(const Arguments& a, const char* option, int least, int otherwise) {
  const auto text = a.text(option);
  if (!text) return otherwise;
  const auto n = dist::to_number(*text);
  if (!n || *n < least || *n > INT_MAX)
    throw Error(ErrorCode::usage, "{} expects a number from {}, got '{}'", option, least, *text);
  return int(*n);
}

int gpus() {
  try {
    device("cuda:0");
  } catch (const Error&) { return 0; }
  const auto all = open_devices();
  return int(std::count_if(all.begin(), all.end(), [](Device* d) { return d->kind() == "cuda"; }));
}

int processes(const Arguments& a) {
  const std::string text = a.text("--nproc").value_or("auto");
  if (text != "auto" && text != "gpu") return count_of(a, "--nproc", 1, 1);
  const int n = gpus();
  if (text == "gpu" && !n)
    throw Error(ErrorCode::usage, "--nproc gpu: no GPU can be used here (`luth doctor` says why)");
  return n ? n : available_cores();
}

void make_log_dir(const std::string& dir) {
  if (dir.empty() || ::mkdir(dir.c_str(), 0777) == 0) return;
  if (errno != EEXIST)
    throw Error(ErrorCode::usage, "--log-dir: cannot make the folder '{}': {}", dir, std::strerror(errno));
  if (std::error_code none; !std::filesystem::is_directory(dir, none))
    throw Error(ErrorCode::usage, "--log-dir: '{}' is there and is no folder", dir);
}

}  // namespace

Plan read_plan(const Arguments& a) {
  Plan p;
  p.nproc = processes(a);
  p.nodes = count_of(a, "--nnodes", 1, 1);
  p.node = count_of(a, "--node-rank", 0, 0);
  p.restarts = count_of(a, "--max-restarts", 0, 0);
  p.threads = count_of(a, "--threads", 1, std::max(1, available_cores() / p.nproc));
  p.asks_threads = a.text("--threads").has_value();
  p.log_dir = a.text("--log-dir").value_or("");
  p.seconds = a.text("--dist-timeout").value_or("");
  p.command = a.rest;
  if (p.node >= p.nodes)
    throw Error(ErrorCode::usage, "--node-rank {} should be below --nnodes {}; nodes count from 0", p.node, p.nodes);
  if (const auto master = a.text("--master"))
    p.master = dist::parse_address(*master, "--master");
  else if (p.nodes > 1)
    throw Error(ErrorCode::usage, "--nnodes {} needs --master HOST:PORT, the machine of node 0", p.nodes);
  else
    p.master.host = a.text("--local-addr").value_or("127.0.0.1");
  if (p.nodes > 1 && p.master.port == 0)
    throw Error(ErrorCode::usage, "--master {}:0: the port is one from 1 to 65535, which all nodes know",
                p.master.host);
  make_log_dir(p.log_dir);
  return p;
}

}  // namespace luth::cli
