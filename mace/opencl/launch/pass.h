// Pass: one OpenCL kernel over a grid, with a description of its arguments.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_PASS_H_
#define MACE_OPENCL_LAUNCH_PASS_H_

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mace/base/str_cat.h"
#include "mace/opencl/driver/program_pool.h"
#include "mace/opencl/launch/constant.h"
#include "mace/opencl/launch/local_size.h"

namespace mace::opencl {

// Local memory for each member of a team and each sum.
constexpr size_t kTeamSumBytes = sizeof(cl_float4);

// Only a description; nothing is compiled yet. The kernel's first arguments are
// those of GRID (prelude.cl); those added here follow in order. They must match
// the kernel's in number and type. Only the driver checks that, by number and
// size: it does not notice an int where the kernel has a float.
//
//   Pass("activation", "activation", grid).In(0).Out().Int(n).Float(a).Float(b)
//   __kernel void activation(GRID, __read_only image2d_t x,
//                            __write_only image2d_t y, const int channels,
//                            const float a, const float b)
class Pass {
 public:
  struct Input {  // the image of the node's input
    size_t index;
  };
  struct Output {  // the image of the node's output
    size_t index;
  };
  struct Scratch {  // scratch image `index` of the kernel
    size_t index;
  };
  struct TeamParts {  // local memory of a group
    size_t bytes_per_item;
  };
  // A constant is a description until its kernel is made, and memory
  // afterwards.
  using Arg = std::variant<Input, Output, Scratch, ConstantPtr, SharedMem,
                           cl_int, cl_float, TeamParts>;

  // The function `entry` of `source`.cl. REQUIRES: no extent of the grid is 0.
  Pass(std::string source_in, std::string entry_in, Grid grid_in)
      : source(std::move(source_in)),
        entry(std::move(entry_in)),
        grid(grid_in) {}

  // -D of the compiler. Each set of defines is a program of its own, so only
  // what lets the compiler leave out code is worth one; sizes are arguments.
  Pass& Define(const std::string& name, const std::string& value = "1") {
    defines[name] = value;
    return *this;
  }
  // Each adds an argument: the image of an input, of an output, a scratch
  // image, a constant (image or buffer), a number.
  Pass& In(size_t index) { return Add(Input{index}); }
  Pass& Out(size_t index = 0) { return Add(Output{index}); }
  Pass& Image(size_t scratch) { return Add(Scratch{scratch}); }
  Pass& Constant(ConstantPtr constant) { return Add(std::move(constant)); }
  Pass& Float(float value) { return Add(cl_float{value}); }
  // Sizes, strides and other numbers. REQUIRES: they fit into 32 bits, which is
  // not checked: OpenclDevice::ImageExtentOf limits tensors to 2^29 elements,
  // and attributes of windows are at most 2^30.
  template <typename... Ints>
  Pass& Int(Ints... values) {
    (Add(static_cast<cl_int>(values)), ...);
    return *this;
  }

  // Lets `items` work items compute each position of the grid: adds the last
  // argument, TEAM_ARG of prelude.cl, for `sums` sums, at most 8. Adds nothing
  // for one item. `items` is a result of Target::TeamOf. Call it last.
  Pass& Team(size_t items, size_t sums) {
    if (items == 1) return *this;
    team = items;
    Define("TEAM", std::to_string(items));
    return Add(TeamParts{sums * kTeamSumBytes});
  }

  std::string source;
  std::string entry;
  Grid grid;        // positions, in the kernel's dimensions 0 to 2
  size_t team = 1;  // work items for each
  Defines defines;
  std::vector<Arg> args;

 private:
  Pass& Add(Arg arg) {
    args.push_back(std::move(arg));
    return *this;
  }
};

// What plans and profiles call a kernel of this pass: "conv2d in teams of 4".
inline std::string NameOf(const Pass& pass) {
  return pass.team > 1 ? StrCat(pass.entry, " in teams of ", pass.team)
                       : pass.entry;
}

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_PASS_H_
