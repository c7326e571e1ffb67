// Parts of the format that version 1 does not have: subgraphs, variables and
// quantization.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_LATER_PARTS_H_
#define MACE_MODEL_LATER_PARTS_H_

#include <set>
#include <string_view>
#include <vector>

#include "mace/base/status.h"
#include "mace/model/graph_builder.h"
#include "mace/model/model.h"
#include "mace/proto/messages.h"

namespace mace {

// Returns MACE_INVALID_MODEL for a part that the file's own version of the
// format does not have, because a library of that version would ignore it and
// compute something else: a later part, or, from version 2 on, arguments of the
// whole model. REQUIRES: net.format_version is set.
Status CheckPartsOfVersion(const stored::NetDef& net);

// Return whether dimensions of these tensors are dynamic, or have names or
// limits.
bool AnyOpenDims(const stored::TensorInfo& info);
bool AnyOpenDims(const StoredInfos& infos);

// Returns MACE_UNSUPPORTED for a model that needs the component `dynamic`
// (dynamic dimensions, subgraphs, variables), if this library was built without
// it. The functions below then add nothing.
Status CheckDynamic(const stored::NetDef& net);

// Verifies the subgraphs, which may read the weights of `weights` and name
// earlier subgraphs, and adds them to `*subgraphs` and their names to `*names`.
// Names are views into the bytes of `net`. Errors: MACE_INVALID_MODEL, also for
// subgraphs that nest more than 64 deep, since plans follow them by recursion;
// MACE_OUT_OF_RESOURCES.
Status AddSubgraphs(const stored::NetDef& net, const GraphBuilder& weights,
                    std::set<std::string_view>* names, Subgraphs* subgraphs);

// Adds the variables as sources, and checks that their first values are weights
// of their types (with dynamic dimensions: of their element type and a shape
// that they may have; quantization is not compared then). Must precede the
// nodes that read them. Errors: MACE_INVALID_MODEL.
Status AddVariables(const stored::NetDef& net, GraphBuilder* graph);

// Verifies the next values of variables, once the nodes and outputs are added,
// and returns the variables. A next value is made by a node, and is neither an
// output of the model nor the next value of another variable, so that the node
// can write it to where an engine wants it. Errors: MACE_INVALID_MODEL.
Result<std::vector<StateVariable>> ReadVariables(const stored::NetDef& net,
                                                 const GraphBuilder& graph);

}  // namespace mace

#endif  // MACE_MODEL_LATER_PARTS_H_
