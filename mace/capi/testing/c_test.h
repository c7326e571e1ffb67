// Tests of the C API that are C themselves, and what they expect with.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CAPI_TESTING_C_TEST_H_
#define MACE_CAPI_TESTING_C_TEST_H_

#include <stddef.h>

#include "mace/public/mace_c.h"

// C sources cannot use GoogleTest, so capi_test.cc has what they need of it,
// and for each test function below a TEST that calls it. The EXPECT macros go
// on after a failure. Those of calls evaluate `call` once; their other
// arguments must have no side effects.
#ifdef __cplusplus
extern "C" {
#endif

// The tests, each in a file of its own; capi_test.cc calls them.
void TestModels(void);
void TestStreams(void);
void TestConfigs(void);
void TestSettingsReachEngines(void);
void TestEngines(void);
void TestEngineErrors(void);
void TestTensors(void);
void TestTensorErrors(void);
void TestStatistics(void);
void TestStatisticsErrors(void);
void TestProcess(void);
void TestStorage(void);
void TestImages(void);
void TestImageErrors(void);
void TestNoMemory(void);
void TestCancellation(void);
void TestSharing(void);
void TestCapability(void);
void TestLog(void);
void TestOpResolvers(void);
void TestStates(void);
void TestSealed(void);
void TestAsyncRuns(void);
void TestTokenizer(void);
void TestGenerator(void);

// A model: p = softmax(pool(conv(x, w))), x [1, 4, 4, 1] and p [1, 2, 2, 2];
// the nodes are "c", "m" and "p". Static; the weights begin at a 64-byte
// boundary.
typedef struct SampleModel {
  const unsigned char* graph;
  size_t graph_bytes;
  const unsigned char* data;
  size_t data_bytes;
  const char* graph_file;
  const char* data_file;
  // The same model, sealed with the key of 32 bytes 7 and the name "seven".
  const unsigned char* sealed;
  size_t sealed_bytes;
  const char* sealed_file;
} SampleModel;
const SampleModel* Sample(void);
// The same with a state: y = x + sum, each [2], and y becomes the state sum.
const SampleModel* StatefulSample(void);

// A tokenizer file: byte-level BPE with the special tokens 256 <s> and 257
// </s>, and the token 258 "ab". Static.
const void* TokenizerSample(size_t* bytes);

// A language model with the logits for that tokenizer: after a letter comes the
// next one, and after 'z' </s>. No states.
const SampleModel* AlphabetSample(void);

// The numbers of elements of the sample's x and of its p.
enum { kInputs = 16, kOutputs = 8 };

// Fails the test that runs, and lets it go on. `what` is the code that failed,
// `found` the last error.
void Failed(const char* file, int line, const char* what, const char* found);
// Sets whether `new (std::nothrow)` of C++, by which the C API makes its
// objects, fails from now on. Other allocations do not.
void FailNew(int fail);
// Forgets the last error of this thread, so that the next is known to be of the
// next call. The result means nothing.
int Clean(void);
// Whether the last error has this status and this text in its message.
int IsError(mace_status_t status, const char* text);

#ifdef __cplusplus
}  // extern "C"
#endif

#define EXPECT(condition)                                         \
  do {                                                            \
    if (!(condition)) Failed(__FILE__, __LINE__, #condition, ""); \
  } while (0)

// A call that succeeds and leaves no message.
#define EXPECT_OK(call)                                           \
  do {                                                            \
    Clean();                                                      \
    if ((call) != MACE_SUCCESS || mace_last_error()[0] != '\0') { \
      Failed(__FILE__, __LINE__, #call, mace_last_error());       \
    }                                                             \
  } while (0)

// A call that returns an error, which is then the last one.
#define EXPECT_ERROR(call, status, text)                    \
  do {                                                      \
    Clean();                                                \
    if ((call) != (status) || !IsError((status), (text))) { \
      Failed(__FILE__, __LINE__, #call, mace_last_error()); \
    }                                                       \
  } while (0)

// A call that returns MACE_INVALID_ARGS.
#define EXPECT_BAD(call, text) EXPECT_ERROR(call, MACE_INVALID_ARGS, text)

// A getter that fails, and so returns `value`.
#define EXPECT_NOTHING(call, value, text)                           \
  do {                                                              \
    Clean();                                                        \
    if ((call) != (value) || !IsError(MACE_INVALID_ARGS, (text))) { \
      Failed(__FILE__, __LINE__, #call, mace_last_error());         \
    }                                                               \
  } while (0)

#endif  // MACE_CAPI_TESTING_C_TEST_H_
