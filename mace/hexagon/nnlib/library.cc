// Opening hexagon_nn, and what its errors mean.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/nnlib/library.h"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <utility>

#include "mace/base/fork.h"
#include "mace/base/logging.h"

namespace mace::hexagon::nnlib {

struct Library::File {
  std::string path;
  void* handle = nullptr;
  NnApi api = {};
  bool is_reached = false;   // a call has gone to the DSP
  bool is_unsigned = false;  // an unsigned process domain was granted
  int users = 0;             // that have configured the library
  int clocks = 0;            // Libraries that voted for a clock
  Status given_up;           // not OK: no graph may be prepared or executed
  uint32_t generation = ForkGeneration();  // of the process that opened it
};

namespace {

// Guards all files and what is in them.
Mutex& TheMutex() {
  static auto* const mutex = new Mutex;
  return *mutex;
}

// By path. Never freed: libraries of drivers stay open.
std::map<std::string, Library::File*>& Files() {
  static auto* const files = new std::map<std::string, Library::File*>;
  return *files;
}

struct LibraryEntry {
  const char* name;
  void** slot;
  bool required;
};

template <typename F>
LibraryEntry Required(const char* name, F** slot) {
  return {name, reinterpret_cast<void**>(slot), true};
}
template <typename F>
LibraryEntry Optional(const char* name, F** slot) {
  return {name, reinterpret_cast<void**>(slot), false};
}

Status Resolve(Library::File& file) {
  NnApi& api = file.api;
  const LibraryEntry entries[] = {
      Required("hexagon_nn_version", &api.version),
      Required("hexagon_nn_op_name_to_id", &api.op_name_to_id),
      Required("hexagon_nn_config", &api.config),
      Required("hexagon_nn_init", &api.init),
      Required("hexagon_nn_append_const_node_list",
               &api.append_const_node_list),
      Required("hexagon_nn_append_node_list", &api.append_node_list),
      Required("hexagon_nn_prepare", &api.prepare),
      Required("hexagon_nn_execute_new", &api.execute_new),
      Required("hexagon_nn_teardown", &api.teardown),
      Required("hexagon_nn_getlog", &api.getlog),
      Optional("hexagon_nn_set_graph_mode", &api.set_graph_mode),
      Optional("hexagon_nn_reset_perfinfo", &api.reset_perfinfo),
      Optional("hexagon_nn_get_perfinfo", &api.get_perfinfo),
      Optional("hexagon_nn_set_clocks", &api.set_clocks),
      Optional("hexagon_nn_remove_clocks", &api.remove_clocks),
      Optional("hexnn_controller_request_unsigned_pd",
               &api.request_unsigned_pd),
  };
  for (const LibraryEntry& entry : entries) {
    *entry.slot = dlsym(file.handle, entry.name);
    if (*entry.slot != nullptr || !entry.required) continue;
    return Unsupported(
        file.path, " lacks ", entry.name,
        "; use the libhexagon_controller.so of MACE 0.13 to 1.1");
  }
  return Status();
}

// The file at `path`, opened unless it is. REQUIRES: TheMutex() is held.
Result<Library::File*> OpenFile(const std::string& path) {
  const auto found = Files().find(path);
  if (found != Files().end()) return found->second;
  auto opened = std::make_unique<Library::File>();
  opened->path = path;
  opened->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened->handle == nullptr) {
    const char* const why = dlerror();
    return Unsupported("the vendor's library for DSPs cannot be opened: ",
                       why == nullptr ? path.c_str() : why,
                       "; put it beside the app's libraries, or name it with "
                       "dsp_library (docs/dsp.md)");
  }
  const Status status = Resolve(*opened);
  if (!status.ok()) {
    dlclose(opened->handle);
    return status;
  }
  Library::File* const file = opened.release();
  Files()[path] = file;
  return file;
}

struct CodeText {
  uint32_t code;
  const char* text;
};
constexpr uint32_t kNoMemory = 2;
// Those of AEEStdErr.h that FastRPC and hexagon_nn are known to return.
constexpr CodeText kCodes[] = {
    {1, "it failed"},
    {kNoMemory, "the DSP has no memory for it"},
    {6,
     "the DSP cannot load the skeleton; sign it for this device, or ask for an "
     "unsigned process domain (dsp_unsigned_pd: 1)"},
    {13, "the DSP's process has ended; start this process again"},
    {14, "a parameter is wrong"},
    {20, "the DSP does not support it"},
    {39, "the DSP's process has ended; start this process again"},
    {44,
     "the skeleton could not be loaded: it is not in ADSP_LIBRARY_PATH, it is "
     "not signed, or no unsigned process domain was asked for "
     "(dsp_unsigned_pd: 1)"},
    {0x4b, "this device has no such DSP"},
    {0x4e,
     "this process may not use the DSP so; an unsigned process domain needs "
     "dsp_unsigned_pd: 1 and an SoC that has them, a signed one a signature"},
    {104, "the DSP was started again; start this process again"},
    {0xfffffffb,
     "the skeleton could not be loaded: a file is missing, or not signed"},
    {0xffffffff, "it failed"},
};

// The DSP's side adds this to a code.
constexpr uint32_t kDspOffset = 0x80000400;

uint32_t Plain(int code) {
  const auto bits = static_cast<uint32_t>(code);
  return bits > kDspOffset && bits < kDspOffset + 0x100 ? bits - kDspOffset
                                                        : bits;
}

std::string Hex(uint32_t x) {
  std::string text = "0x";
  bool begun = false;
  for (int shift = 28; shift >= 0; shift -= 4) {
    const uint32_t digit = (x >> shift) & 15;
    begun = begun || digit != 0 || shift == 0;
    if (begun) text += "0123456789abcdef"[digit];
  }
  return text;
}

Status StartError(const char* call, int code) {
  return Unsupported(CallError(call, code, "").information());
}

}  // namespace

