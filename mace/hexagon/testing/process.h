// What a process holds: children, open files.
// SPDX-License-Identifier: Apache-2.0
//
// Tests compare it before and after, to find what an engine or a library leaves
// behind. Reads /proc of Linux.
#ifndef MACE_HEXAGON_TESTING_PROCESS_H_
#define MACE_HEXAGON_TESTING_PROCESS_H_

#include <dirent.h>
#include <sys/types.h>

#include <fstream>
#include <string>
#include <vector>

namespace mace::hexagon::testing {

// The ids of the child processes of all threads of this process. The file
// `children` of a thread needs CONFIG_PROC_CHILDREN of the kernel; without it
// the list is empty.
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

// Open file descriptors plus a constant: the entries "." and ".." and the
// descriptor of the folder count, too. Only differences mean something.
inline int OpenFiles() {
  int n = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++n;
  closedir(folder);
  return n;
}

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_PROCESS_H_
