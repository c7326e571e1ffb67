// The messages of mace.proto as the library reads them.
// SPDX-License-Identifier: Apache-2.0
//
// mace.proto says what each field means. Here are the same names and numbers
// for a reader that needs no protobuf; messages_test.cc compares the two.
#ifndef MACE_PROTO_MESSAGES_H_
#define MACE_PROTO_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "mace/proto/enums.h"
#include "mace/proto/message.h"

namespace mace::stored {

// Fields() gives each field with its number to a visitor. A std::optional is a
// field of which it matters whether it is there.

struct Quantization {
  Repeated<float> scales;         // one, or one an index of `axis`
  Repeated<int32_t> zero_points;  // as many, or none: all 0
  std::optional<int32_t> axis;    // unset: one scale

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, scales);
    v(2, zero_points);
    v(3, axis);
  }
};

struct ConstTensor {
  Repeated<int64_t> dims;                    // outermost first
  DataType data_type = DT_FLOAT;             // as nodes read it
  std::string_view name;                     // unique among tensors
  int64_t offset = 0;                        // bytes; a multiple of 64
  int64_t data_size = 0;                     // elements
  std::optional<DataType> stored_type;       // unset: data_type
  std::optional<Quantization> quantization;  // of what is stored

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, dims);
    v(2, data_type);
    v(5, name);
    v(6, offset);
    v(7, data_size);
    v(8, stored_type);
    v(9, quantization);
  }
};

struct Argument {
  enum Type : int {
    NONE = 0,
    FLOAT = 1,
    INT = 2,
    STRING = 3,
    FLOATS = 4,
    INTS = 5,
    SUBGRAPH = 6,
  };
  std::string_view name;
  float f = 0;             // FLOAT
  int64_t i = 0;           // INT
  std::string_view s;      // STRING, SUBGRAPH; any bytes
  Repeated<float> floats;  // FLOATS
  Repeated<int64_t> ints;  // INTS
  Type type = NONE;        // which of the above it is

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, name);
    v(2, f);
    v(3, i);
    v(4, s);
    v(5, floats);
    v(6, ints);
    v(7, type);
  }
};

constexpr bool IsKnown(Argument::Type type) {
  return type >= Argument::NONE && type <= Argument::SUBGRAPH;
}

struct OutputShape {
  Repeated<int64_t> dims;  // at the declared input shapes

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, dims);
  }
};

struct OperatorDef {
  Repeated<std::string_view> input;            // names; "": absent
  Repeated<std::string_view> output;           // names of new tensors
  std::string_view name;                       // "": its index is its name
  std::string_view type;                       // of the op
  Repeated<Argument> arg;                      // attributes
  Repeated<OutputShape> output_shape;          // of the first outputs
  Repeated<DataType> output_type;              // of the same outputs
  Repeated<Quantization> output_quantization;  // of all, or none

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, input);
    v(2, output);
    v(3, name);
    v(4, type);
    v(5, arg);
    v(6, output_shape);
    v(7, output_type);
    v(8, output_quantization);
  }
};

struct TensorInfo {
  std::string_view name;
  Repeated<int64_t> dims;  // -1: dynamic
  DataType data_type = DT_FLOAT;
  DataFormat data_format = DF_NONE;          // of the source model
  std::optional<Quantization> quantization;  // no scales: none
  Repeated<std::string_view> dim_names;      // one for each of dims, or none
  Repeated<int64_t> max_dims;                // the same; of inputs

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, name);
    v(3, dims);
    v(5, data_type);
    v(6, data_format);
    v(7, quantization);
    v(8, dim_names);
    v(9, max_dims);
  }
};

struct StringList {
  Repeated<std::string_view> items;

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, items);
  }
};

struct Setting {
  std::string_view name;         // as in the deployment file
  bool changes_results = false;  // else it may be ignored
  std::variant<std::monostate, int64_t, double, std::string_view, StringList>
      value;

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, name);
    v(2, changes_results);
    v(3, In<int64_t>(value));
    v(4, In<double>(value));
    v(5, In<std::string_view>(value));
    v(6, In<StringList>(value));
  }
};

