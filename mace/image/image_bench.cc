// Times conversions of pictures of usual cameras, by each instruction set.
// SPDX-License-Identifier: Apache-2.0
//
// One thread. "ns/pixel" is per pixel of the picture, "ns/value" per element of
// the tensor.
//   bazel run //mace/image:image_bench -- --benchmark_filter=NV21

#include <benchmark/benchmark.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "mace/image/converter.h"

namespace mace::image {
namespace {

struct Camera {
  const char* name;
  MaceImageFormat format;
  int width, height;
  MaceImageOrientation orientation;
  int side;  // of the tensor
};

constexpr auto kUpright = MaceImageOrientation::UPRIGHT;
constexpr auto kTurned = MaceImageOrientation::ROTATE_90;
constexpr Camera kCameras[] = {
    {"NV21_1920x1080_to_224", MaceImageFormat::NV21, 1920, 1080, kUpright, 224},
    {"NV21_1920x1080_turned_to_224", MaceImageFormat::NV21, 1920, 1080, kTurned,
     224},
    {"YUV420_640x480_to_300", MaceImageFormat::YUV420, 640, 480, kUpright, 300},
    {"RGBA_1280x720_to_300", MaceImageFormat::RGBA, 1280, 720, kUpright, 300},
    {"RGBA_1280x720_turned_to_300", MaceImageFormat::RGBA, 1280, 720, kTurned,
     300},
    {"RGB_224x224_to_224", MaceImageFormat::RGB, 224, 224, kUpright, 224},
};

constexpr struct {
  const char* name;
  MaceImageFilter filter;
} kFilters[] = {
    {"nearest", MaceImageFilter::NEAREST},
    {"bilinear", MaceImageFilter::BILINEAR},
    {"bilinear_2x2", MaceImageFilter::BILINEAR_2X2},
    {"area", MaceImageFilter::AREA},
    {"bicubic", MaceImageFilter::BICUBIC},
};

void Time(benchmark::State& state, const Camera& camera, MaceImageFilter filter,
          const RowKernels& kernels) {
  std::vector<uint8_t> pixels(static_cast<size_t>(camera.width) *
                              static_cast<size_t>(camera.height) * 4);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i * 2654435761u >> 16);
  }
  MaceImage image = MaceImageInBuffer(
      camera.format, pixels.data(), pixels.size(), camera.width, camera.height);
  image.orientation = camera.orientation;
  MaceImageInput input;
  input.width = input.height = camera.side;
  input.filter = filter;
  for (double& mean : input.mean) mean = 127.5;
  for (double& scale : input.scale) scale = 1 / 127.5;
  auto converter = Converter::Create(input, kernels);
  if (!converter.ok()) {
    return state.SkipWithError(converter.status().information().c_str());
  }
  std::vector<float> tensor((*converter)->tensor_bytes() / sizeof(float));
  const std::clock_t begin = std::clock();
  for (auto _ : state) {
    const Status status = (*converter)
                              ->Convert(image, tensor.data(),
                                        tensor.size() * sizeof(float), nullptr);
    if (!status.ok()) state.SkipWithError(status.information().c_str());
  }
  const double nanoseconds = 1e9 * static_cast<double>(std::clock() - begin) /
                             CLOCKS_PER_SEC /
                             static_cast<double>(state.iterations());
  state.counters["ns/pixel"] = nanoseconds / camera.width / camera.height;
  state.counters["ns/value"] = nanoseconds / static_cast<double>(tensor.size());
}

int RunAll(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const Camera& camera : kCameras) {
    for (const auto& [name, filter] : kFilters) {
      for (size_t k = 0; k < kNumRowKernels; ++k) {
        const RowKernels& kernels = *kRowKernels[k];
        if (!kernels.runs_here()) continue;
        benchmark::RegisterBenchmark(
            (std::string(camera.name) + "/" + name + "/" + kernels.name)
                .c_str(),
            [&camera, f = filter, &kernels](benchmark::State& state) {
              Time(state, camera, f, kernels);
            })
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace mace::image

int main(int argc, char** argv) { return mace::image::RunAll(argc, argv); }
