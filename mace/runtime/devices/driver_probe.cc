// Starting the helper program, and remembering what it found.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/devices/driver_probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __ANDROID__
#include <sys/system_properties.h>
#endif

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <utility>

#include "mace/base/file.h"
#include "mace/base/fork.h"
#include "mace/base/hash.h"
#include "mace/base/logging.h"
#include "mace/base/str_cat.h"
#include "mace/base/version.h"

extern char** environ;

namespace mace {
namespace {

constexpr char kRight[] = "right";  // what the helper writes, and is kept
constexpr size_t kMaxText = 400;

// Adds a file's path, size and times to a sum of hashes, if it is there. Sums
// do not depend on the order in which a folder lists its files.
void AddFile(const std::string& path, uint64_t* sum) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return;
  const std::string text =
      StrCat(path, " ", static_cast<int64_t>(found.st_size), " ",
             static_cast<int64_t>(found.st_mtime), " ",
             static_cast<int64_t>(found.st_ino));
  *sum += Hash64(text.data(), text.size());
}

// Where the dynamic linker looks for names without a folder, behind those of
// the environment, as far as files show it.
constexpr char kLinkerFolders[] =
    ":/lib:/usr/lib:/usr/local/lib:/lib64:/usr/lib64:/usr/lib/x86_64-linux-gnu"
    ":/usr/lib/aarch64-linux-gnu:/usr/lib/arm-linux-gnueabihf:/vendor/lib64"
    ":/vendor/lib:/system/lib64:/system/lib";

void AddLibrary(const std::string& name, uint64_t* sum) {
  if (name.find('/') != std::string::npos) return AddFile(name, sum);
  const char* const chosen = std::getenv("LD_LIBRARY_PATH");
  const std::string all =
      StrCat(chosen == nullptr ? "" : chosen, kLinkerFolders);
  *sum += Hash64(all.data(), all.size());  // their order
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find(':', at), all.size());
    if (end > at) AddFile(StrCat(all.substr(at, end - at), "/", name), sum);
    at = end + 1;
  }
}

// A file that names a driver, and that driver.
void AddNamed(const std::string& file, uint64_t* sum) {
  AddFile(file, sum);
  const Result<std::vector<uint8_t>> name = ReadFile(file);
  if (!name.ok() || name->size() > kMaxText) return;
  std::string library(name->begin(), name->end());
  library.erase(library.find_last_not_of(" \n\t") + 1);
  if (!library.empty()) AddLibrary(library, sum);
}

// Those that a loader of OpenCL finds by its list of drivers: a folder of
// files, or one file.
void AddInstallableDrivers(uint64_t* sum) {
  const char* const chosen = std::getenv("OCL_ICD_VENDORS");
  const std::string list = chosen == nullptr ? "/etc/OpenCL/vendors" : chosen;
  DIR* const folder = opendir(list.c_str());
  if (folder == nullptr) return AddNamed(list, sum);
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.')
      AddNamed(StrCat(list, "/", entry->d_name), sum);
  }
  closedir(folder);
}

struct Pipe {
  int ends[2] = {-1, -1};
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  void CloseWriting() {
    close(ends[1]);
    ends[1] = -1;
  }
};

int64_t NowMillis() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{1000} * now.tv_sec + now.tv_nsec / 1000000;
}

// Reads until the other end is closed. False: it was not within the time.
bool ReadAll(int fd, int timeout_ms, std::string* text) {
  const int64_t end = NowMillis() + timeout_ms;
  for (;;) {
    const int64_t left = end - NowMillis();
    if (left <= 0) return false;
    pollfd wanted = {fd, POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>(std::min<int64_t>(left, 1000))) <=
        0) {
      continue;
    }
    char bytes[256];
    const ssize_t n = read(fd, bytes, sizeof(bytes));
    if (n == 0) return true;
    if (n < 0 && errno != EINTR) return true;
    if (n > 0 && text->size() < kMaxText) text->append(bytes, bytes + n);
  }
}

// Starts the helper with its output in a pipe. Returns its id, or a number of
// errno below 0.
pid_t Start(const DriverProbe& probe, const Pipe& output) {
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return -ENOMEM;
  int error = posix_spawn_file_actions_adddup2(&actions, output.ends[1], 1);
  for (const int quiet : {0, 2}) {
    if (error != 0) break;
    error = posix_spawn_file_actions_addopen(&actions, quiet, "/dev/null",
                                             O_RDWR, 0);
  }
  // A program that the app runs must not have its blocked signals.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  if (error == 0) {
    const char* arguments[] = {probe.program.c_str(), probe.device, nullptr};
    error = posix_spawn(&child, probe.program.c_str(), &actions, &attributes,
                        const_cast<char* const*>(arguments), environ);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -error;
}

