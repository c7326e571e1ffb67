// A fake of Android's libandroid.so, as far as engines trace with it.
// SPDX-License-Identifier: Apache-2.0

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// What a test sets and reads.
bool fake_atrace_is_enabled = true;
char fake_atrace_log[1 << 16];  // "<NAME" for a begin, ">" for an end

static void Append(const char* mark, const char* name) {
  const size_t used = strlen(fake_atrace_log);
  snprintf(fake_atrace_log + used, sizeof(fake_atrace_log) - used, "%s%s\n",
           mark, name);
}

bool ATrace_isEnabled(void) { return fake_atrace_is_enabled; }
void ATrace_beginSection(const char* name) { Append("<", name); }
void ATrace_endSection(void) { Append(">", ""); }
