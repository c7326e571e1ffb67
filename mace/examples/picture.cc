// How an app feeds a picture: from a file of pixels to the best score.
// SPDX-License-Identifier: Apache-2.0
//
// Usage: picture MODEL.pb MODEL.data PICTURE [DEGREES]
// PICTURE is a PGM or PPM file, the plainest formats of grey and of coloured
// pixels, and DEGREES turns it clockwise, as a camera would ask for. The model
// takes one picture with values from 0 to 1.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/public/mace_image.h"

namespace mace {
namespace examples {

// The pixels of a "P5" (grey) or "P6" (RGB) file without comments.
struct PixelFile {
  bool gray = false;
  int width = 0, height = 0;
  std::vector<char> pixels;
};

bool Read(const char* name, PixelFile* picture) {
  std::ifstream file(name, std::ios::binary);
  std::string kind;
  int most = 0;
  file >> kind >> picture->width >> picture->height >> most;
  picture->gray = kind == "P5";
  file.get();  // the one blank before the pixels
  picture->pixels.assign(std::istreambuf_iterator<char>(file), {});
  return (kind == "P5" || kind == "P6") && most == 255;
}

// What the model's first input takes.
MaceImageInput InputOf(const MaceTensorInfo& info) {
  MaceImageInput input;
  const bool nchw = info.data_format == DataFormat::NCHW;
  input.height = static_cast<int>(info.shape[nchw ? 2 : 1]);
  input.width = static_cast<int>(info.shape[nchw ? 3 : 2]);
  input.data_format = nchw ? DataFormat::NCHW : DataFormat::NHWC;
  if (info.shape[nchw ? 1 : 3] == 1) input.channels = MaceImageChannels::GRAY;
  for (double& scale : input.scale) scale = 1 / 255.0;
  return input;
}

// Runs the engine on a picture and prints the best of its scores.
MaceStatus Classify(const PixelFile& file, int degrees, MaceEngine* engine) {
  const MaceTensorInfo in = engine->inputs()[0], out = engine->outputs()[0];
  std::unique_ptr<MaceImageConverter> converter;
  MaceStatus status = MaceImageConverter::Create(InputOf(in), &converter);
  if (!status.ok()) return status;

  MaceImage image = MaceImageInBuffer(
      file.gray ? MaceImageFormat::GRAY : MaceImageFormat::RGB,
      file.pixels.data(), file.pixels.size(), file.width, file.height);
  image.orientation = MaceImageTurned(degrees, /*mirror=*/false);

  const size_t bytes = converter->tensor_bytes();
  const std::shared_ptr<float> tensor(new float[bytes / sizeof(float)],
                                      std::default_delete<float[]>());
  status = converter->Convert(image, tensor.get(), bytes);
  if (!status.ok()) return status;

  std::map<std::string, MaceTensor> outputs;
  status = engine->Run({{in.name, MaceTensor(in.shape, tensor)}}, &outputs);
  if (!status.ok()) return status;

  const MaceTensor& scores = outputs[out.name];
  int64_t best = 0;
  for (int64_t i = 1; i < scores.shape().back(); ++i) {
    if (scores.data().get()[i] > scores.data().get()[best]) best = i;
  }
  std::printf("%d %.3f\n", static_cast<int>(best), scores.data().get()[best]);
  return status;
}

int Main(int argc, char** argv) {
  PixelFile picture;
  if (argc < 4 || !Read(argv[3], &picture)) {
    std::fprintf(stderr,
                 "usage: picture MODEL.pb MODEL.data PICTURE.ppm [DEGREES]\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<unsigned char> graph((std::istreambuf_iterator<char>(file)),
                                         std::istreambuf_iterator<char>());
  std::shared_ptr<MaceEngine> engine;
  MaceStatus status =
      CreateMaceEngineFromProto(graph, argv[2], {}, {}, CPU, &engine);
  const int degrees = argc > 4 ? std::atoi(argv[4]) : 0;
  if (status.ok()) status = Classify(picture, degrees, engine.get());
  if (!status.ok()) {
    std::fprintf(stderr, "ERROR: %s\n", status.information().c_str());
    return 1;
  }
  return 0;
}

}  // namespace examples
}  // namespace mace

int main(int argc, char** argv) { return mace::examples::Main(argc, argv); }
