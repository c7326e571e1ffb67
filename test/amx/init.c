// The first and only program of an emulated computer: runs all of /tests, with
// their output on the serial port, and ends the emulator.
// SPDX-License-Identifier: Apache-2.0

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static int IsTest(const struct dirent* entry) {
  return entry->d_name[0] != '.';
}

// What a test says which micro-kernels it has run.
static void PrintResults(void) {
  FILE* results = fopen("/results.xml", "r");
  if (results == NULL) return;
  for (int c = fgetc(results); c != EOF; c = fgetc(results)) putchar(c);
  fclose(results);
  remove("/results.xml");
}

static int Run(const char* name) {
  const pid_t child = fork();
  if (child == 0) {
    execl(name, name, (char*)NULL);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

int main(void) {
  mkdir("/proc", 0755);
  mkdir("/sys", 0755);
  mount("proc", "/proc", "proc", 0, NULL);
  mount("sysfs", "/sys", "sysfs", 0, NULL);
  mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
  const int serial = open("/dev/ttyS0", O_RDWR);
  for (int i = 0; i < 3; ++i) dup2(serial, i);
  setenv("LD_LIBRARY_PATH", "/lib", 1);
  setenv("GTEST_OUTPUT", "xml:/results.xml", 1);
  setenv("GTEST_COLOR", "no", 1);
  int failures = 0;
  if (chdir("/tests") != 0) ++failures;
  struct dirent** tests;
  const int n = scandir(".", &tests, IsTest, alphasort);
  for (int i = 0; i < n; ++i) {
    printf("run %s\n", tests[i]->d_name);
    fflush(stdout);
    const int status = Run(tests[i]->d_name);
    PrintResults();
    printf("status %d of %s\n", status, tests[i]->d_name);
    if (status != 0) ++failures;
  }
  printf("%d programs ran, %d failed\n", n, failures);
  fflush(stdout);
  tcdrain(serial);
  reboot(RB_AUTOBOOT);
  return 1;
}
