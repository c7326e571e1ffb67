// What the callers of an engine name and give, held against its graph.
// SPDX-License-Identifier: Apache-2.0
//
// Errors of everything here: MACE_INVALID_ARGS, with what was expected and what
// was found.
#ifndef MACE_RUNTIME_CALLER_TENSORS_H_
#define MACE_RUNTIME_CALLER_TENSORS_H_

#include <map>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/public/mace.h"

namespace mace {

// `names` must be those of all inputs, or empty.
Status CheckInputNames(const std::vector<std::string>& names,
                       const Graph& graph);

// Makes the tensors of these names the outputs; none: leaves them.
Status CutOutputs(const std::vector<std::string>& names, Graph* graph);

// Whether `tensors` are exactly the values `ids`, each with memory, in its
// type and shape. Allocates nothing.
bool Fit(const Graph& graph, const std::vector<int>& ids,
         const std::map<std::string, MaceTensor>& tensors);

// The shapes of the inputs, in the order of the graph. They may differ from
// the graph's but for the rank.
Result<std::vector<Shape>> InputShapes(
    const Graph& graph, const std::map<std::string, MaceTensor>& inputs);

// The shapes of all inputs, in the order of the graph: those given by name, and
// else the graph's.
Result<std::vector<Shape>> CompleteShapes(
    const Graph& graph, const std::map<std::string, Shape>& shapes);

// Checks the outputs that have memory and allocates the others. Errors also:
// MACE_OUT_OF_RESOURCES.
Status PrepareOutputs(const Graph& graph,
                      std::map<std::string, MaceTensor>* outputs);

// The error for shapes of inputs that the model refuses with `reason`, though
// it takes those of `graph`: MACE_INVALID_ARGS with what was expected and
// found.
Status WrongShapes(const Graph& graph, const std::vector<Shape>& shapes,
                   const std::string& reason);

}  // namespace mace

#endif  // MACE_RUNTIME_CALLER_TENSORS_H_