Status CallError(const char* call, int code, const std::string& log) {
  const char* text = "it failed for a reason that MACE does not know";
  for (const CodeText& known : kCodes) {
    if (known.code == Plain(code)) text = known.text;
  }
  const std::string message =
      StrCat(call, " returned ", Hex(static_cast<uint32_t>(code)), ": ", text,
             log.empty() ? "" : "; its log: ", log);
  return Plain(code) == kNoMemory ? OutOfResources(message)
                                  : RuntimeError(message);
}

Result<std::shared_ptr<Library>> Library::Open(const LibraryOptions& options) {
  std::shared_ptr<Library> library;  // its destructor takes the mutex
  const std::lock_guard<Mutex> lock(TheMutex());
  MACE_ASSIGN_OR_RETURN(File* const file, OpenFile(options.path));
  if (!file->given_up.ok()) return Unsupported(file->given_up.information());
  if (file->generation != ForkGeneration()) {
    return Unsupported(
        "this process is a fork of one that used the DSP, and its driver does "
        "not work in both: use the DSP only after the fork, or in processes "
        "that were started (`spawn`)");
  }
  library.reset(new Library(file));
  const Status status = library->Start(options);
  if (status.ok()) return library;
  library->Stop();
  return status;
}

Library::~Library() {
  const std::lock_guard<Mutex> lock(TheMutex());
  Stop();
}

Status Library::RequestUnsigned() {
  if (file_->is_unsigned) return Status();
  if (file_->is_reached) {
    return Unsupported(
        "this process uses the DSP in a signed process domain already; the "
        "first of its engines on the DSP must ask for an unsigned one "
        "(dsp_unsigned_pd: 1)");
  }
  if (api().request_unsigned_pd == nullptr) {
    return Unsupported(file_->path, " cannot ask for an unsigned process ",
                       "domain; use that of MACE 1.0 or 1.1, or a signature");
  }
  const int code = api().request_unsigned_pd();
  if (code != 0) {
    return StartError("hexnn_controller_request_unsigned_pd", code);
  }
  file_->is_unsigned = true;
  return Status();
}

Status Library::CheckVersion() {
  int version = 0;
  const int code = api().version(&version);
  if (code != 0) return StartError("hexagon_nn_version", code);
  file_->is_reached = true;
  version_ = static_cast<uint32_t>(version);
  for (const uint32_t known : kVersions) {
    if (version_ == known) return Status();
  }
  return Unsupported(file_->path, " has version ", Hex(version_), "; MACE ",
                     "works with ", Hex(kVersions[0]), " and ",
                     Hex(kVersions[1]), ", those of MACE 0.13 to 1.1");
}

Status Library::Start(const LibraryOptions& options) {
  if (options.unsigned_pd) MACE_RETURN_IF_ERROR(RequestUnsigned());
  MACE_RETURN_IF_ERROR(CheckVersion());
  if (api().set_clocks != nullptr) {
    const int code = api().set_clocks(options.corner,
                                      options.dcvs ? kDcvsEnable : kDcvsDisable,
                                      options.latency_us);
    if (code != 0) return StartError("hexagon_nn_set_clocks", code);
    has_clocks_ = true;
    ++file_->clocks;
  }
  if (file_->users == 0) {
    const int code = api().config();
    if (code != 0) return StartError("hexagon_nn_config", code);
  }
  is_user_ = true;
  ++file_->users;
  for (int op = 0; op < kNumOps; ++op) {
    if (api().op_name_to_id(kOpNames[op], &ids_[op]) == 0) continue;
    return Unsupported(file_->path, " has no operation ", kOpNames[op],
                       " (hexagon_nn_op_name_to_id failed)");
  }
  return Status();
}

void Library::Stop() {
  if (is_user_) --file_->users;
  is_user_ = false;
  if (!has_clocks_) return;
  has_clocks_ = false;
  if (--file_->clocks > 0 || api().remove_clocks == nullptr) return;
  const int code = api().remove_clocks();
  if (code != 0) {
    LOG(WARNING)
        << CallError("hexagon_nn_remove_clocks", code, "").information();
  }
}

const NnApi& Library::api() const { return file_->api; }

Status Library::CheckUsable() const {
  const std::lock_guard<Mutex> lock(TheMutex());
  return file_->given_up;
}

void Library::GiveUp(const Status& why) {
  const std::lock_guard<Mutex> lock(TheMutex());
  if (!file_->given_up.ok()) return;
  file_->given_up = RuntimeError(
      "hexagon_nn could not prepare a graph in this process, after which it ",
      "takes no other one: start the process again. Its message: ",
      why.information());
}

void Library::ForgetAllForTest() {
  const std::lock_guard<Mutex> lock(TheMutex());
  for (auto& [path, file] : Files()) {
    dlclose(file->handle);
    delete file;
  }
  Files().clear();
}

}  // namespace mace::hexagon::nnlib
