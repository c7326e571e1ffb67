// RunPacker: packs windows of a quantized image as tiles of operand a.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_GEMM_RUN_PACKER_H_
#define MACE_CPU_GEMM_RUN_PACKER_H_

#include <cstdint>
#include <vector>

#include "mace/cpu/gemm/patches.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"

namespace mace::cpu {

class RunPacker {
 public:
  RunPacker() = default;
  // Each value is xor-ed with `flip`; `x_zero` is the value of pixels outside
  // the image.
  RunPacker(const Patches& patches, const GemmUkernel& kernel, uint8_t flip,
            int32_t x_zero);

  // The output pixel (p, q) of an image, whose window is a row.
  struct Position {
    int64_t image, p, q;
  };
  Position PositionOf(int64_t row) const;

  // Returns the bytes of `scratch` of Pack.
  int64_t scratch_bytes() const;

  // Packs the m rows from `row` on, which is at `position`, as a tile, and
  // advances the position by m rows; if rows are pixels (is_matrix), does
  // without the position. `sums` is null, or gets the sum of each row's
  // elements.
  void Pack(const uint8_t* x, int64_t row, int64_t m, Position* position,
            int32_t* sums, void* scratch, char* to) const;

 private:
  // Where the runs of rows at equal distances begin, in bytes.
  struct Steps {
    const uint8_t* first;  // null: they are elsewhere
    int64_t row, run;
  };

  void Advance(int64_t n, Position* position) const;
  // Returns how many of the m rows from a position on can be packed together,
  // and whether their windows lie inside the image, so that their lines are
  // runs. REQUIRES: the rows are not those of a matrix.
  int64_t SpanOf(const Position& position, int64_t m, bool* inside) const;
  // Returns where the first line of a window inside the image begins.
  const uint8_t* FirstLine(const uint8_t* x, const Position& position) const;
  // Lets a micro-kernel read rows in steps, or by pointers that are written to
  // `runs`.
  void SetSteps(const Steps& steps, const uint8_t** runs, GemmRuns* rows) const;
  // Writes where the pixels of the windows of m rows begin, [taps][m].
  void FindPixels(const uint8_t* x, Position position, int64_t m,
                  const uint8_t** runs) const;

  Patches patches_;
  const GemmUkernel* kernel_ = nullptr;
  uint8_t flip_ = 0;
  bool is_matrix_ = false;  // a row is one pixel
  // Whether rows at a border are packed with those beside them: a pixel of all
  // rows fills whole lines of the packed tile.
  bool pixels_are_lines_ = false;
  // Outputs of a line whose windows lie inside it, if its pixels are one run.
  int64_t inside_begin_ = 0, inside_end_ = 0;
  std::vector<uint8_t> zeros_;  // stands for pixels outside the image
};

}  // namespace mace::cpu

#endif  // MACE_CPU_GEMM_RUN_PACKER_H_
