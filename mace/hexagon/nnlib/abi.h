// The C interface of hexagon_nn, the vendor's library for graphs on a DSP, as
// libhexagon_controller.so exports it. Declared here because its header is not
// needed to open it with dlopen. Source: interface/hexagon_nn.idl of nnlib.
// SPDX-License-Identifier: Apache-2.0
//
// Structures are those of the library bit for bit. It copies what they point to
// before a call returns; they own nothing. Ids of nodes are the caller's,
// unique among the constants and operations of a graph, and not 0.
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

// Which output of which node an operation reads. A constant has output 0 only.
struct NnInput {
  uint32_t src_id;
  uint32_t output_idx;
};

// The largest size that an output can have, for which the library plans memory.
struct NnOutput {
  uint32_t rank;
  // Batches, height, width, depth; the others are not read for rank 4.
  uint32_t max_sizes[8];
  uint32_t elementsize;  // bytes
  int32_t zero_offset;   // 0
  float stepsize;        // 0
};

// An operation; it must follow those whose outputs it reads. `operation` is a
// number of op_name_to_id.
struct NnOpNode {
  uint32_t node_id;
  uint32_t operation;
  NnPadding padding;
  NnInput* inputs;
  int32_t num_inputs;
  NnOutput* outputs;
  int32_t num_outputs;
};

// A tensor of a constant, or of an input or output of execute_new: dense,
// [batches, height, width, depth]. For inputs and constants data_bytes is their
// size, which data_valid_len repeats for inputs. For outputs it is the
// capacity, and the library sets the four sizes and data_valid_len.
struct NnTensorDef {
  uint32_t batches, height, width, depth;
  uint8_t* data;            // not owned
  int32_t data_bytes;       // capacity of `data`
  uint32_t data_valid_len;  // bytes that are there
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

// Sizes in the ABIs of Android, of 64 and of 32 bits.
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

// The functions, without "hexagon_nn_" before their names, which dlsym fills
// in. All return 0 for success, or a code that CallError explains. Those of the
// second half may be null: not every version has them. The order of calls:
// config while there is no graph; then for each graph init, append_*, prepare,
// execute_new any number of times, teardown.
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
  // Writes the graph's log, of at most `bytes` bytes, as text that ends with 0.
  int (*getlog)(int graph, unsigned char* text, int bytes);

  int (*set_graph_mode)(int graph, int mode);
  int (*reset_perfinfo)(int graph, uint32_t event);
  // Writes at most `most` infos, and how many to *n.
  int (*get_perfinfo)(int graph, NnPerfInfo* infos, int most, uint32_t* n);
  // A vote for clocks: a power level (hexagon_nn_corner_type), NnDcvs, and the
  // longest wake-up time.
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
