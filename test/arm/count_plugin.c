// A qemu plugin that counts executed guest instructions between the guest's
// writes to stdout, in all and per function.
// SPDX-License-Identifier: Apache-2.0
//
//   qemu-aarch64 -plugin libcount.so[,functions=on] -d plugin -D LOG program
//
// LOG gets a line "write TOTAL" per write to file 1: the instructions since the
// one before; with functions=on, "function COUNT NAME" lines ahead of it.
// Debian ships no qemu-plugin.h: what is used of version 1 of its interface
// (https://www.qemu.org/docs/master/devel/tcg-plugins.html) is declared here.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t PluginId;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { kInlineAdd = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(PluginId,
                                           void (*)(PluginId,
                                                    struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb*, int op,
                                              void* counter, uint64_t add);
void qemu_plugin_register_vcpu_syscall_cb(PluginId,
                                          void (*)(PluginId, unsigned, int64_t,
                                                   uint64_t, uint64_t, uint64_t,
                                                   uint64_t, uint64_t, uint64_t,
                                                   uint64_t, uint64_t));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb*,
                                                 size_t);
const char* qemu_plugin_insn_symbol(const struct qemu_plugin_insn*);
void qemu_plugin_outs(const char*);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

// qemu keeps pointers to counters: entries never move.
struct Function {
  uint64_t count;
  uint64_t at_last_write;
  struct Function* next;
  char name[];
};

static struct Function* functions;
static uint64_t total, total_at_last_write;
static int count_functions;

static struct Function* Find(const char* name) {
  for (struct Function* f = functions; f != NULL; f = f->next) {
    if (strcmp(f->name, name) == 0) return f;
  }
  struct Function* f = calloc(1, sizeof *f + strlen(name) + 1);
  strcpy(f->name, name);
  f->next = functions;
  return functions = f;
}

static void OnTranslate(PluginId id, struct qemu_plugin_tb* block) {
  (void)id;
  const size_t n = qemu_plugin_tb_n_insns(block);
  qemu_plugin_register_vcpu_tb_exec_inline(block, kInlineAdd, &total, n);
  if (!count_functions) return;
  // A block lies within one function.
  const char* name = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, 0));
  qemu_plugin_register_vcpu_tb_exec_inline(
      block, kInlineAdd, &Find(name != NULL ? name : "?")->count, n);
}

static void OnSyscall(PluginId id, unsigned cpu, int64_t number, uint64_t file,
                      uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
                      uint64_t a6, uint64_t a7, uint64_t a8) {
  (void)id, (void)cpu, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6;
  (void)a7, (void)a8;
  const int64_t kWriteAarch64 = 64, kWriteArm = 4;
  if ((number != kWriteAarch64 && number != kWriteArm) || file != 1) return;
  char line[4096];
  for (struct Function* f = functions; f != NULL; f = f->next) {
    if (f->count == f->at_last_write) continue;
    snprintf(line, sizeof line, "function %llu %s\n",
             (unsigned long long)(f->count - f->at_last_write), f->name);
    qemu_plugin_outs(line);
    f->at_last_write = f->count;
  }
  snprintf(line, sizeof line, "write %llu\n",
           (unsigned long long)(total - total_at_last_write));
  qemu_plugin_outs(line);
  total_at_last_write = total;
}

__attribute__((visibility("default"))) int qemu_plugin_install(PluginId id,
                                                               const void* info,
                                                               int argc,
                                                               char** argv) {
  (void)info;
  for (int i = 0; i < argc; ++i) {
    if (strcmp(argv[i], "functions=on") == 0) count_functions = 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, OnTranslate);
  qemu_plugin_register_vcpu_syscall_cb(id, OnSyscall);
  return 0;
}
