// GraphBuilder: the nodes and tensors of a NetDef or of a subgraph, verified.
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

// Errors of all functions: MACE_INVALID_MODEL, naming the node or tensor.
class GraphBuilder {
 public:
  // Of a subgraph, whose nodes read also the weights of `outer`, if that is not
  // null. `subgraphs` are the names that nodes may refer to. Both must outlive
  // the builder.
  GraphBuilder(const GraphBuilder* outer,
               const std::set<std::string>* subgraphs)
      : outer_(outer), subgraphs_(subgraphs) {}

  // Before all else; not of subgraphs.
  Status AddWeight(const proto::ConstTensor& tensor, int index,
                   const WeightBytes& weights);
  // Returns the id of a tensor that is there before the nodes run. `kind`
  // begins messages: "model input".
  Result<int> AddSource(const proto::TensorInfo& info, const std::string& kind);
  Status AddInputs(const ProtoInfos& infos, const std::string& kind);
  Status AddNodes(const ProtoNodes& nodes);
  // At least one. `of` begins messages: "the model".
  Status AddOutputs(const ProtoInfos& infos, const std::string& kind,
                    const std::string& of);

  // The type of a tensor, as far as the file declares it; null if it does not.
  // Errors: there is no tensor of that name.
  Result<const TensorType*> Find(const std::string& name,
                                 const std::string& what) const;
  // Whether the tensor of that name is a weight of the model.
  bool IsWeight(const std::string& name) const;

  // What was added; complete only without `outer`.
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
  std::map<std::string, int> ids_;  // of a subgraph: without the weights
  std::map<std::string, int> node_names_;
};

}  // namespace mace

#endif  // MACE_MODEL_GRAPH_BUILDER_H_
