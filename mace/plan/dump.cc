// Prints plans as text and as JSON.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/dump.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "mace/base/str_cat.h"
#include "mace/base/text_stream.h"
#include "mace/plan/assign_images.h"

namespace mace {
namespace {

// Returns a JSON string. Names come from files and may contain anything.
std::string Json(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", c);
      out += buffer;
    } else {
      out += c;
    }
  }
  return StrCat(out, '"');
}

// Returns whether the plan added the node to move a tensor between devices.
bool IsMove(const Node& node) {
  return node.op == "Upload" || node.op == "Download";
}

int64_t MovedBytes(const Node& move) {
  return Bytes(move.op == "Upload" ? move.inputs[0].type : move.outputs[0]);
}

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
    case OrderSearch::kLeast:
      return "least";
    case OrderSearch::kWidest:
      return "widest search";
    case OrderSearch::kBudget:
      return "budget spent";
  }
  return "";
}

// Returns a short label. For a step of several nodes, whose full name is long,
// it has the last node and their number.
std::string ShortLabel(const Plan& plan, const Step& step) {
  const Node& node = plan.graph.nodes[step.node].node;
  if (step.fused.empty()) return Label(node);
  size_t others = 0;  // length of their names in "a + b + c"
  for (const int n : step.fused) {
    others += plan.graph.nodes[n].node.name.size() + 3;
  }
  return StrCat(node.op, " '",
                node.name.substr(std::min(others, node.name.size())), "' (",
                step.fused.size() + 1, " nodes)");
}

// Returns the 16-bit type in which a node's weights are stored, or "".
std::string StoredAs(const Node& node) {
  for (const Operand& operand : node.inputs) {
    if (operand.stored != DataType::kInvalid) return Name(operand.stored);
  }
  return "";
}

}  // namespace

std::string DumpSteps(const Plan& plan) {
  TextStream out;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    const Node& node = plan.graph.nodes[step.node].node;
    out << s << ' ' << ShortLabel(plan, step) << " on " << step.device->name()
        << ": " << step.kernel->variant();
    if (step.kernel->macs() > 0) {
      out << ", " << step.kernel->macs() << " multiply-adds";
    }
    for (const TensorType& type : node.outputs) out << ", " << ToString(type);
    out << '\n';
  }
  if (plan.rest == nullptr) return out.str();
  for (const Wait& wait : plan.rest->waits) {
    out << wait.node
        << (wait.input.empty()
                ? StrCat(": runs its body again and again")
                : StrCat(": the plan waits for data here: '", wait.input, "'"))
        << '\n';
  }
  out << plan.rest->graph.nodes.size()
      << " nodes are planned when these data are there\n";
  return out.str();
}

std::string DumpPlacement(const Plan& plan) {
  if (plan.placements.empty()) return "";
  std::map<std::string, int> num_nodes;  // by device
  for (const Placement& p : plan.placements) ++num_nodes[p.device];
  TextStream out;
  for (const auto& [device, count] : num_nodes) {
    out << device << " runs " << count << " of " << plan.placements.size()
        << " nodes\n";
  }
  int64_t moved_bytes = 0;
  int num_moves = 0;
  for (const Step& step : plan.steps) {
    const Node& node = plan.graph.nodes[step.node].node;
    if (!IsMove(node)) continue;
    ++num_moves;
    moved_bytes += MovedBytes(node);
  }
  out << num_moves << " tensors of " << moved_bytes
      << " bytes move between devices, " << plan.images.size() << " images of "
      << plan.image_bytes << " bytes\n";
  for (const Placement& p : plan.placements) {
    if (!p.reason.empty()) {
      out << p.node << " on " << p.device << ": " << p.reason << '\n';
    }
  }
  return out.str();
}

namespace {

std::string DumpWaitsJson(const Plan& plan) {
  TextStream out;
  out << '[';
  const char* comma = "";
  if (plan.rest != nullptr) {
    for (const Wait& wait : plan.rest->waits) {
      out << comma << "{\"node\": " << Json(wait.node)
          << ", \"input\": " << Json(wait.input) << '}';
      comma = ", ";
    }
  }
  out << ']';
  return out.str();
}

}  // namespace

std::string DumpPlanJson(const Plan& plan, const std::string& note) {
  std::map<std::string, Placement> placements;  // by label
  for (const Placement& p : plan.placements) placements[p.node] = p;
  // For nodes without a step of their own: what they do, and the step that they
  // are a part of.
  std::vector<std::string> idle(plan.graph.nodes.size(), "none: a view");
  std::vector<std::string> part_of(plan.graph.nodes.size());
  TextStream nodes, moves;
  const auto add_node = [&](const Node& node, const std::string& device,
                            const std::string& kernel, int64_t macs,
                            const std::string& placed,
                            const std::string& step) {
    nodes << (nodes.str().empty() ? "" : ", ")
          << "{\"name\": " << Json(node.name) << ", \"op\": " << Json(node.op)
          << ", \"device\": " << Json(device)
          << ", \"kernel\": " << Json(kernel)
          << ", \"reason\": " << Json(placements[placed].reason)
          << ", \"part_of\": " << Json(step) << ", \"macs\": " << macs
          << ", \"stored\": " << Json(StoredAs(node)) << ", \"outputs\": [";
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      nodes << (i ? ", " : "") << Json(ToString(node.outputs[i]));
    }
    nodes << "]}";
  };
  for (const Step& step : plan.steps) {
    const Node& node = plan.graph.nodes[step.node].node;
    idle[step.node].clear();
    for (int n : step.fused) {
      idle[n] = StrCat("none: part of '", node.name, "'");
      part_of[n] = node.name;
    }
    if (IsMove(node)) {
      moves << (moves.str().empty() ? "" : ", ")
            << "{\"tensor\": " << Json(node.name) << ", \"to\": \""
            << (node.op == "Upload" ? step.device->name() : "CPU")
            << "\", \"bytes\": " << MovedBytes(node) << '}';
    } else {
      const int first = step.fused.empty() ? step.node : step.fused[0];
      add_node(node, step.device->name(), step.kernel->variant(),
               step.kernel->macs(), Label(plan.graph.nodes[first].node), "");
    }
  }
  for (size_t n = 0; n < idle.size(); ++n) {
    if (idle[n].empty()) continue;
    const Node& node = plan.graph.nodes[n].node;
    const std::string& device = placements[Label(node)].device;
    add_node(node, device.empty() ? "CPU" : device, idle[n], 0, Label(node),
             part_of[n]);
  }
  TextStream out;
  out << "{\"note\": " << Json(note) << ", \"nodes\": [" << nodes.str()
      << "], \"moves\": [" << moves.str()
      << "], \"num_images\": " << plan.images.size()
      << ", \"image_bytes\": " << plan.image_bytes
      << ", \"waits\": " << DumpWaitsJson(plan)
      << ", \"arena_bytes\": " << plan.arena_bytes << "}\n";
  return out.str();
}

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