// What the helper's end says, where it did not write that all is right.
std::string FaultOf(int status, bool is_known, const std::string& text) {
  if (is_known && WIFSIGNALED(status)) {
    return StrCat("it crashed (signal ", WTERMSIG(status), ")");
  }
  if (!text.empty()) return text;
  return is_known ? StrCat("the helper program ended with status ",
                           WEXITSTATUS(status))
                  : std::string("the helper program ended early");
}

// Returns kRight, what the driver did wrong, or "" if the helper did not run.
std::string RunHelper(const DriverProbe& probe) {
  Pipe output;
  if (pipe2(output.ends, O_CLOEXEC) != 0) return "";
  const pid_t child = Start(probe, output);
  output.CloseWriting();
  if (child < 0) {
    LOG(WARNING) << "the helper program '" << probe.program
                 << "' cannot be started (" << std::strerror(-child)
                 << "): the first use of the driver of the " << probe.device
                 << " is unprotected";
    return "";
  }
  std::string text;
  const bool ended = ReadAll(output.ends[0], probe.timeout_ms, &text);
  if (!ended) kill(child, SIGKILL);
  // An app that waits for all its children may be faster: then the text alone
  // counts.
  int status = 0;
  pid_t waited;
  do {
    waited = waitpid(child, &status, 0);
  } while (waited < 0 && errno == EINTR);
  if (!ended) {
    return StrCat("it did not answer within ", probe.timeout_ms, " ms");
  }
  text.erase(text.find_last_not_of("\r\n") + 1);
  const bool is_known = waited == child;
  const bool is_clean =
      !is_known || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
  if (text == kRight && is_clean) return text;
  if (is_known && WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    LOG(WARNING) << "the helper program '" << probe.program
                 << "' does not run here: the first use of the driver of the "
                 << probe.device << " is unprotected";
    return "";
  }
  return FaultOf(status, is_known, text == kRight ? "" : text);
}

// By identity, what helpers found in this process.
struct KnownDriver {
  std::string key, result;
  KnownDriver* next;
};
struct KnownDrivers {
  Mutex mutex;
  KnownDriver* first = nullptr;

  std::string& ResultOf(const std::string& key) {
    KnownDriver* driver = first;
    while (driver != nullptr && driver->key != key) driver = driver->next;
    if (driver == nullptr) first = driver = new KnownDriver{key, "", first};
    return driver->result;
  }
};
KnownDrivers& Known() {
  static auto* const known = new KnownDrivers;
  return *known;
}

std::string Kept(const std::string& key, KVStorage* storage) {
  if (storage == nullptr) return "";
  if (storage->Load() != 0) {
    LOG(INFO) << "what is kept of drivers cannot be read; they are tried again";
    return "";
  }
  const std::vector<unsigned char>* found = storage->Find(key);
  return found == nullptr || found->size() > kMaxText
             ? ""
             : std::string(found->begin(), found->end());
}

void Keep(const std::string& key, const std::string& result,
          KVStorage* storage) {
  if (storage == nullptr) return;
  if (!storage->Insert(key, {result.begin(), result.end()}) ||
      storage->Flush() != 0) {
    LOG(INFO) << "what was found of a driver cannot be kept; other processes "
                 "try it again";
  }
}

}  // namespace

std::string DriverIdentity(const DriverProbe& probe) {
  uint64_t sum = 0;
  utsname system;
  if (uname(&system) == 0) {
    const std::string text = StrCat(system.release, " ", system.version);
    sum += Hash64(text.data(), text.size());
  }
#ifdef __ANDROID__
  char build[PROP_VALUE_MAX] = {};
  __system_property_get("ro.build.fingerprint", build);
  sum += Hash64(build, std::strlen(build));
#endif
  for (const std::string& library : probe.libraries) AddLibrary(library, &sum);
  if (std::strcmp(probe.device, "gpu") == 0) AddInstallableDrivers(&sum);
  return StrCat(probe.device, " driver ", std::to_string(sum), ", MACE ",
                kVersion);
}

Status CheckDriver(const DriverProbe& probe,
                   std::shared_ptr<KVStorage> storage) {
  if (probe.program.empty()) return Status();
  const std::string key = DriverIdentity(probe);
  KnownDrivers& known = Known();
  const HoldLog hold;
  const std::lock_guard<Mutex> lock(known.mutex);
  std::string& result = known.ResultOf(key);
  if (result.empty()) result = Kept(key, storage.get());
  if (result.empty()) {
    {
      const AllowFork allow;
      result = RunHelper(probe);
    }
    if (result.empty()) {  // unprotected
      result = kRight;
    } else {
      Keep(key, result, storage.get());
    }
  }
  if (result == kRight) return Status();
  return RuntimeError("the ", key,
                      ", is not used, as it failed in a process "
                      "that tried it: ",
                      result);
}

}  // namespace mace
