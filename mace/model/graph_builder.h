// GraphBuilder: builds and verifies the nodes and tensors of a NetDef or of a
// subgraph.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_GRAPH_BUILDER_H_
#define MACE_MODEL_GRAPH_BUILDER_H_

#include <map>
#include <set>
#include <string>

#include "mace/base/status.h"
#include "mace/model/model.h"
#include "mace/proto/mace.pb.h"

namespace mace {

using ProtoNodes = google::protobuf::RepeatedPtrField<proto::OperatorDef>;
using ProtoInfos = google::protobuf::RepeatedPtrField<proto::TensorInfo>;

// Errors of all functions: MACE_INVALID_MODEL, with the name of the node or
// tensor.
class GraphBuilder {
 public:
  // If `outer` is not null, builds a subgraph, whose nodes may also read the
  // weights of `outer`. `subgraphs` are the names that nodes may refer to. Both
  // must outlive the builder.
  GraphBuilder(const GraphBuilder* outer,
               const std::set<std::string>* subgraphs)
      : outer_(outer), subgraphs_(subgraphs) {}

  // Must be called before all other functions. Not for subgraphs.
  Status AddWeight(const proto::ConstTensor& tensor, int index,
                   const WeightBytes& weights);
  // Adds a tensor that exists before the nodes run, and returns its id. `kind`
  // begins messages, as in "model input".
  Result<int> AddSource(const proto::TensorInfo& info, const std::string& kind);
  Status AddInputs(const ProtoInfos& infos, const std::string& kind);
  Status AddNodes(const ProtoNodes& nodes);
  // There must be at least one output. `of` begins messages, as in "the model".
  Status AddOutputs(const ProtoInfos& infos, const std::string& kind,
                    const std::string& of);

  // Returns the type of a tensor as far as the file declares it, or null.
  // Errors: there is no tensor of that name.
  Result<const TensorType*> Find(const std::string& name,
                                 const std::string& what) const;
  // Returns whether the model has a weight of that name.
  bool IsWeight(const std::string& name) const;

  // What was added. Complete only if there is no `outer`.
  Graph graph;
  std::map<int, TensorType> declared;
  std::map<int, DimensionOrder> input_order;
  std::map<int, DimensionOrder> output_order;

 private:
  const GraphBuilder& WeightsOwner() const { return outer_ ? *outer_ : *this; }
  Result<int> AddValue(const std::string& name, const std::string& what);
  Status AddNode(const proto::OperatorDef& def, int index);
  Status AddAttr(const proto::Argument& arg, const std::string& what,
                 Node* node) const;
  Result<int> FindInput(const std::string& name, const std::string& what) const;
  Status AddNodeOutputs(const proto::OperatorDef& def, const std::string& what,
                        GraphNode* g);

  const GraphBuilder* outer_;
  const std::set<std::string>* subgraphs_;
  std::map<std::string, int> ids_;  // a subgraph's lack the weights
  std::map<std::string, int> node_names_;
};

}  // namespace mace

#endif  // MACE_MODEL_GRAPH_BUILDER_H_
