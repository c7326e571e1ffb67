// Prints how a plan uses memory, as text and as JSON.
// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "mace/base/str_cat.h"
#include "mace/base/text_stream.h"
#include "mace/plan/dump/dump.h"
#include "mace/plan/dump/json_text.h"
#include "mace/plan/memory/assign_images.h"

namespace mace {
namespace {

// "may_overlap" is the field that plan checkers read; "overlaps" also gives the
// safe distance.
void DumpOverlaps(const std::vector<memory::Overlap>& overlaps,
                  TextStream& out) {
  if (overlaps.empty()) return;
  std::string others, exact;
  for (const memory::Overlap& o : overlaps) {
    const std::string comma = others.empty() ? "" : ", ";
    const std::string other = std::to_string(o.other);
    others += StrCat(comma, other);
    exact += StrCat(comma, "{\"other\": ", other);
    if (o.safe_distance != memory::Overlap::kAnyDistance) {
      exact += StrCat(", \"safe_distance\": ", o.safe_distance);
    }
    exact += '}';
  }
  out << ", \"may_overlap\": [" << others << "], \"overlaps\": [" << exact
      << ']';
}

// Returns the fields of a certificate that both dumps of memory have.
std::string CertificateJson(const memory::Certificate& c) {
  TextStream out;
  out << "\"total_size\": " << c.total << ", \"bound\": " << c.lower_bound
      << ", \"status\": \"" << Name(c.status)
      << "\", \"strategy\": " << Json(c.strategy) << ", \"nodes\": " << c.nodes
      << ", \"us\": " << c.us;
  return out.str();
}

std::string CertificateText(const memory::Certificate& c) {
  TextStream out;
  out << "total " << c.total << " bytes, lower bound " << c.lower_bound << ", "
      << Name(c.status) << ", by " << c.strategy << '\n';
  return out.str();
}

std::string FormatOf(int32_t format) {
  return kImageFormats[format].pixel_bytes == 16 ? "f32" : "f16";
}

// Returns "null" for a record without pixels.
std::string ObjectId(int32_t id) {
  return id == memory::kNone ? "null" : std::to_string(id);
}

std::string DumpImagesJson(const Plan& plan) {
  TextStream records, ids, sizes, formats;
  for (size_t r = 0; r < plan.image_records.size(); ++r) {
    const memory::ImageRecord& record = plan.image_records[r];
    const char* comma = r ? ", " : "";
    records << comma << "{\"name\": " << Json(record.name) << ", \"size\": ["
            << record.width << ", " << record.height
            << "], \"first\": " << record.first << ", \"last\": " << record.last
            << ", \"format\": \"" << FormatOf(record.format)
            << "\", \"pixel_bytes\": "
            << kImageFormats[record.format].pixel_bytes << '}';
    ids << comma << ObjectId(plan.image_plan.image_of[r]);
  }
  const char* comma = "";
  for (const memory::Image& image : plan.image_plan.images) {
    sizes << comma << '[' << image.width << ", " << image.height << ']';
    formats << comma << '"' << FormatOf(image.format) << '"';
    comma = ", ";
  }
  const memory::ImageLimits& limits = plan.image_limits;
  return StrCat("{\"max_extents\": [", limits.max_width, ", ",
                limits.max_height, "], \"records\": [", records.str(),
                "], \"object_ids\": [", ids.str(), "], \"object_sizes\": [",
                sizes.str(), "], \"object_formats\": [", formats.str(), "], ",
                CertificateJson(plan.image_plan.certificate), '}');
}

const char* Name(OrderSearch::End end) {
  switch (end) {
    case OrderSearch::kOff:
      return "off";
    case OrderSearch::kMinimum:
      return "least";
    case OrderSearch::kWidest:
      return "widest search";
    case OrderSearch::kBudget:
      return "budget spent";
  }
  return "";
}

}  // namespace

std::string DumpSavings(const Plan& plan) {
  TextStream out;
  const OrderSearch& order = plan.order_search;
  if (order.end != OrderSearch::kOff) {
    out << "order of steps: " << Name(order.end) << ", peak "
        << order.peak_before << " -> " << order.peak_after
        << " bytes of whole tensors, lower bound " << order.bound << ", work "
        << order.work << " of " << order.budget << '\n';
  }
  for (const MemorySaving& saving : plan.savings) {
    out << "saved by " << saving.name << ": "
        << saving.before_bytes - saving.after_bytes << " bytes\n";
  }
  return out.str();
}

std::string DumpMemory(const Plan& plan) {
  TextStream out;
  const auto& records = plan.memory_problem.records;
  for (size_t r = 0; r < records.size(); ++r) {
    out << "bytes " << records[r].size.count() << " at "
        << plan.memory_plan.offsets[r] << ", steps " << records[r].first
        << " to " << records[r].last << ": " << records[r].name << '\n';
  }
  out << DumpSavings(plan) << CertificateText(plan.memory_plan.certificate);
  if (plan.image_records.empty()) return out.str();
  for (size_t r = 0; r < plan.image_records.size(); ++r) {
    const memory::ImageRecord& record = plan.image_records[r];
    out << "image " << record.width << " x " << record.height << ' '
        << FormatOf(record.format) << " in "
        << ObjectId(plan.image_plan.image_of[r]) << ", steps " << record.first
        << " to " << record.last << ": " << record.name << '\n';
  }
  out << plan.images.size() << " images, "
      << CertificateText(plan.image_plan.certificate);
  return out.str();
}

std::string DumpMemoryJson(const Plan& plan) {
  TextStream out;
  const auto& records = plan.memory_problem.records;
  out << "{\"records\": [";
  for (size_t r = 0; r < records.size(); ++r) {
    out << (r ? ", " : "") << "{\"name\": " << Json(records[r].name)
        << ", \"size\": " << records[r].size.count()
        << ", \"first\": " << records[r].first
        << ", \"last\": " << records[r].last
        << ", \"align\": " << records[r].alignment;
    DumpOverlaps(records[r].overlaps, out);
    out << '}';
  }
  out << "], \"offsets\": [";
  for (size_t r = 0; r < records.size(); ++r) {
    out << (r ? ", " : "") << plan.memory_plan.offsets[r];
  }
  out << "], \"steps\": [";
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const Node& node = plan.graph.nodes[plan.steps[s].node].node;
    out << (s ? ", " : "") << "{\"name\": " << Json(node.name)
        << ", \"op\": " << Json(node.op) << '}';
  }
  out << "], \"savings\": [";
  for (size_t s = 0; s < plan.savings.size(); ++s) {
    const MemorySaving& saving = plan.savings[s];
    out << (s ? ", " : "") << "{\"name\": " << Json(saving.name)
        << ", \"before\": " << saving.before_bytes
        << ", \"after\": " << saving.after_bytes << '}';
  }
  const OrderSearch& order = plan.order_search;
  out << "], \"order_search\": {\"end\": " << Json(Name(order.end))
      << ", \"peak_before\": " << order.peak_before
      << ", \"peak_after\": " << order.peak_after
      << ", \"bound\": " << order.bound << ", \"work\": " << order.work
      << ", \"budget\": " << order.budget << '}';
  out << ", \"records_hash\": " << plan.records_hash
      << ", \"embedded_plan\": " << (plan.used_embedded_plan ? "true" : "false")
      << ", " << CertificateJson(plan.memory_plan.certificate);
  if (!plan.image_records.empty()) {
    out << ", \"images\": " << DumpImagesJson(plan);
  }
  out << '}';
  return out.str();
}

}  // namespace mace
