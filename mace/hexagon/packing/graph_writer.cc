// Putting graphs for the DSP together.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/packing/graph_writer.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "mace/hexagon/protocol/messages.h"
#include "mace/memory/planners.h"

namespace mace::hexagon {
namespace {

// Offsets on the DSP have 32 bits; more is not needed for 8-bit tensors.
constexpr int64_t kMaxBytes = int64_t{1} << 30;
constexpr char kStrategy[] = "offsets/GREEDY_BY_SIZE";

int64_t Padded(int64_t bytes) {
  return AlignUp(bytes, kTensorAlignment) + kReadSlack;
}

}  // namespace

int GraphWriter::Add(TensorKind kind, int64_t bytes) {
  Tensor tensor;
  tensor.record.kind = kind;
  tensor.bytes = bytes;
  tensors_.push_back(tensor);
  return static_cast<int>(tensors_.size()) - 1;
}

int GraphWriter::AddConstant(const void* data, int64_t bytes) {
  const int id = Add(kConstant, bytes);
  tensors_[id].data = data;
  return id;
}

int GraphWriter::AddConstant(AlignedBuffer buffer) {
  const int id =
      AddConstant(buffer.data(), static_cast<int64_t>(buffer.size()));
  owned_.push_back(std::move(buffer));
  return id;
}

void GraphWriter::AddNode(OpCode op, const std::vector<int>& operands,
                          const int32_t* params, size_t num_params) {
  NodeRecord node;
  node.op = op;
  node.first_word = static_cast<uint32_t>(words_.size());
  node.operands = static_cast<uint32_t>(operands.size());
  node.parameters = static_cast<uint32_t>(num_params);
  words_.insert(words_.end(), operands.begin(), operands.end());
  words_.insert(words_.end(), params, params + num_params);
  const auto at = static_cast<int64_t>(nodes_.size());
  for (const int id : operands) {
    if (tensors_[id].first < 0) tensors_[id].first = at;
    tensors_[id].last = at;
  }
  nodes_.push_back(node);
}

Status GraphWriter::CheckCounts() const {
  if (tensors_.size() > kMaxTensors || nodes_.size() > kMaxNodes ||
      words_.size() > kMaxWords) {
    return OutOfResources("a region for the DSP has ", tensors_.size(),
                          " tensors, ", nodes_.size(), " nodes and ",
                          words_.size(), " words; at most ", kMaxTensors, ", ",
                          kMaxNodes, " and ", kMaxWords, " fit");
  }
  int64_t total = 0;
  for (const Tensor& t : tensors_) {
    if (t.bytes < 0 || t.bytes > kMaxBytes || (total += t.bytes) > kMaxBytes) {
      return OutOfResources("a region for the DSP has tensors of more than ",
                            kMaxBytes, " bytes");
    }
  }
  return Status();
}

int64_t GraphWriter::OfSlices(int64_t bytes) const {
  // Larger sizes are refused in any case; cut, they cannot overflow here.
  constexpr int64_t kLimit = int64_t{1} << 40;
  return AlignUp(std::min(bytes, kLimit), kTensorAlignment) * slices_;
}

bool GraphWriter::FitsVtcm(int64_t bytes) const {
  return Padded(OfSlices(bytes)) <= kVtcmBytes;
}

// Scratch first; then inner tensors, as long as no node sees more than there
// is: those that live shortest first, and of these the smallest.
std::vector<int> GraphWriter::ChooseForVtcm() const {
  std::vector<int> candidates;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const Tensor& t = tensors_[i];
    const bool is_inner = t.record.kind == kInner || t.record.kind == kScratch;
    if (is_inner && t.first >= 0 && Padded(t.bytes) <= kVtcmBytes) {
      candidates.push_back(static_cast<int>(i));
    }
  }
  const auto rank = [this](int i) {
    const Tensor& t = tensors_[i];
    return std::make_tuple(t.record.kind != kScratch, t.last - t.first, t.bytes,
                           i);
  };
  std::sort(candidates.begin(), candidates.end(),
            [&](int a, int b) { return rank(a) < rank(b); });
  std::vector<int64_t> used(nodes_.size(), 0);  // while a node runs
  std::vector<int> chosen;
  for (const int i : candidates) {
    const Tensor& t = tensors_[i];
    const auto begin = used.begin() + t.first, end = used.begin() + t.last + 1;
    const int64_t bytes = Padded(t.bytes);
    if (*std::max_element(begin, end) + bytes > kVtcmBytes) continue;
    for (auto at = begin; at != end; ++at) *at += bytes;
    chosen.push_back(i);
  }
  return chosen;
}