struct Subgraph {
  std::string_view name;            // as attributes name it
  Repeated<OperatorDef> op;         // may use earlier subgraphs
  Repeated<TensorInfo> input_info;  // what it captures, too
  Repeated<TensorInfo> output_info;

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, name);
    v(2, op);
    v(3, input_info);
    v(4, output_info);
  }
};

struct Variable {
  TensorInfo tensor;                        // read like an input
  std::optional<std::string_view> initial;  // a weight; unset: zeros
  std::optional<std::string_view> next;     // a tensor that a node makes

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, tensor);
    v(2, initial);
    v(3, next);
  }
};

struct MemoryPlan {
  uint32_t version = 0;           // of the planner; 0: none
  uint64_t records_hash = 0;      // of sizes and lifetimes
  Repeated<int64_t> offsets;      // bytes; -1: placed at run time
  int64_t total_bytes = 0;        // of the arena
  int64_t lower_bound_bytes = 0;  // that any plan takes
  bool optimal = false;           // proven

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, version);
    v(2, records_hash);
    v(3, offsets);
    v(4, total_bytes);
    v(5, lower_bound_bytes);
    v(6, optimal);
  }
};

struct PackedWeight {
  int32_t tensor = 0;    // index into NetDef::tensors
  std::string_view how;  // the arrangement; any bytes
  int64_t offset = 0;    // bytes; a multiple of 64
  int64_t bytes = 0;

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, tensor);
    v(2, how);
    v(3, offset);
    v(4, bytes);
  }
};

struct PackedWeights {
  uint32_t version = 0;    // of the arrangements
  int64_t head_bytes = 0;  // size of the head (mace.proto)
  Fixed64 head_xxh3;       // of the head
  Fixed64 tail_xxh3;       // of what is behind it
  Repeated<PackedWeight> weights;

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, version);
    v(2, head_bytes);
    v(3, head_xxh3);
    v(4, tail_xxh3);
    v(5, weights);
  }
};

struct NetDef {
  std::string_view name;
  Repeated<OperatorDef> op;       // each reads earlier ones only
  std::string_view version;       // of the converter
  Repeated<Argument> arg;         // of format version 1 only
  Repeated<ConstTensor> tensors;  // weights
  Repeated<TensorInfo> input_info;
  Repeated<TensorInfo> output_info;
  std::optional<uint32_t> format_version;  // unset: not a model
  int64_t data_bytes = 0;                  // of all weights
  Fixed64 data_xxh3;                       // of all weights
  std::optional<MemoryPlan> memory_plan;
  std::optional<PackedWeights> packed_weights;
  Repeated<Setting> settings;                     // since format version 2
  Repeated<std::string_view> fixed_input_shapes;  // names of nodes
  Repeated<Subgraph> subgraphs;                   // each uses earlier ones only
  Repeated<Variable> variables;
  std::optional<Fixed64> graph_xxh3;  // of all bytes before this field

  template <typename V>
  constexpr void Fields(V& v) {
    v(1, name);
    v(2, op);
    v(3, version);
    v(4, arg);
    v(5, tensors);
    v(100, input_info);
    v(101, output_info);
    v(200, format_version);
    v(201, data_bytes);
    v(202, data_xxh3);
    v(203, memory_plan);
    v(204, packed_weights);
    v(205, settings);
    v(206, fixed_input_shapes);
    v(207, subgraphs);
    v(208, variables);
    v(209, graph_xxh3);
  }
};

// Reads a serialized NetDef of at most 2 GiB (2^31 - 1 bytes). Allocates
// nothing: texts and lists are views into the bytes, which must stay. False if
// the bytes are none; `*net` is then as it was. What fields mean is not
// checked: mace/model does.
bool Read(const uint8_t* bytes, size_t size, NetDef* net);

}  // namespace mace::stored

#endif  // MACE_PROTO_MESSAGES_H_
