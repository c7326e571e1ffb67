// Winograd: computes a 3x3 convolution of stride 1 with fewer multiplications.
// SPDX-License-Identifier: Apache-2.0
//
// The output is divided into tiles of M x M. A task takes a block of tiles and
// a block of output channels:
//
//   input tiles --> v [A*A][tiles][channels]         A = M + 2
//                   in the order of packed rows where the GEMM takes them
//   for each panel of output channels
//     A*A matrix products   v[i] * filter[i] --> m [A*A][tiles][panel]
//     m --> output tiles
//
// so that v and m stay in the second-level cache. Every output of a tile
// depends on all inputs of the tile: one that is not finite would make all
// outputs NaN, and beside a very large one the others would be lost. Tiles with
// such an input (outliers.h) are computed once more, tap by tap. Source: Lavin
// and Gray, Fast Algorithms for Convolutional Neural Networks (2015),
// section 4.
#ifndef MACE_CPU_WINOGRAD_WINOGRAD_H_
#define MACE_CPU_WINOGRAD_WINOGRAD_H_

#include <string>
#include <vector>

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/reference/conv.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"
#include "mace/cpu/ukernels/magnitude/magnitude_f32_table.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_table.h"

namespace mace::cpu {

class Winograd {
 public:
  struct Spec {
    int m = 4;  // outputs of a tile in each dimension: 2, 4 or 6
    ConvShape shape;
    ActivationFunction activation;
    GemmPlan gemm;  // of its products; the micro-kernel is not null
  };

  // Returns whether a convolution has the form that this class computes.
  static bool Fits(const ConvShape& shape);

  // REQUIRES: Fits(spec.shape); context.threads outlives the object.
  Winograd(const Spec& spec, const CpuContext& context);

  int64_t packed_bytes() const;
  std::string packing() const;  // names the layout, for sharing packed filters
  // Transforms and packs a filter of layout OIHW to [panels of output
  // channels][A*A][in_channels][nr]; output channels that do not exist are
  // zeros. The threads share the panels.
  void Pack(const float* filter, float* packed) const;

  int64_t scratch_bytes() const;  // for all threads
  std::string variant() const;

  // Computes the output. x and y are dense and do not overlap. `bias` has
  // out_channels floats or is null; `scratch` has scratch_bytes().
  void Run(const float* x, const float* packed, const float* bias, float* y,
           void* scratch) const;

 private:
  struct Task;
  struct Tile {  // line and column count tiles
    int64_t image, line, column;
  };

  void PlanTasks(int64_t block_floats);
  Tile TileAt(int64_t index) const;
  // Returns whether a tile has an outlier.
  bool TransformInputs(const Task& task) const;
  // The layout of a tile's channels within one of the A*A elements of v.
  struct Rows {
    float* v;
    int64_t tile_stride;
    int64_t group_stride;  // floats between vectors of channels
  };
  // Returns how many of the tiles [first, end) are in the same line as `first`.
  int64_t SideBySide(int64_t first, int64_t end) const;
  // Sets what tiles [first, first + t->tiles) read. `lines` has an element for
  // each line of a tile.
  void FindInputs(const Task& task, int64_t first, WinogradLineF32* lines,
                  WinogradInputF32* t) const;
  // Transforms tiles [first, end). Returns whether one has an outlier.
  bool TransformTiles(const Task& task, int64_t first, int64_t end,
                      const Rows& rows) const;
  bool AnyOutlier(const WinogradInputF32& t) const;
  // Computes the tiles with outliers from their inputs.
  void ComputeDirectly(const Task& task) const;
  void ComputeTile(const Task& task, const Tile& tile,
                   const WinogradInputF32& t, int64_t column) const;
  // Returns how many of a task's tiles are packed for the GEMM. They come first
  // in v.
  int64_t PackedTiles(const Task& task) const;
  void TransformOutputs(const Task& task, int64_t column, int64_t n) const;
  void MultiplyPanel(const Task& task, int64_t column, int64_t n) const;
  void RunTask(const Task& task) const;
  void PackPanel(const float* filter, int64_t panel, float* packed) const;

  Spec spec_;
  const GemmUkernel* gemm_ = nullptr;
  const WinogradF32* transforms_ = nullptr;
  MagnitudeF32Fn* magnitude_ = nullptr;
  Activator activator_;  // for activations that are not clamps
  ThreadPool* threads_ = nullptr;
  int64_t area_ = 0;  // A * A
  int64_t tile_lines_ = 0, tile_columns_ = 0;
  int64_t num_tiles_ = 0;
  int64_t v_stride_ = 0;        // floats between tiles of v
  int64_t v_element_ = 0;       // floats between elements of v
  int64_t scratch_floats_ = 0;  // of a thread: v and m
  int64_t tile_block_ = 0;      // tiles of a task
  int64_t column_block_ = 0;    // output channels of a task
  std::vector<float> zeros_;    // stands for pixels outside the image
};

}  // namespace mace::cpu

#endif  // MACE_CPU_WINOGRAD_WINOGRAD_H_
