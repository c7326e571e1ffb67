// The executor under qemu-hexagon: messages go through a socket, memory is a
// file without a name that both have mapped.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/emulator/emulator.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <utility>

#include "mace/base/memory_budget.h"

extern "C" char** environ;

namespace mace::hexagon {
namespace {

using Clock = std::chrono::steady_clock;

// A file descriptor that is closed at the end.
class File {
 public:
  File() = default;
  explicit File(int fd) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

class MappedFile final : public SharedBuffer {
 public:
  static Result<std::unique_ptr<SharedBuffer>> Create(uint32_t bytes) {
    auto buffer = std::make_unique<MappedFile>();
    MACE_ASSIGN_OR_RETURN(buffer->share_,
                          MemoryShare::Take(bytes, "a region for the DSP"));
    buffer->file_ = File(memfd_create("mace_dsp", MFD_CLOEXEC));
    if (buffer->file_.fd() < 0 || ftruncate(buffer->file_.fd(), bytes) != 0) {
      return OutOfResources("cannot make a buffer of ", bytes,
                            " bytes for the DSP: ", std::strerror(errno));
    }
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                    buffer->file_.fd(), 0);
    if (at == MAP_FAILED) {
      return OutOfResources("cannot map a buffer of ", bytes,
                            " bytes for the DSP: ", std::strerror(errno));
    }
    buffer->data_ = static_cast<uint8_t*>(at);
    buffer->bytes_ = bytes;
    return std::unique_ptr<SharedBuffer>(std::move(buffer));
  }
  ~MappedFile() override {
    if (data_ != nullptr) munmap(data_, bytes_);
  }

  uint8_t* data() override { return data_; }
  uint32_t bytes() const override { return bytes_; }
  void Describe(Message* attach) const override {
    attach->args[0] = static_cast<uint32_t>(getpid());
    attach->args[1] = static_cast<uint32_t>(file_.fd());
    attach->args[2] = bytes_;
  }

 private:
  File file_;
  uint8_t* data_ = nullptr;
  uint32_t bytes_ = 0;
  MemoryShare share_;
};

class EmulatorTransport final : public Transport {
 public:
  EmulatorTransport(pid_t process, File socket, int timeout_ms)
      : process_(process),
        socket_(std::move(socket)),
        timeout_ms_(timeout_ms) {}
  ~EmulatorTransport() override { End(); }

  Result<std::unique_ptr<SharedBuffer>> NewBuffer(uint32_t bytes) override {
    return MappedFile::Create(bytes);
  }

  Status Exchange(Message* message) override {
    if (process_ < 0) {
      return RuntimeError("the DSP's emulator has ended; create the engine ",
                          "again");
    }
    message->sequence = ++sequence_;
    const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms_);
    Status status = Transfer(message, /*is_sending=*/true, deadline);
    if (status.ok()) status = Transfer(message, false, deadline);
    if (status.ok() && message->sequence != sequence_) {
      status = RuntimeError("the DSP's emulator answered message ",
                            message->sequence, " in place of ", sequence_);
    }
    if (!status.ok()) End();
    return status;
  }

 private:
  // Waits until the socket is ready.
  Status Wait(short events, Clock::time_point deadline) const {
    while (true) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - Clock::now());
      pollfd wanted = {socket_.fd(), events, 0};
      const int n = left.count() > 0
                        ? poll(&wanted, 1, static_cast<int>(left.count()))
                        : 0;
      if (n > 0) return Status();
      if (n < 0 && errno == EINTR) continue;
      return RuntimeError("the DSP's emulator did not answer within ",
                          timeout_ms_, " ms, and was ended");
    }
  }

  Status Transfer(Message* message, bool is_sending,
                  Clock::time_point deadline) const {
    auto* at = reinterpret_cast<char*>(message);
    size_t left = sizeof(Message);
    while (left > 0) {
      MACE_RETURN_IF_ERROR(Wait(is_sending ? POLLOUT : POLLIN, deadline));
      const ssize_t n =
          is_sending ? send(socket_.fd(), at, left, MSG_NOSIGNAL | MSG_DONTWAIT)
                     : recv(socket_.fd(), at, left, MSG_DONTWAIT);
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n <= 0) {
        return RuntimeError("the DSP's emulator has ended unexpectedly");
      }
      at += n;
      left -= static_cast<size_t>(n);
    }
    return Status();
  }

  void End() {
    if (process_ < 0) return;
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
  }

  pid_t process_;
  File socket_;
  int timeout_ms_;
  uint32_t sequence_ = 0;
};

// Starts `command` with `fd` as its standard input and output. Returns an
// errno.
int Spawn(const std::vector<std::string>& command, int fd, pid_t* process) {
  std::vector<char*> arguments;
  for (const std::string& part : command) {
    arguments.push_back(const_cast<char*>(part.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
  const int error = posix_spawnp(process, arguments[0], &actions, nullptr,
                                 arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Result<std::unique_ptr<Transport>> StartEmulator(
    const EmulatorOptions& options) {
  if (options.command.empty()) {
    return InvalidArgument("the command of the DSP's emulator is empty");
  }
  if (access(options.program.c_str(), R_OK) != 0) {
    return Unsupported("the DSP's executor '", options.program,
                       "' cannot be read; bazel build "
                       "//mace/hexagon:mace_dsp makes it");
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return OutOfResources("cannot make a socket for the DSP's emulator: ",
                          std::strerror(errno));
  }
  File ours(ends[0]);
  const File theirs(ends[1]);
  std::vector<std::string> command = options.command;
  command.push_back(options.program);
  pid_t process = -1;
  const int error = Spawn(command, theirs.fd(), &process);
  if (error != 0) {
    return Unsupported("cannot start the DSP's emulator '", command[0],
                       "': ", std::strerror(error),
                       "; on Debian: apt-get install qemu-user");
  }
  return std::unique_ptr<Transport>(std::make_unique<EmulatorTransport>(
      process, std::move(ours), options.timeout_ms));
}

}  // namespace mace::hexagon
