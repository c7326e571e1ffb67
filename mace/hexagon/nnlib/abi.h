// The C interface of hexagon_nn, the vendor's library for graphs on a DSP, as
// libhexagon_controller.so exports it. Declared here because its header is not
// needed to open it with dlopen. Source: interface/hexagon_nn.idl of nnlib.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_NNLIB_ABI_H_
#define MACE_HEXAGON_NNLIB_ABI_H_

#include <cstdint>

namespace mace::hexagon::nnlib {

// hexagon_nn_padding_type.
enum NnPadding : uint32_t {
  kPadNone = 0,       // of ops without a window
  kPadSame = 1,       // before: half of the padding, rounded down
  kPadValid = 2,      // none
  kPadSameCaffe = 5,  // before: half of the padding, rounded up
};

// Which output of which node an operation reads.
struct NnInput {
  uint32_t src_id;
  uint32_t output_idx;
};

// The most that an output can be.
struct NnOutput {
  uint32_t rank;
  uint32_t max_sizes[8];
  uint32_t elementsize;  // bytes
  int32_t zero_offset;   // 0
  float stepsize;        // 0
};

struct NnOpNode {
  uint32_t node_id;
  uint32_t operation;
  NnPadding padding;
  NnInput* inputs;
  int32_t num_inputs;
  NnOutput* outputs;
  int32_t num_outputs;
};

struct NnTensorDef {
  uint32_t batches, height, width, depth;
  uint8_t* data;            // not owned
  int32_t data_bytes;       // room behind `data`
  uint32_t data_valid_len;  // bytes that the library wrote
  uint32_t unused;
};

struct NnConstNode {
  uint32_t node_id;
  NnTensorDef tensor;
};

struct NnPerfInfo {
  uint32_t node_id;
  uint32_t executions;
  uint32_t counter_lo, counter_hi;  // of all executions together
};

static_assert(sizeof(NnInput) == 8 && sizeof(NnOutput) == 48 &&
              sizeof(NnPerfInfo) == 16);
static_assert(sizeof(NnTensorDef) == (sizeof(void*) == 8 ? 40 : 32));
static_assert(sizeof(NnOpNode) == (sizeof(void*) == 8 ? 48 : 28));
static_assert(sizeof(NnConstNode) == (sizeof(void*) == 8 ? 48 : 36));

// What a call of hexagon_nn_reset_perfinfo makes the library count.
constexpr uint32_t kCountMicroseconds = 5;

// The FastRPC driver takes at most 255 buffers a call: a constant is one, an
// operation two.
constexpr int kMaxConstsPerCall = 250;
constexpr int kMaxOpsPerCall = 125;

// The functions, without "hexagon_nn_" before their names. All return 0 for
// success. A null one is missing in the library, and may be.
struct NnApi {
  int (*version)(int* version);
  int (*op_name_to_id)(const char* name, uint32_t* id);
  int (*config)();
  int (*init)(int* graph);
  int (*append_const_node_list)(int graph, const NnConstNode* nodes, int n);
  int (*append_node_list)(int graph, const NnOpNode* nodes, int n);
  int (*prepare)(int graph);
  int (*execute_new)(int graph, const NnTensorDef* inputs, int num_inputs,
                     NnTensorDef* outputs, int num_outputs);
  int (*teardown)(int graph);
  int (*getlog)(int graph, unsigned char* text, int bytes);

  int (*set_graph_mode)(int graph, int mode);
  int (*reset_perfinfo)(int graph, uint32_t event);
  int (*get_perfinfo)(int graph, NnPerfInfo* infos, int most, uint32_t* n);
  int (*set_clocks)(int corner, int dcvs, uint32_t latency_us);
  int (*remove_clocks)();
  // hexnn_controller_request_unsigned_pd; must be the first call of all.
  int (*request_unsigned_pd)();
};

// hexagon_nn_dcvs_type.
enum NnDcvs : int { kDcvsEnable = 1, kDcvsDisable = 2 };

// Versions that this code is written for. Their lists of op numbers differ, and
// so names are looked up; others also have other structures.
constexpr uint32_t kVersions[] = {0x00021401, 0x00021A01};

}  // namespace mace::hexagon::nnlib

#endif  // MACE_HEXAGON_NNLIB_ABI_H_
