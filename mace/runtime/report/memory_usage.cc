// Counting the bytes of a plan, its weights and its arena.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/report/memory_usage.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "mace/base/c_locale.h"
#include "mace/base/str_cat.h"
#include "mace/plan/memory/assign_images.h"
#include "mace/plan/types/one_device.h"

namespace mace {
namespace {

constexpr size_t kMaxHolders = 5;

void Add(MaceMemoryCategory& category, int64_t bytes) {
  category.requested_bytes += bytes;
  ++category.count;
}

// Returns the bytes of the tables of the plan itself.
int64_t PlanTableBytes(const Plan& plan) {
  int64_t bytes = sizeof(Plan);
  bytes += static_cast<int64_t>(plan.locations.size() * sizeof(Location));
  bytes += static_cast<int64_t>(plan.memory_plan.offsets.size() *
                                (sizeof(int64_t) + sizeof(memory::Record)));
  for (const Value& value : plan.graph.values) {
    bytes += static_cast<int64_t>(sizeof(Value) + value.name.size());
  }
  return bytes;
}

int64_t OpTableBytes(const Plan& plan) {
  int64_t bytes = 0;
  for (const GraphNode& g : plan.graph.nodes) {
    bytes += static_cast<int64_t>(
        sizeof(GraphNode) + sizeof(Step) + g.node.name.size() +
        (g.inputs.size() + g.outputs.size()) * sizeof(Buffer));
  }
  return bytes;
}

// The records that begin and those that end at one step.
struct Changes {
  std::vector<size_t> begin, end;
};
template <typename Record>
std::map<int64_t, Changes> ChangesOf(const std::vector<Record>& records) {
  std::map<int64_t, Changes> changes;
  for (size_t r = 0; r < records.size(); ++r) {
    changes[records[r].first].begin.push_back(r);
    changes[records[r].last + 1].end.push_back(r);
  }
  return changes;
}

// The bytes of the arena that live records occupy. Where one safely overlaps
// another, the shared bytes count once.
class Live {
 public:
  explicit Live(const Plan& plan)
      : records_(plan.memory_problem.records),
        offsets_(plan.memory_plan.offsets) {}

  void Apply(const Changes& changes) {
    for (size_t r : changes.end) live_.erase({offsets_[r], r});
    for (size_t r : changes.begin) live_.insert({offsets_[r], r});
  }
  int64_t bytes() const {
    int64_t bytes = 0, end = 0;
    for (const auto& [offset, r] : live_) {
      const int64_t top = offset + records_[r].size.count();
      bytes += std::max<int64_t>(0, top - std::max(offset, end));
      end = std::max(end, top);
    }
    return bytes;
  }