Status GraphWriter::PlanPool(Pool pool, int64_t begin, int64_t* bytes) {
  memory::Problem problem;
  problem.alignment = kTensorAlignment;
  std::vector<Tensor*> planned;
  for (Tensor& t : tensors_) {
    if ((t.record.kind != kInner && t.record.kind != kScratch) ||
        t.record.pool != pool) {
      continue;
    }
    memory::Record record;
    record.size = Padded(t.bytes);
    record.first = std::max<int64_t>(t.first, 0);
    record.last = std::max<int64_t>(t.last, 0);
    problem.records.push_back(record);
    planned.push_back(&t);
  }
  *bytes = 0;
  if (planned.empty()) return Status();
  MACE_ASSIGN_OR_RETURN(const memory::Plan plan,
                        memory::Solve(problem, kStrategy));
  *bytes = plan.certificate.total;
  for (size_t i = 0; i < planned.size(); ++i) {
    planned[i]->record.offset = static_cast<uint32_t>(begin + plan.offsets[i]);
  }
  return Status();
}

Status GraphWriter::PlanInner(int64_t* end) {
  std::vector<int> chosen = ChooseForVtcm();
  int64_t bytes = 0;
  // The planner may need more than what lives at once: then fewer go there.
  for (;;) {
    for (Tensor& t : tensors_) t.record.pool = kDdr;
    for (const int i : chosen) tensors_[i].record.pool = kVtcm;
    MACE_RETURN_IF_ERROR(PlanPool(kVtcm, 0, &bytes));
    if (bytes <= kVtcmBytes) break;
    chosen.resize(chosen.size() - (chosen.size() + 7) / 8);
  }
  vtcm_bytes_ = static_cast<uint32_t>(bytes);
  MACE_RETURN_IF_ERROR(PlanPool(kDdr, *end, &bytes));
  arena_bytes_ = static_cast<uint32_t>(std::min(bytes, kMaxBytes));
  *end += bytes;
  return Status();
}

Status GraphWriter::Plan() {
  MACE_RETURN_IF_ERROR(CheckCounts());
  int64_t end = Padded(text_bytes());
  for (Tensor& t : tensors_) {
    t.record.bytes = static_cast<uint32_t>(t.bytes);
    if (t.record.kind > kOutput) continue;
    t.record.offset = static_cast<uint32_t>(end);
    end += Padded(t.bytes);
    if (end > kMaxBytes) break;
  }
  if (end <= kMaxBytes) MACE_RETURN_IF_ERROR(PlanInner(&end));
  if (end > kMaxBytes) {
    return OutOfResources("a region for the DSP takes more than ", kMaxBytes,
                          " bytes");
  }
  buffer_bytes_ = static_cast<uint32_t>(end);
  return Status();
}

uint32_t GraphWriter::text_bytes() const {
  return static_cast<uint32_t>(
      sizeof(GraphHeader) + tensors_.size() * sizeof(TensorRecord) +
      nodes_.size() * sizeof(NodeRecord) + words_.size() * sizeof(int32_t));
}

void GraphWriter::WriteTo(uint8_t* buffer) const {
  GraphHeader header;
  header.version = kProtocolVersion;
  header.bytes = text_bytes();
  header.tensors = static_cast<uint32_t>(tensors_.size());
  header.nodes = static_cast<uint32_t>(nodes_.size());
  header.words = static_cast<uint32_t>(words_.size());
  header.slices = static_cast<uint32_t>(slices_);
  uint8_t* at = buffer;
  const auto put = [&at](const void* from, size_t n) {
    if (n == 0) return;
    std::memcpy(at, from, n);
    at += n;
  };
  put(&header, sizeof(header));
  for (const Tensor& t : tensors_) put(&t.record, sizeof(t.record));
  put(nodes_.data(), nodes_.size() * sizeof(NodeRecord));
  put(words_.data(), words_.size() * sizeof(int32_t));
  for (const Tensor& t : tensors_) {
    if (t.data == nullptr || t.bytes == 0) continue;
    std::memcpy(buffer + t.record.offset, t.data, static_cast<size_t>(t.bytes));
  }
}

}  // namespace mace::hexagon
