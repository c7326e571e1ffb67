// Statistics of runs and of memory in C.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <new>
#include <utility>

#include "mace/capi/objects.h"
#include "mace/capi/status.h"

namespace mace::capi {
namespace {

// Returns null, an error, if `metadata` is null or has no op of that number.
const OperatorStats* OpAt(const char* function,
                          const mace_run_metadata_t* metadata, size_t op) {
  if (metadata == nullptr) {
    (void)RefuseNull(function, "metadata");
    return nullptr;
  }
  const auto& ops = metadata->metadata.op_stats;
  if (CheckIndex(function, "op", op, ops.size()) != MACE_SUCCESS) {
    return nullptr;
  }
  return &ops[op];
}

template <typename T>
void CopyNumbers(const std::vector<T>& numbers, int64_t* copies,
                 size_t* count) {
  std::copy_n(numbers.begin(), std::min(*count, numbers.size()), copies);
  *count = numbers.size();
}

}  // namespace
}  // namespace mace::capi

namespace capi = mace::capi;

extern "C" {

mace_status_t mace_run_metadata_create(mace_run_metadata_t** metadata) {
  MACE_CAPI_NOT_NULL(metadata);
  *metadata = new (std::nothrow) mace_run_metadata;
  return capi::Made(*metadata);
}

void mace_run_metadata_destroy(mace_run_metadata_t* metadata) {
  delete metadata;
}

size_t mace_run_metadata_count(const mace_run_metadata_t* metadata) {
  MACE_CAPI_GETS(metadata, 0);
  return metadata->metadata.op_stats.size();
}

const char* mace_run_metadata_text(const mace_run_metadata_t* metadata,
                                   size_t op, mace_stat_text_t which) {
  const mace::OperatorStats* stats = capi::OpAt(__func__, metadata, op);
  if (stats == nullptr) return nullptr;
  switch (which) {
    case MACE_STAT_NAME:
      return stats->operator_name.c_str();
    case MACE_STAT_TYPE:
      return stats->type.c_str();
    case MACE_STAT_DEVICE:
      return stats->device.c_str();
    case MACE_STAT_VARIANT:
      return stats->variant.c_str();
    case MACE_STAT_CHOSEN_BY:
      return stats->chosen_by.c_str();
    default:
      (void)capi::CheckRange(__func__, "which", which, MACE_STAT_CHOSEN_BY);
      return nullptr;
  }
}

double mace_run_metadata_number(const mace_run_metadata_t* metadata, size_t op,
                                mace_stat_number_t which) {
  const mace::OperatorStats* stats = capi::OpAt(__func__, metadata, op);
  if (stats == nullptr) return 0;
  switch (which) {
    case MACE_STAT_START_MICROS:
      return static_cast<double>(stats->stats.start_micros);
    case MACE_STAT_END_MICROS:
      return static_cast<double>(stats->stats.end_micros);
    case MACE_STAT_MACS:
      return static_cast<double>(stats->macs);
    case MACE_STAT_COST_MACS:
      return static_cast<double>(stats->cost_macs);
    case MACE_STAT_BYTES:
      return static_cast<double>(stats->bytes);
    case MACE_STAT_OUTPUTS:
      return static_cast<double>(stats->output_shape.size());
    case MACE_STAT_PADDING_TYPE:
      return stats->args.padding_type;
    case MACE_STAT_TUNED_MICROS:
      return stats->tuned_micros;
    case MACE_STAT_MODEL_MICROS:
      return stats->model_micros;
    default:
      (void)capi::CheckRange(__func__, "which", which, MACE_STAT_MODEL_MICROS);
      return 0;
  }
}

const int64_t* mace_run_metadata_output_shape(
    const mace_run_metadata_t* metadata, size_t op, size_t output,
    size_t* rank) {
  MACE_CAPI_GETS(rank, nullptr);
  *rank = 0;
  const mace::OperatorStats* stats = capi::OpAt(__func__, metadata, op);
  if (stats == nullptr) return nullptr;
  const auto& shapes = stats->output_shape;
  if (capi::CheckIndex(__func__, "output", output, shapes.size()) !=
      MACE_SUCCESS) {
    return nullptr;
  }
  *rank = shapes[output].size();
  return shapes[output].data();
}

mace_status_t mace_run_metadata_list(const mace_run_metadata_t* metadata,
                                     size_t op, mace_stat_list_t which,
                                     int64_t* values, size_t* count) {
  MACE_CAPI_NOT_NULL(count);
  if (*count > 0) MACE_CAPI_NOT_NULL(values);
  const mace::OperatorStats* stats = capi::OpAt(__func__, metadata, op);
  if (stats == nullptr) return MACE_INVALID_ARGS;
  const mace::ConvPoolArgs& args = stats->args;
  switch (which) {
    case MACE_STAT_STRIDES:
      capi::CopyNumbers(args.strides, values, count);
      return MACE_SUCCESS;
    case MACE_STAT_PADDINGS:
      capi::CopyNumbers(args.paddings, values, count);
      return MACE_SUCCESS;
    case MACE_STAT_DILATIONS:
      capi::CopyNumbers(args.dilations, values, count);
      return MACE_SUCCESS;
    case MACE_STAT_KERNELS:
      capi::CopyNumbers(args.kernels, values, count);
      return MACE_SUCCESS;
    default:
      return capi::CheckRange(__func__, "which", which, MACE_STAT_KERNELS);
  }
}

void mace_memory_usage_destroy(mace_memory_usage_t* usage) { delete usage; }

double mace_memory_usage_number(const mace_memory_usage_t* usage,
                                mace_memory_number_t which) {
  MACE_CAPI_GETS(usage, 0);
  const mace::MaceMemoryUsage& u = usage->usage;
  switch (which) {
    case MACE_MEMORY_HEAD_BYTES:
      return static_cast<double>(u.head_bytes);
    case MACE_MEMORY_TEMPORARY_BYTES:
      return static_cast<double>(u.temporary_bytes);
    case MACE_MEMORY_TAIL_BYTES:
      return static_cast<double>(u.tail_bytes);
    case MACE_MEMORY_LOWER_BOUND_BYTES:
      return static_cast<double>(u.lower_bound_bytes);
    case MACE_MEMORY_PEAK_BYTES:
      return static_cast<double>(u.peak_bytes);
    case MACE_MEMORY_FRAGMENTATION:
      return u.fragmentation;
    case MACE_MEMORY_IMAGE_BYTES:
      return static_cast<double>(u.image_bytes);
    case MACE_MEMORY_IMAGE_LOWER_BOUND_BYTES:
      return static_cast<double>(u.image_lower_bound_bytes);
    case MACE_MEMORY_IMAGE_PEAK_BYTES:
      return static_cast<double>(u.image_peak_bytes);
    case MACE_MEMORY_ALLOCATED_ARENA_BYTES:
      return static_cast<double>(u.allocated_arena_bytes);
    case MACE_MEMORY_ALLOCATED_IMAGE_BYTES:
      return static_cast<double>(u.allocated_image_bytes);
    case MACE_MEMORY_ANONYMOUS_BYTES:
      return static_cast<double>(usage->totals.anonymous_bytes);
    case MACE_MEMORY_MAPPED_BYTES:
      return static_cast<double>(usage->totals.mapped_bytes);
    case MACE_MEMORY_LIMIT_BYTES:
      return static_cast<double>(usage->totals.limit_bytes);
    case MACE_MEMORY_AVAILABLE_BYTES:
      return static_cast<double>(usage->totals.available_bytes);
    case MACE_MEMORY_TAKEN_BYTES:
      return static_cast<double>(usage->totals.taken_bytes);
    default:
      (void)capi::CheckRange(__func__, "which", which, MACE_MEMORY_TAKEN_BYTES);
      return 0;
  }
}

const char* mace_memory_usage_peak_node(const mace_memory_usage_t* usage) {
  MACE_CAPI_GETS(usage, nullptr);
  return usage->usage.peak_node.c_str();
}

size_t mace_memory_usage_count(const mace_memory_usage_t* usage,
                               mace_memory_list_t list) {
  MACE_CAPI_GETS(usage, 0);
  if (capi::CheckRange(__func__, "list", list, MACE_MEMORY_PEAK_HOLDERS) !=
      MACE_SUCCESS) {
    return 0;
  }
  return list == MACE_MEMORY_CATEGORIES ? usage->usage.categories.size()
                                        : usage->usage.peak_holders.size();
}

const char* mace_memory_usage_entry(const mace_memory_usage_t* usage,
                                    mace_memory_list_t list, size_t index,
                                    int64_t* used_bytes,
                                    int64_t* requested_bytes,
                                    int64_t* objects) {
  MACE_CAPI_GETS(usage, nullptr);
  mace::MaceMemoryCategory entry;
  const char* name = nullptr;
  if (capi::CheckRange(__func__, "list", list, MACE_MEMORY_PEAK_HOLDERS) ==
          MACE_SUCCESS &&
      capi::CheckIndex(__func__, "index", index,
                       mace_memory_usage_count(usage, list)) == MACE_SUCCESS) {
    if (list == MACE_MEMORY_CATEGORIES) {
      const mace::MaceMemoryCategory& category = usage->usage.categories[index];
      name = category.name.c_str();
      entry.used_bytes = category.used_bytes;
      entry.requested_bytes = category.requested_bytes;
      entry.count = category.count;
    } else {
      const auto& holder = usage->usage.peak_holders[index];
      name = holder.first.c_str();
      entry.used_bytes = entry.requested_bytes = holder.second;
      entry.count = 1;
    }
  }
  if (used_bytes != nullptr) *used_bytes = entry.used_bytes;
  if (requested_bytes != nullptr) *requested_bytes = entry.requested_bytes;
  if (objects != nullptr) *objects = entry.count;
  return name;
}

void mace_records_destroy(mace_records_t* records) { delete records; }

size_t mace_records_count(const mace_records_t* records) {
  MACE_CAPI_GETS(records, 0);
  return records->records.size();
}

const char* mace_records_text(const mace_records_t* records, size_t index,
                              mace_record_text_t which) {
  MACE_CAPI_GETS(records, nullptr);
  const auto& all = records->records;
  if (capi::CheckIndex(__func__, "index", index, all.size()) != MACE_SUCCESS) {
    return nullptr;
  }
  const std::vector<std::string>& texts = all[index].texts;
  const auto last = static_cast<mace_record_text_t>(texts.size()) - 1;
  if (capi::CheckRange(__func__, "which", which, last) != MACE_SUCCESS) {
    return nullptr;
  }
  return texts[static_cast<size_t>(which)].c_str();
}

int64_t mace_records_macs(const mace_records_t* records, size_t index) {
  MACE_CAPI_GETS(records, 0);
  const auto& all = records->records;
  if (capi::CheckIndex(__func__, "index", index, all.size()) != MACE_SUCCESS) {
    return 0;
  }
  return all[index].macs;
}

mace_status_t mace_kernel_tests(mace_records_t** records) {
  MACE_CAPI_NOT_NULL(records);
  *records = nullptr;
  std::vector<mace_records::Record> found;
  for (mace::MaceKernelTest& test : mace::GetKernelTests()) {
    found.push_back({{std::move(test.kernel), std::move(test.reason),
                      std::move(test.fallback)}});
  }
  *records = new (std::nothrow) mace_records{std::move(found)};
  return capi::Made(*records);
}

}  // extern "C"
