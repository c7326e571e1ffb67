// Lines: stages that compute lines of images, each when the next one needs
// them, with rings of lines between them.
// SPDX-License-Identifier: Apache-2.0
//
// x --> stage 0 --> ring --> stage 1 --> ring --> stage 2 --> y
//
// The last stage computes a few lines at a time, a step. A ring holds the lines
// that the windows of a step cover; where a line of a ring is overwritten, no
// later window needs it. A thread runs a band of lines of y with rings of its
// own; lines just above a band are computed once more, for it:
//
// stage 0   0 1 2 3 4 5 | 4 5 6 7 8     stage 1 has 3x3 windows: lines 4, 5
//                ring      |               are computed for both bands
// stage 1   0 1 2 3 4   | 5 6 7
//           band 0        band 1
#ifndef MACE_CPU_FUSED_LINES_H_
#define MACE_CPU_FUSED_LINES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mace/ops/common/window.h"

namespace mace::cpu {

// Immutable after construction; what changes is in a Band, which belongs to a
// thread. Lines plans and calls; the caller implements the stages.
class Lines {
 public:
  static constexpr size_t kMaxStages = 8;
  struct Stage {
    Window h;  // which lines of its input an output line is made of
    // Steps share no lines of its input, as with a 1x1 convolution. Then the
    // lines that a step reads are contiguous.
    bool reads_once = false;
    int64_t line_bytes = 0;     // of its output, from line to line
    int64_t scratch_bytes = 0;  // of a thread
  };
  // What a thread knows of the band that it runs.
  struct Band {
    char* scratch = nullptr;  // thread_bytes()
    char* y = nullptr;        // the output of the last stage
    // By stage: lines before this one are computed, or the band needs them not.
    int64_t ready[kMaxStages] = {};
    // By ring: a line that lies at its first position.
    int64_t base[kMaxStages] = {};
  };
  // The ring that a stage after the first reads, unless it is
  // Stage::reads_once; then OutputLine of the stage before finds its lines.
  struct Ring {
    const void* begin;
    int64_t lines;  // line i is at i modulo this
  };

  Lines() = default;
  // `step`: lines of the last stage in a step. `copies`: how many steps rings
  // hold. REQUIRES: 1 to kMaxStages stages.
  Lines(std::vector<Stage> stages, int64_t step, int64_t copies = 1);

  // Bytes of the rings and of the scratch of all stages, for one thread; each
  // begins at a multiple of kAlignment from the start of them.
  int64_t thread_bytes() const { return thread_bytes_; }
  // Returns the most lines that a stage computes at a time.
  int64_t step(size_t stage) const { return step_[stage]; }
  int64_t num_lines() const { return stages_.back().h.out; }
  // Returns whether lines are computed twice where bands meet.
  bool computes_twice() const;
  // Returns into how many bands `lines` are best divided.
  int64_t BandsOf(int64_t lines, int64_t threads) const;
  // Returns the first line of x that output line `p` needs. A band that begins
  // at line `p` or later reads no line of x before that one.
  int64_t FirstInput(int64_t p) const;

  void* scratch(const Band& band, size_t stage) const {
    return band.scratch + scratch_at_[stage];
  }
  Ring InputRing(const Band& band, size_t stage) const;
  // Returns where a stage writes a line: in its ring, or in y. Contiguous
  // returns how many lines from there on, up to `most`, lie one after the
  // other, before the ring begins again.
  void* OutputLine(const Band& band, size_t stage, int64_t line) const;
  int64_t Contiguous(const Band& band, size_t stage, int64_t line,
                     int64_t most) const;

  // Computes lines [begin, end) of y. Calls run(band, stage, begin, end) for
  // lines of a stage whose inputs are ready. REQUIRES: `band` is new.
  template <typename RunStage>
  void Run(Band& band, int64_t begin, int64_t end, const RunStage& run) const {
    band.ready[stages_.size() - 1] = begin;
    Advance(band, stages_.size() - 1, end, run);
  }

 private:
  // The first line that line `p` of a stage reads, and the end of those lines.
  int64_t FirstLine(size_t stage, int64_t p) const;
  int64_t LastLine(size_t stage, int64_t p) const;

  // Computes the lines of a stage up to `end`, and all lines that they need.
  template <typename RunStage>
  void Advance(Band& band, size_t stage, int64_t end,
               const RunStage& run) const {
    int64_t& ready = band.ready[stage];
    while (ready < end) {
      const int64_t stop = std::min(ready + step_[stage], end);
      if (stage > 0) {
        int64_t& before = band.ready[stage - 1];
        before = std::max(before, FirstLine(stage, ready));
        // The ring starts again.
        if (stages_[stage].reads_once) band.base[stage - 1] = ready;
        Advance(band, stage - 1, LastLine(stage, stop - 1), run);
      }
      run(band, stage, ready, stop);
      ready = stop;
    }
  }

  std::vector<Stage> stages_;
  std::vector<int64_t> step_;        // by stage: lines of a step
  std::vector<int64_t> scratch_at_;  // by stage
  std::vector<int64_t> ring_lines_;  // by ring
  std::vector<int64_t> ring_at_;
  int64_t thread_bytes_ = 0;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_LINES_H_
