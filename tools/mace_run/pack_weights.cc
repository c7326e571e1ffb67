// Kernels of the instruction set are prepared, and what they packed goes into
// the file.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/pack_weights.h"

#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/file.h"
#include "mace/base/hash.h"
#include "mace/cpu/cpu_device.h"
#include "mace/device/widen_weights.h"
#include "mace/graph/stored_weight.h"
#include "mace/model/model.h"
#include "mace/plan/make_plan.h"
#include "mace/proto/mace.pb.h"
#include "mace/runtime/devices/devices.h"
#include "tools/mace_run/write_graph.h"

namespace mace::tools {
namespace {

struct Isa {
  const char* name;
  CpuFeatures features;
};

constexpr Isa kIsas[] = {
#if defined(__x86_64__)
    {"avx2", kCpuAvx2Fma},
    {"avx512", kCpuAvx2Fma | kCpuAvx512},
    {"avx512bf16", kCpuAvx2Fma | kCpuAvx512 | kCpuAvx512Bf16 | kCpuAmd},
#elif defined(__ARM_NEON)
    {"neon", kCpuNeon},
    {"neon_fp16", kCpuNeon | kCpuFp16},
    {"neon_bf16", kCpuNeon | kCpuFp16 | kCpuBf16},
#endif
    {"scalar", 0},
};

Result<CpuFeatures> FeaturesOf(const std::string& name) {
  if (name == "host") return DetectCpuFeatures();
  std::string known;
  for (const Isa& isa : kIsas) {
    known += std::string(isa.name) + ", ";
    if (name != isa.name) continue;
    // Any vendor's CPU has the instructions to pack for another's.
    const CpuFeatures needed = isa.features & ~CpuFeatures{kCpuAmd};
    if ((needed & DetectCpuFeatures()) == needed) {
      return isa.features;
    }
    return InvalidArgument("this CPU (" + ToString(DetectCpuFeatures()) +
                           ") cannot pack weights for '" + name +
                           "': pack them on one that has it");
  }
  return InvalidArgument(
      "this mace_run packs weights for " + known + "host, not for '" + name +
      "': use a mace_run that was built for such a CPU (bazel build "
      "--config=aarch64 //tools/mace_run), on it or under qemu");
}

// The array of weights as it grows.
class Array {
 public:
  // Returns the offset of a copy, at a 64-byte boundary.
  int64_t Append(const void* data, size_t bytes) {
    bytes_.resize(AlignUp(static_cast<int64_t>(bytes_.size()), kAlignment));
    const auto* from = static_cast<const uint8_t*>(data);
    const auto offset = static_cast<int64_t>(bytes_.size());
    bytes_.insert(bytes_.end(), from, from + bytes);
    return offset;
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  uint64_t Hash(size_t begin) const {
    return Hash64(bytes_.data() + begin, bytes_.size() - begin);
  }

 private:
  std::vector<uint8_t> bytes_;
};

// Returns the caches of the CPU that weights are packed for: how convolutions
// are computed, and so what is packed, depends on them. MACE_CPU_CACHES says
// those of a CPU that differs from the usual ones.
cpu::CacheSizes CachesOf(const std::string& isa) {
  const bool given = std::getenv("MACE_CPU_CACHES") != nullptr;
  return isa == "host" || given ? cpu::DetectCacheSizes()
                                : cpu::DefaultCacheSizes();
}

// Prepares all kernels; `packed` then holds what they packed.
Status PrepareAll(const Model& model, CpuFeatures features,
                  const cpu::CacheSizes& caches, ChosenSettings settings,
                  const std::shared_ptr<PackedWeights>& packed) {
  MACE_ASSIGN_OR_RETURN(const ChosenSettings of_model,
                        ReadModelSettings(model.settings));
  settings.Fill(of_model);
  CpuOptions options;
  options.features = features;
  options.caches = caches;
  SetCpuOptions(settings.values, &options);
  MACE_ASSIGN_OR_RETURN(const std::unique_ptr<CpuDevice> device,
                        CpuDevice::Create(options, packed));
  Graph graph = model.graph;
  AddStates(model.states, &graph);
  MACE_RETURN_IF_ERROR(WidenWeights({device.get()}, *packed, graph));
  PlanOptions plan;
  plan.devices = {device.get()};
  return MakePlan(std::move(graph), model.declared, plan).status();
}

// Lays out the array as mace.proto says, and notes in `net` what is where.
Array LayOut(const Model& model, const PackedWeights& packed,
             proto::NetDef& net) {
  Array array;
  std::set<int64_t> packed_ones;
  const auto each = [&](const auto& f) {
    packed.ForEach([&](int64_t id, const std::string& how, const void* data,
                       size_t bytes) {
      // Fp16 weights that some op reads as floats are widened by every engine.
      if (how != "floats") f(id, how, data, bytes);
    });
  };
  each([&](int64_t id, const auto&, const void*, size_t) {
    packed_ones.insert(id);
  });
  const auto append_plain = [&](bool of_packed_ones) {
    for (int i = 0; i < net.tensors_size(); ++i) {
      if ((packed_ones.count(i) > 0) != of_packed_ones) continue;
      const Value& value = model.graph.values[i];
      net.mutable_tensors(i)->set_offset(
          array.Append(value.data, static_cast<size_t>(StoredBytes(value))));
    }
  };
  append_plain(false);
  proto::PackedWeights& all = *net.mutable_packed_weights();
  all.Clear();
  all.set_version(kPackingVersion);
  each([&](int64_t id, const std::string& how, const void* data, size_t bytes) {
    proto::PackedWeight& one = *all.add_weights();
    one.set_tensor(static_cast<int>(id));
    one.set_how(how);
    one.set_offset(array.Append(data, bytes));
    one.set_bytes(static_cast<int64_t>(bytes));
  });
  array.Append(nullptr, 0);  // the tail begins at a boundary
  const size_t head_bytes = array.bytes().size();
  all.set_head_bytes(static_cast<int64_t>(head_bytes));
  all.set_head_xxh3(array.Hash(0));
  append_plain(true);
  all.set_tail_xxh3(array.Hash(head_bytes));
  net.set_data_bytes(static_cast<int64_t>(array.bytes().size()));
  net.set_data_xxh3(array.Hash(0));
  return array;
}

}  // namespace

Status PackWeights(const Job& job, const std::string& isa,
                   const std::map<std::string, std::string>& settings,
                   const std::string& prefix) {
  ChosenSettings chosen;
  for (const auto& [name, text] : settings) {
    MACE_RETURN_IF_ERROR(chosen.SetText(name, text));
  }
  MACE_ASSIGN_OR_RETURN(const CpuFeatures features, FeaturesOf(isa));
  MACE_ASSIGN_OR_RETURN(const MappedFile graph,
                        MappedFile::Open(job.model_file));
  MACE_ASSIGN_OR_RETURN(MappedFile weights,
                        MappedFile::Open(job.model_data_file));
  const auto file = std::make_shared<MappedFile>(std::move(weights));
  MACE_ASSIGN_OR_RETURN(
      const Model model,
      LoadModel(
          graph.data(), graph.size(),
          {std::shared_ptr<const uint8_t>(file, file->data()), file->size()},
          {}));
  if (model.packing_version != 0) MACE_RETURN_IF_ERROR(VerifyTail(model));
  const auto packed = std::make_shared<PackedWeights>();
  MACE_RETURN_IF_ERROR(
      PrepareAll(model, features, CachesOf(isa), chosen, packed));

  proto::NetDef net;
  MACE_ENSURE(net.ParseFromArray(graph.data(), static_cast<int>(graph.size())));
  const Array array = LayOut(model, *packed, net);
  MACE_RETURN_IF_ERROR(WriteFileAtomically(
      prefix + ".data", array.bytes().data(), array.bytes().size()));
  return WriteGraph(std::move(net), prefix + ".pb");
}

}  // namespace mace::tools
