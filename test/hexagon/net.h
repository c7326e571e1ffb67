// Net: small graphs of 8-bit nodes, which run as one region of a device and on
// the CPU.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_HEXAGON_NET_H_
#define TEST_HEXAGON_NET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/device/device.h"
#include "mace/graph/graph.h"
#include "mace/hexagon/testing/random.h"

namespace mace::hexagon::testing {

QuantizationPtr Scale(float scale, int32_t zero_point);

// A graph that is built node by node. Ids are those of its values. Unless a
// function says otherwise, activations have the type of the constructor, i8 or
// u8, and weights too; contents are random, but the same in each run of the
// program.
class Net {
 public:
  explicit Net(DataType type) : type_(type) {}

  // An input of the type of the net.
  int Input(const Shape& shape, const QuantizationPtr& q);
  // An input of float32: multiples of 0.01 in [-4, 4], and some of any bits.
  int Floats(const Shape& shape);
  // A filter with a scale for each output along `axis`, or one for all if it is
  // -1, or if the type is u8, which has zero points other than 0.
  int Weight(const Shape& shape, int axis);
  // [n] of int32, without a scale.
  int Bias(int64_t n);
  int Constant(const TensorType& type, const Bytes& bytes);
  // Adds a node, whose types are inferred, and returns its output, which `q` is
  // the quantization of. Expects that inference succeeds.
  int Op(const std::string& op, const std::vector<int>& inputs,
         const AttrMap& attrs, const QuantizationPtr& q);
  // A node with `count` outputs.
  std::vector<int> Ops(const std::string& op, const std::vector<int>& inputs,
                       const AttrMap& attrs, const QuantizationPtr& q,
                       size_t count);

  // Returns, for each node, OK or why the device does not support it.
  std::vector<Status> Supported(Device& device);

  // Runs all nodes as one region, and on the CPU, twice with random inputs;
  // expects that the device supports each node, and quantized values of
  // `outputs` that differ by at most `tolerance`.
  void Check(Device& device, const std::vector<int>& outputs,
             int tolerance = 0);

 private:
  int Last() const { return static_cast<int>(graph_.values.size()) - 1; }
  Bytes RandomBytes(const TensorType& type);
  // Returns the bytes of all values, by id, for random inputs.
  std::vector<Bytes> RunOnCpu();
  void Compare(int value, const Bytes& found, const Bytes& wanted,
               int tolerance) const;

  const DataType type_;
  Graph graph_;
  Random random_{1};
};

}  // namespace mace::hexagon::testing

#endif  // TEST_HEXAGON_NET_H_
