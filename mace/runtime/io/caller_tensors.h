// Checks the names and tensors that callers pass to an engine against its
// graph.
// SPDX-License-Identifier: Apache-2.0
//
// Errors of all functions here: MACE_INVALID_ARGS, with the expected value and
// the one found.
#ifndef MACE_RUNTIME_IO_CALLER_TENSORS_H_
#define MACE_RUNTIME_IO_CALLER_TENSORS_H_

#include <map>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/public/mace.h"

namespace mace {

// `names` must list every input once, or be empty.
Status CheckInputNames(const std::vector<std::string>& names,
                       const Graph& graph);

// Makes the tensors with these names the outputs of `graph`. An empty list
// leaves its outputs as they are.
Status CutOutputs(const std::vector<std::string>& names, Graph* graph);

// Returns whether `tensors` are exactly the values `ids`, each with memory and
// with the type and shape that the graph has, and aligned. Allocates nothing.
bool Fit(const Graph& graph, const std::vector<int>& ids,
         const std::map<std::string, MaceTensor>& tensors);

// Returns the shapes of the inputs, in the order of the graph. Checks their
// names, types, memory and alignment; of their shapes, only the rank must be
// that of the graph, and the sizes must pass CheckedNumElements.
Result<std::vector<Shape>> InputShapes(
    const Graph& graph, const std::map<std::string, MaceTensor>& inputs);

// Returns the shapes of all inputs, in the order of the graph: from `shapes`
// where it has the name, else from the graph.
Result<std::vector<Shape>> CompleteShapes(
    const Graph& graph, const std::map<std::string, Shape>& shapes);

// Checks the outputs that have memory and allocates memory for the others.
// Further errors: MACE_OUT_OF_RESOURCES.
Status PrepareOutputs(const Graph& graph,
                      std::map<std::string, MaceTensor>* outputs);

// Allocates the memory of an output. Errors: MACE_OUT_OF_RESOURCES only.
Result<MaceTensor> AllocateOutput(const TensorType& type);

// Checks that the memory of a tensor begins at a multiple of its element's
// bytes, where C++ and 32-bit Arm need it. `what` begins the message.
Status CheckAligned(const std::string& what, const MaceTensor& tensor);

// Checks that the memory of `tensor`, which holds as many elements as its shape
// has, can hold a result of this type, also its element type and alignment.
Status CheckCapacity(const std::string& name, const TensorType& type,
                     const MaceTensor& tensor);

// Checks what a model that waits for data is given: the names of the outputs,
// and that all tensors are in host memory. Further errors: MACE_UNSUPPORTED.
Status CheckControlFlowTensors(
    const Graph& graph, const std::map<std::string, MaceTensor>& inputs,
    const std::map<std::string, MaceTensor>& outputs);

// Returns the error for input shapes that the model refuses for `reason`,
// although it accepts those of `graph`: MACE_INVALID_ARGS, with the expected
// shape and the one found.
Status WrongShapes(const Graph& graph, const std::vector<Shape>& shapes,
                   const std::string& reason);

}  // namespace mace

#endif  // MACE_RUNTIME_IO_CALLER_TENSORS_H_
