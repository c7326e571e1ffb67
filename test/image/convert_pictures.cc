// Converts pictures as the lines of its standard input say, for tests.
// SPDX-License-Identifier: Apache-2.0
//
// Words of a line: PIXELS WIDTH HEIGHT FORMAT ORIENTATION OUT_WIDTH OUT_HEIGHT
// FILTER CHANNELS DATA_TYPE DATA_FORMAT MEAN0 MEAN1 MEAN2 SCALE0 SCALE1 SCALE2
// TENSOR, where PIXELS and TENSOR are files and enumerators are numbers.

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "mace/public/mace_image.h"

namespace {

using mace::MaceImageInput;

template <typename E>
E Number(std::istream& in) {
  int value = -1;
  in >> value;
  return static_cast<E>(value);
}

mace::MaceStatus Convert(const std::string& line) {
  std::istringstream in(line);
  std::string pixels_file, tensor_file;
  int width = 0, height = 0;
  in >> pixels_file >> width >> height;
  const auto format = Number<mace::MaceImageFormat>(in);
  const auto orientation = Number<mace::MaceImageOrientation>(in);
  MaceImageInput input;
  in >> input.width >> input.height;
  input.filter = Number<mace::MaceImageFilter>(in);
  input.channels = Number<mace::MaceImageChannels>(in);
  input.data_type = Number<mace::IDataType>(in);
  input.data_format = Number<mace::DataFormat>(in);
  for (double& mean : input.mean) in >> mean;
  for (double& scale : input.scale) in >> scale;
  if (!(in >> tensor_file)) {
    return {mace::MaceStatus::MACE_INVALID_ARGS, "a word is missing: " + line};
  }
  std::ifstream file(pixels_file, std::ios::binary);
  const std::vector<char> pixels((std::istreambuf_iterator<char>(file)),
                                 std::istreambuf_iterator<char>());
  mace::MaceImage image = mace::MaceImageInBuffer(format, pixels.data(),
                                                  pixels.size(), width, height);
  image.orientation = orientation;
  std::unique_ptr<mace::MaceImageConverter> converter;
  mace::MaceStatus status = mace::MaceImageConverter::Create(input, &converter);
  if (!status.ok()) return status;
  std::vector<float> tensor(converter->tensor_bytes() / sizeof(float) + 1);
  status = converter->Convert(image, tensor.data(), converter->tensor_bytes());
  if (!status.ok()) return status;
  std::ofstream(tensor_file, std::ios::binary)
      .write(reinterpret_cast<const char*>(tensor.data()),
             static_cast<std::streamsize>(converter->tensor_bytes()));
  return status;
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const mace::MaceStatus status = Convert(line);
    if (!status.ok()) {
      std::cerr << status.information() << "\n";
      return 1;
    }
  }
  return 0;
}
