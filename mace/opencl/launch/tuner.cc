// Measuring group sizes, and splitting kernels that take too long.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/tuner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mace/base/cancellation.h"
#include "mace/base/clock.h"
#include "mace/base/logging.h"
#include "mace/base/str_cat.h"
#include "mace/base/text_stream.h"
#include "mace/opencl/driver/binary_cache.h"

namespace mace::opencl {
namespace {

constexpr int kRuns = 3;            // timed runs of a candidate
constexpr double kHopeless = 1.5;   // slower than the best: no more runs
constexpr double kNoBetter = 0.95;  // smaller pieces must gain at least 5 %

std::string ToString(const Grid& grid) {
  return StrCat(grid[0], "x", grid[1], "x", grid[2]);
}

size_t Items(const Grid& grid) { return grid[0] * grid[1] * grid[2]; }

// Halves the piece. Returns false if it is a single group.
bool Halve(LaunchShape& shape) {
  for (int d = 2; d >= 0; --d) {
    const size_t groups = shape.piece[d] / shape.local[d];
    if (groups == 1) continue;
    shape.piece[d] = (groups + 1) / 2 * shape.local[d];
    return true;
  }
  return false;
}

// Returns whether the launch may have this shape.
bool Fits(const LaunchShape& shape, const Launch& launch,
          const DeviceInfo& info) {
  if (Items(shape.local) == 0) return false;
  const Grid all = RoundUp(launch.pass().grid, shape.local);
  const size_t team = launch.pass().team;
  for (int d = 0; d < 3; ++d) {
    const size_t local = shape.local[d], piece = shape.piece[d];
    const size_t items = d == 2 ? team * local : local;
    const size_t most = std::max<size_t>(info.max_group_sizes[d], 1);
    if (local > most || items > most || piece == 0 || piece % local != 0 ||
        piece > all[d]) {
      return false;
    }
  }
  return team * Items(shape.local) <= launch.max_items();
}

}  // namespace

Tuner::Tuner(TunerOptions options, bool fp16, const DeviceInfo& info,
             TuningResults& results)
    : options_(std::move(options)),
      fp16_(fp16),
      info_(info),
      results_(results) {
  if (!options_.now_micros) options_.now_micros = NowMicros;
}

void Tuner::StartPlan() {
  begin_micros_ = options_.now_micros();
  report_.clear();
}

bool Tuner::HasTime() const {
  return options_.budget_micros > 0 &&
         options_.now_micros() - begin_micros_ < options_.budget_micros;
}

// Everything on which the time of the pass depends: its text and every size.
std::string Tuner::KeyOf(const Launch& launch) const {
  const Pass& pass = launch.pass();
  std::string key =
      StrCat(HashOfSource(pass.source), "|", launch.program().key(), "|",
             pass.entry, fp16_ ? "|fp16|" : "|float|", ToString(pass.grid));
  for (const Pass::Arg& arg : pass.args) {
    if (const auto* i = std::get_if<cl_int>(&arg)) {
      key += StrCat(",", *i);
    }
  }
  return key;
}

// The stored numbers: is_measured, nanoseconds, limit in microseconds, group,
// piece.
void Tuner::Load(const Launch& launch, const std::string& key, Choice& choice) {
  const std::vector<int64_t> numbers = results_.Find(key);
  if (numbers.empty()) return;
  Choice found;
  if (numbers.size() == 9) {
    found.is_measured = numbers[0] != 0;
    found.micros = static_cast<double>(numbers[1]) / 1000;
    found.limit = numbers[2];
    for (int d = 0; d < 3; ++d) {
      found.shape.local[d] = static_cast<size_t>(numbers[3 + d]);
      found.shape.piece[d] = static_cast<size_t>(numbers[6 + d]);
    }
  }
  if (numbers.size() != 9 || !Fits(found.shape, launch, info_)) {
    LOG(INFO) << "a stored tuning result does not fit its kernel "
              << launch.pass().entry << "; it is ignored";
    return;
  }
  choice = found;
}

void Tuner::Keep(const std::string& key, const Choice& choice) {
  std::vector<int64_t> numbers = {
      choice.is_measured ? 1 : 0,
      static_cast<int64_t>(std::llround(choice.micros * 1000)), choice.limit};
  for (const Grid& grid : {choice.shape.local, choice.shape.piece}) {
    for (const size_t extent : grid) {
      numbers.push_back(static_cast<int64_t>(extent));
    }
  }
  results_.Insert(key, numbers);
}

bool Tuner::MustMeasure(const Choice& choice) const {
  return (!choice.is_measured && HasTime()) ||
         (options_.limit_micros > 0 && choice.limit != options_.limit_micros);
}

Status Tuner::Tune(Launch& launch, Queue& queue, const RunArgs& args) {
  const std::string key = KeyOf(launch);
  Choice choice;
  choice.shape = LaunchShape::Whole(launch.pass().grid, launch.shape().local);
  Load(launch, key, choice);
  tried_.clear();
  if (MustMeasure(choice)) {
    queue.SetProfiling(true);
    if (!queue.profiling()) return Unsupported("the driver measures no times");
    MACE_RETURN_IF_ERROR(Improve(launch, queue, args, choice));
    Keep(key, choice);
  }
  // A stored result may have been split for a limit that no longer applies.
  if (options_.limit_micros == 0) {
    choice.shape = LaunchShape::Whole(launch.pass().grid, choice.shape.local);
  }
  launch.SetShape(choice.shape);
  Report(launch, choice);
  return Status();
}

Status Tuner::Improve(Launch& launch, Queue& queue, const RunArgs& args,
                      Choice& choice) {
  if (!choice.is_measured && HasTime()) {
    MACE_RETURN_IF_ERROR(ChooseGroups(launch, queue, args, choice));
  }
  if (options_.limit_micros > 0 && choice.limit != options_.limit_micros) {
    MACE_RETURN_IF_ERROR(Split(launch, queue, args, choice));
  }
  return Status();
}

// Returns the microseconds that the device took for one run.
Result<double> Tuner::Measure(Launch& launch, Queue& queue,
                              const RunArgs& args) {
  MACE_RETURN_IF_ERROR(Cancellation::CheckCurrent());
  ++num_measured_;
  MACE_RETURN_IF_ERROR(launch.Run(queue, args));
  MACE_RETURN_IF_ERROR(queue.Finish());
  const double micros = launch.MeasuredMicros(queue.api());
  if (micros >= 0) return micros;
  return Unsupported("the driver reports no times of kernels");
}

Status Tuner::ChooseGroups(Launch& launch, Queue& queue, const RunArgs& args,
                           Choice& choice) {
  const Grid& grid = launch.pass().grid;
  double best = std::numeric_limits<double>::infinity();
  for (const Grid& local : LocalSizeCandidates(grid, launch.pass().team,
                                               launch.max_items(), info_)) {
    if (!HasTime()) break;
    launch.SetShape(LaunchShape::Whole(grid, local));
    // The first run may compile the kernel, and it fills caches.
    MACE_RETURN_IF_ERROR(Measure(launch, queue, args).status());
    double least = std::numeric_limits<double>::infinity();
    for (int run = 0; run < kRuns && (run == 0 || HasTime()); ++run) {
      MACE_ASSIGN_OR_RETURN(const double micros, Measure(launch, queue, args));
      least = std::min(least, micros);
      if (least > kHopeless * best) break;
    }
    TextStream row;
    row << " " << ToString(local) << ":" << std::llround(least);
    tried_ += row.str();
    if (least >= best) continue;
    best = least;
    choice.shape = launch.shape();
  }
  if (std::isinf(best)) return Status();
  choice.micros = best;
  choice.is_measured = true;
  choice.limit = 0;
  return Status();
}

// Returns the microseconds of the longest command of a run. Each command counts
// with the shorter time of two runs.
Result<double> Tuner::LongestPiece(Launch& launch, Queue& queue,
                                   const RunArgs& args) {
  MACE_RETURN_IF_ERROR(Measure(launch, queue, args).status());
  const std::vector<double> first = launch.PieceMicros(queue.api());
  MACE_RETURN_IF_ERROR(Measure(launch, queue, args).status());
  const std::vector<double> second = launch.PieceMicros(queue.api());
  double longest = 0;
  for (size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    longest = std::max(longest, std::min(first[i], second[i]));
  }
  return longest;
}

Status Tuner::Split(Launch& launch, Queue& queue, const RunArgs& args,
                    Choice& choice) {
  const auto limit = static_cast<double>(options_.limit_micros);
  choice.shape = LaunchShape::Whole(launch.pass().grid, choice.shape.local);
  const auto items = static_cast<double>(Items(choice.shape.piece));
  launch.SetShape(choice.shape);
  if (choice.micros < 0) {
    MACE_RETURN_IF_ERROR(Measure(launch, queue, args).status());
    MACE_ASSIGN_OR_RETURN(choice.micros, Measure(launch, queue, args));
  }
  choice.limit = options_.limit_micros;
  if (choice.micros <= limit) return Status();
  // First estimates the size of a piece from the time of the whole, then
  // measures.
  const double per_item = choice.micros / items;
  while (per_item * static_cast<double>(Items(choice.shape.piece)) > limit &&
         Halve(choice.shape)) {
  }
  launch.SetShape(choice.shape);
  MACE_ASSIGN_OR_RETURN(double longest, LongestPiece(launch, queue, args));
  LaunchShape smaller = choice.shape;
  while (longest > limit && Halve(smaller)) {
    launch.SetShape(smaller);
    MACE_ASSIGN_OR_RETURN(const double now, LongestPiece(launch, queue, args));
    if (now > kNoBetter * longest) break;
    longest = now;
    choice.shape = smaller;
  }
  if (longest > limit) {
    LOG(INFO) << "the GPU kernel " << launch.pass().entry << " takes "
              << std::llround(longest) << " us a piece, more than the "
              << options_.limit_micros << " us allowed: smaller pieces of "
              << ToString(choice.shape.piece) << " items are no faster";
  }
  return Status();
}

void Tuner::Report(const Launch& launch, const Choice& choice) {
  TextStream row;
  row << launch.pass().entry << " grid " << ToString(launch.pass().grid)
      << " group " << ToString(choice.shape.local) << " piece "
      << ToString(choice.shape.piece);
  if (choice.micros >= 0) row << " " << choice.micros << " us";
  if (!tried_.empty()) row << " tried" << tried_;
  report_ += StrCat(row.str(), '\n');
}

}  // namespace mace::opencl
