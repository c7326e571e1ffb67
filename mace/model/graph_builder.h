// GraphBuilder: builds and verifies the nodes and tensors of a NetDef or of a
// subgraph.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_GRAPH_BUILDER_H_
#define MACE_MODEL_GRAPH_BUILDER_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "mace/base/status.h"
#include "mace/model/model.h"
#include "mace/proto/messages.h"

namespace mace {

using StoredNodes = stored::Repeated<stored::OperatorDef>;
using StoredInfos = stored::Repeated<stored::TensorInfo>;

// Builds a graph by calls in this order, each of which verifies what it adds;
// after an error the builder is of no use:
//
//  AddWeight...  AddInputs  AddSource (of variables)  AddNodes  AddOutputs
//
// Value ids are indices into graph.values: the weights come first, in the order
// of the file, so that their ids equal their weight ids (not in a subgraph,
// which has only the weights that it reads, where they are first read). Errors
// of all functions: MACE_INVALID_MODEL, with the name of the node or tensor; of
// AddWeight and AddNodes also MACE_OUT_OF_RESOURCES.
class GraphBuilder {
 public:
  // If `outer` is not null, builds a subgraph, whose nodes may also read the
  // weights of `outer`, of which it then has values of its own. `subgraphs` are
  // the names that nodes may refer to. Both must outlive the builder.
  GraphBuilder(const GraphBuilder* outer,
               const std::set<std::string_view>* subgraphs)
      : outer_(outer), subgraphs_(subgraphs) {}

  // Adds weight `index` of the file. Its value points into `weights`, at an
  // offset that is a multiple of 64, with all its bytes inside. A weight
  // without bytes points to a constant of this library. Must be called before
  // all other functions. Not for subgraphs.
  Status AddWeight(const stored::ConstTensor& tensor, int index,
                   const WeightBytes& weights);
  // Adds a tensor that exists before the nodes run, and returns its id. `kind`
  // begins messages, as in "model input". If `open` is not null, the dimensions
  // of the tensor may be dynamic: `*open` becomes what the file states of them,
  // and the type of the value has the largest sizes, or 1 (ReadOpenDims). If
  // `open` is null, a size of -1 is an error, and names and limits of
  // dimensions are ignored.
  Result<int> AddSource(const stored::TensorInfo& info, const std::string& kind,
                        OpenDims* open = nullptr);
  // Adds the inputs, which may have dynamic dimensions unless this is a
  // subgraph.
  Status AddInputs(const StoredInfos& infos, const std::string& kind);
  // Adds the nodes. Each may only read what was added before it (nodes of a
  // subgraph also weights of `outer`), and makes values under new names. Does
  // not check the meaning of ops.
  Status AddNodes(const StoredNodes& nodes);
  // Adds the outputs, of which there must be at least one. `of` is the owner in
  // messages, as in "the model".
  Status AddOutputs(const StoredInfos& infos, const std::string& kind,
                    const std::string& of);

  // Returns the type of a tensor: of a weight, an input or a variable, or the
  // type that the node declares of its output; null if the node declares none.
  // Valid until something is added. Fails if there is no tensor of that name.
  Result<const TensorType*> Find(std::string_view name,
                                 const std::string& what) const;
  // Returns whether the model has a weight of that name.
  bool IsWeight(std::string_view name) const;

  // What was added. The maps are by value id; model.h describes them at Model,
  // which they are moved to.
  Graph graph;
  std::map<int, TensorType> declared;
  std::map<int, DimensionOrder> input_order;
  std::map<int, DimensionOrder> output_order;
  std::map<int, TensorType> stated_outputs;
  std::map<int, OpenDims> open_dims;

 private:
  const GraphBuilder& WeightsOwner() const { return outer_ ? *outer_ : *this; }
  // Adds a value under a name that is new, not empty and UTF-8.
  Result<int> AddValue(std::string_view name, const std::string& what);
  Status AddNode(const stored::OperatorDef& def, int index);
  Status AddAttr(const stored::Argument& arg, const std::string& what,
                 Node* node) const;
  // Returns the id of a tensor, or -1 for an empty name.
  Result<int> FindInput(std::string_view name, const std::string& what) const;
  Status StateOutput(const stored::TensorInfo& info, int id,
                     const std::string& what);
  // Gives a subgraph a value for the weight `name` of `outer_`, if it reads one
  // and has none yet.
  void UseWeight(std::string_view name);
  Status AddNodeOutputs(const stored::OperatorDef& def, const std::string& what,
                        GraphNode* g);

  const GraphBuilder* outer_;
  const std::set<std::string_view>* subgraphs_;
  // Ids of the values of this graph, and indices of its nodes, by their names.
  std::map<std::string, int, std::less<>> ids_;
  std::map<std::string, int> node_names_;
};

}  // namespace mace

#endif  // MACE_MODEL_GRAPH_BUILDER_H_
