// How an app runs a model: the steps of the user guide, in order.
// SPDX-License-Identifier: Apache-2.0
//
// Usage: example MODEL.pb MODEL.data INPUT_NAME 1,8,8,1 OUTPUT_NAME 1,10
// runs the model once on zeros and prints the first outputs. Compile with
// -DMACE_EXAMPLE_FROM_CODE to link a model built with `build_type: code`
// instead; MODEL.pb is then the model's tag and MODEL.data is not read.

#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

// Include the headers
#include "mace/public/mace.h"
#include "mace/public/mace_runtime.h"
// If the build_type is code
#ifdef MACE_EXAMPLE_FROM_CODE
#include "mace/public/mace_engine_factory.h"
#endif

namespace mace {
namespace examples {

using Shapes = std::vector<std::vector<int64_t>>;

// Zeros for a tensor of this shape.
std::shared_ptr<float> Buffer(const std::vector<int64_t>& shape) {
  const int64_t size = std::accumulate(shape.begin(), shape.end(), int64_t{1},
                                       std::multiplies<int64_t>());
  return std::shared_ptr<float>(new float[size](),
                                std::default_delete<float[]>());
}

MaceStatus RunModel(const std::string& model_name,
                    const std::vector<unsigned char>& model_pb_data,
                    const std::string& model_data_file,
                    const std::vector<std::string>& input_names,
                    const Shapes& input_shapes,
                    const std::vector<std::string>& output_names,
                    const Shapes& output_shapes, DeviceType device_type,
                    const std::vector<std::string>& opencl_binary_paths,
                    std::map<std::string, mace::MaceTensor>* result) {
  // 0. Set pre-compiled OpenCL binary program file paths when available
  if (device_type == DeviceType::GPU) {
    mace::SetOpenCLBinaryPaths(opencl_binary_paths);
  }

  // 1. Set a folder that caches compiled OpenCL programs, so that only the
  // first start compiles them. It pays even with precompiled programs, because
  // a new driver makes those useless.
  const std::string file_path = "path/to/opencl_cache_folder";
  std::shared_ptr<KVStorageFactory> storage_factory(
      new FileStorageFactory(file_path));
  ConfigKVStorageFactory(storage_factory);

  // 4. Create MaceEngine instance
  std::shared_ptr<mace::MaceEngine> engine;
  MaceStatus create_engine_status;
#ifdef MACE_EXAMPLE_FROM_CODE
  // Create Engine from compiled code
  create_engine_status =
      CreateMaceEngineFromCode(model_name.c_str(), nullptr, input_names,
                               output_names, device_type, &engine);
#else
  (void)model_name;
  // Create Engine from model file
  create_engine_status = CreateMaceEngineFromProto(
      model_pb_data, model_data_file.c_str(), input_names, output_names,
      device_type, &engine);
#endif
  if (create_engine_status != MaceStatus::MACE_SUCCESS) {
    // Report error
    return create_engine_status;
  }

  // 5. Create Input and Output tensor buffers
  std::map<std::string, mace::MaceTensor> inputs;
  std::map<std::string, mace::MaceTensor> outputs;
  for (size_t i = 0; i < input_names.size(); ++i) {
    // Load input here
    inputs[input_names[i]] =
        mace::MaceTensor(input_shapes[i], Buffer(input_shapes[i]));
  }
  for (size_t i = 0; i < output_names.size(); ++i) {
    outputs[output_names[i]] =
        mace::MaceTensor(output_shapes[i], Buffer(output_shapes[i]));
  }

  // 6. Run the model
  MaceStatus status = engine->Run(inputs, &outputs);
  *result = outputs;
  return status;
}

std::vector<int64_t> ParseShape(const std::string& text) {
  std::vector<int64_t> shape;
  for (size_t at = 0; at < text.size();) {
    shape.push_back(std::strtoll(text.c_str() + at, nullptr, 10));
    const size_t comma = text.find(',', at);
    at = comma == std::string::npos ? text.size() : comma + 1;
  }
  return shape;
}

int Main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr,
                 "usage: example MODEL.pb MODEL.data INPUT_NAME 1,8,8,1 "
                 "OUTPUT_NAME 1,10\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<unsigned char> model_pb_data(
      (std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::map<std::string, mace::MaceTensor> outputs;
  // 2. Declare the device type (must be same with ``runtime`` in configuration
  // file)
  DeviceType device_type = DeviceType::CPU;
  // 3. Define the input and output tensor names.
  std::vector<std::string> input_names = {argv[3]};
  std::vector<std::string> output_names = {argv[5]};
  const MaceStatus status = RunModel(
      argv[1], model_pb_data, argv[2], input_names, {ParseShape(argv[4])},
      output_names, {ParseShape(argv[6])}, device_type, {}, &outputs);
  if (!status.ok()) {
    std::fprintf(stderr, "ERROR: %s\n", status.information().c_str());
    return 1;
  }
  for (const auto& [name, tensor] : outputs) {
    int64_t n = 1;
    for (int64_t extent : tensor.shape()) n *= extent;
    std::printf("%s:", name.c_str());
    for (int64_t i = 0; i < n && i < 10; ++i) {
      std::printf(" %g", tensor.data().get()[i]);
    }
    std::printf("\n");
  }
  return 0;
}

}  // namespace examples
}  // namespace mace

int main(int argc, char** argv) { return mace::examples::Main(argc, argv); }
