// Sample: a small sound model for the tests of the loader to spoil.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_TESTING_SAMPLE_H_
#define MACE_MODEL_TESTING_SAMPLE_H_

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "mace/base/hash.h"
#include "mace/model/model.h"
#include "mace/proto/mace.pb.h"

namespace mace {

// x + w -> y, with one weight of 16 floats at byte 64 of 128, behind bytes that
// nothing reads. Change `net` or `data`, then Load; the checksum in `net` is
// that of the original data.
struct Sample {
  proto::NetDef net;
  std::shared_ptr<uint8_t> data{
      static_cast<uint8_t*>(std::aligned_alloc(64, 128)), std::free};
  size_t data_size = 128;

  Sample() {
    std::memset(data.get(), 1, data_size);
    net.set_name("sample");
    net.set_format_version(2);
    net.set_data_bytes(static_cast<int64_t>(data_size));
    net.set_data_xxh3(Hash64(data.get(), data_size));
    auto* w = net.add_tensors();
    w->set_name("w");
    w->add_dims(16);
    w->set_offset(64);
    w->set_data_size(16);
    auto* x = net.add_input_info();
    x->set_name("x");
    x->add_dims(1);
    x->add_dims(16);
    auto* op = net.add_op();
    op->set_name("add");
    op->set_type("Eltwise");
    op->add_input("x");
    op->add_input("w");
    op->add_output("y");
    auto* arg = op->add_arg();
    arg->set_name("type");
    arg->set_s("SUM");
    arg->set_type(proto::Argument::STRING);
    op->add_output_shape()->add_dims(1);
    op->mutable_output_shape(0)->add_dims(16);
    op->add_output_type(proto::DT_FLOAT);
    net.add_output_info()->set_name("y");
  }

  Result<Model> Load(bool verify_checksum = true) const {
    const std::string bytes = net.SerializeAsString();
    return LoadModel(reinterpret_cast<const uint8_t*>(bytes.data()),
                     bytes.size(), {data, data_size}, {verify_checksum});
  }
};

}  // namespace mace

#endif  // MACE_MODEL_TESTING_SAMPLE_H_