 private:
  const std::vector<memory::Record>& records_;
  const std::vector<int64_t>& offsets_;
  std::set<std::pair<int64_t, size_t>> live_;  // by offset
};

// Finds the step with the most live bytes, and the tensors that are live then.
void FindPeak(const Plan& plan, MaceMemoryUsage& usage) {
  const auto& records = plan.memory_problem.records;
  Live live(plan);
  int64_t peak_step = -1;
  for (const auto& [step, changes] : ChangesOf(records)) {
    live.Apply(changes);
    const int64_t bytes = live.bytes();
    if (bytes <= usage.peak_bytes) continue;
    usage.peak_bytes = bytes;
    peak_step = step;
  }
  if (peak_step < 0) return;
  // A value that is copied to the caller's output lives until after the last
  // step.
  const auto last = static_cast<int64_t>(plan.steps.size()) - 1;
  if (const int64_t s = std::min(peak_step, last); s >= 0) {
    const Step& step = plan.steps[static_cast<size_t>(s)];
    usage.peak_node = Label(plan.graph.nodes[step.node].node);
  }
  for (const memory::Record& r : records) {
    if (r.first <= peak_step && peak_step <= r.last) {
      usage.peak_holders.emplace_back(r.name, r.size.count());
    }
  }
  std::stable_sort(
      usage.peak_holders.begin(), usage.peak_holders.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  if (usage.peak_holders.size() > kMaxHolders) {
    usage.peak_holders.resize(kMaxHolders);
  }
}

int64_t BytesOfMemoryUsage(const memory::ImageRecord& image) {
  return image.width * image.height * kImageFormats[image.format].pixel_bytes;
}

void CountImages(const Plan& plan, MaceMemoryCategory& images,
                 MaceMemoryUsage& usage) {
  for (const memory::ImageRecord& record : plan.image_records) {
    Add(images, BytesOfMemoryUsage(record));
  }
  images.used_bytes = usage.image_bytes = plan.image_bytes;
  usage.image_lower_bound_bytes = plan.image_plan.certificate.lower_bound;
  int64_t live = 0;
  for (const auto& [step, changes] : ChangesOf(plan.image_records)) {
    for (size_t r : changes.end)
      live -= BytesOfMemoryUsage(plan.image_records[r]);
    for (size_t r : changes.begin)
      live += BytesOfMemoryUsage(plan.image_records[r]);
    usage.image_peak_bytes = std::max(usage.image_peak_bytes, live);
  }
}

// Counts the records of the arena as activations, or as scratch if a step
// declared them. Scratch lies between activations: its share of the arena is
// its largest record.
void CountRecords(const Plan& plan, MaceMemoryCategory& activations,
                  MaceMemoryCategory& scratch) {
  const auto& records = plan.memory_problem.records;
  for (size_t r = 0; r < records.size(); ++r) {
    const int64_t bytes = records[r].size.count();
    if (!plan.scratch_records[r]) {
      Add(activations, bytes);
      continue;
    }
    Add(scratch, bytes);
    scratch.used_bytes = std::max(scratch.used_bytes, bytes);
  }
  activations.used_bytes = plan.arena_bytes - scratch.used_bytes;
}

}  // namespace

MaceMemoryUsage UsageOf(const Plan& plan, const MaceModel::Impl& model,
                        const memory::SingleArena& arena) {
  MaceMemoryUsage usage;
  MaceMemoryCategory activations, scratch, images, persistent, weights, packed,
      on_device, variables, op_data, tables;
  activations.name = "activations";
  scratch.name = "scratch";
  images.name = "images";
  persistent.name = "persistent";
  weights.name = "weights";
  packed.name = "packed_weights";
  on_device.name = "device_weights";
  variables.name = "variables";
  op_data.name = "op_data";
  tables.name = "plan";

  CountRecords(plan, activations, scratch);
  if (!kOneDevice) CountImages(plan, images, usage);
  for (const Value& value : plan.graph.values) {
    if (value.weight_id >= 0) {
      Add(weights, Bytes(value.type));
    } else if (value.owner != nullptr) {  // computed when the plan was made
      Add(persistent, Bytes(value.type));
    }
  }
  persistent.used_bytes = persistent.requested_bytes;
  weights.used_bytes = static_cast<int64_t>(model.model.weights.size);
  packed.requested_bytes = packed.used_bytes = model.packed->total_bytes();
  packed.count = model.packed->count();
  const DeviceWeights& copies = *model.device_weights;
  on_device.requested_bytes = on_device.used_bytes = copies.total_bytes();
  on_device.count = copies.count();
  op_data.requested_bytes = op_data.used_bytes = OpTableBytes(plan);
  op_data.count = static_cast<int64_t>(plan.steps.size());
  tables.requested_bytes = tables.used_bytes = PlanTableBytes(plan);
  tables.count = 1;

  usage.categories = {activations, scratch,   images,    persistent, weights,
                      packed,      on_device, variables, op_data,    tables};
  usage.head_bytes = plan.arena_bytes;
  usage.temporary_bytes = static_cast<int64_t>(arena.peak_temporary_bytes());
  usage.tail_bytes = static_cast<int64_t>(arena.tail_bytes());
  usage.lower_bound_bytes = plan.memory_plan.certificate.lower_bound;
  FindPeak(plan, usage);
  if (plan.arena_bytes > 0) {
    usage.fragmentation = 1 - static_cast<double>(usage.peak_bytes) /
                                  static_cast<double>(plan.arena_bytes);
  }
  return usage;
}

std::string ToText(const MaceMemoryUsage& usage) {
  const CLocale c_locale;
  std::string text;
  char line[160];
  std::snprintf(line, sizeof(line), "%-16s%14s%14s%8s\n", "memory", "requested",
                "used", "count");
  text += line;
  for (const MaceMemoryCategory& c : usage.categories) {
    std::snprintf(line, sizeof(line), "%-16s%14lld%14lld%8lld\n",
                  c.name.c_str(), static_cast<long long>(c.requested_bytes),
                  static_cast<long long>(c.used_bytes),
                  static_cast<long long>(c.count));
    text += line;
  }
  std::snprintf(line, sizeof(line),
                "arena: head %lld, temporary %lld, tail %lld bytes; "
                "fragmentation %.1f %%\n",
                static_cast<long long>(usage.head_bytes),
                static_cast<long long>(usage.temporary_bytes),
                static_cast<long long>(usage.tail_bytes),
                100 * usage.fragmentation);
  text += line;
  if (usage.image_bytes > 0) {
    text += StrCat("images: ", usage.image_bytes, " bytes, lower bound ",
                   usage.image_lower_bound_bytes, ", at most ",
                   usage.image_peak_bytes, " bytes live at a time\n");
  }
  if (usage.peak_node.empty()) return text;
  text += StrCat("peak: ", usage.peak_bytes, " bytes live at ", usage.peak_node,
                 "\n");
  for (const auto& [name, bytes] : usage.peak_holders) {
    text += StrCat("  ", bytes, "  ", name, "\n");
  }
  return text;
}

std::string ToText(const MaceMemoryTotals& totals) {
  return StrCat("anonymous: ", totals.anonymous_bytes,
                " bytes; mapped: ", totals.mapped_bytes,
                " bytes; limit of anonymous bytes: ", totals.limit_bytes, "\n");
}

}  // namespace mace
