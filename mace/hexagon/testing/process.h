// What a process holds: children, open files.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_TESTING_PROCESS_H_
#define MACE_HEXAGON_TESTING_PROCESS_H_

#include <dirent.h>
#include <sys/types.h>

#include <fstream>
#include <string>
#include <vector>

namespace mace::hexagon::testing {

// The children of all threads of this process.
inline std::vector<pid_t> Children() {
  std::vector<pid_t> children;
  DIR* folder = opendir("/proc/self/task");
  while (const dirent* entry = readdir(folder)) {
    std::ifstream list(std::string("/proc/self/task/") + entry->d_name +
                       "/children");
    pid_t child = 0;
    while (list >> child) children.push_back(child);
  }
  closedir(folder);
  return children;
}

inline int OpenFiles() {
  int n = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++n;
  closedir(folder);
  return n;
}

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_PROCESS_H_
