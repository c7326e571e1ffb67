// Resize: meaning and kernels. Literal values are those of onnxruntime 1.20 and
// TensorFlow 2.19.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/resize.h"

#include <gtest/gtest.h>

#include "mace/graph/attrs.h"
#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

TestTensor Image() { return F32({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}); }

OpCase To4x5(const char* mode, const char* coordinate) {
  return {"Resize",
          {{"mode", std::string(mode)},
           {"coordinate", std::string(coordinate)},
           {"size", Ints{4, 5}}},
          {Image()}};
}

TestTensor Is4x5(const std::vector<float>& values) {
  return F32({1, 4, 5, 1}, values);
}

TEST(Resize, Nearest) {
  OpCase c = To4x5("NEAREST", "ASYMMETRIC");
  CheckOp(
      c, {Is4x5({1, 1, 2, 2, 3, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 4, 4, 5, 5, 6})});
  for (const char* coordinate :
       {"HALF_PIXEL", "ALIGN_CORNERS", "PYTORCH_HALF_PIXEL"}) {
    SCOPED_TRACE(coordinate);
    CheckOp(
        To4x5("NEAREST", coordinate),
        {Is4x5({1, 1, 2, 2, 3, 1, 1, 2, 2, 3, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6})});
  }
  CheckOp(
      To4x5("NEAREST", "TF_HALF_PIXEL_NN"),
      {Is4x5({1, 1, 2, 3, 3, 1, 1, 2, 3, 3, 4, 4, 5, 6, 6, 4, 4, 5, 6, 6})});
}

TEST(Resize, NearestRoundings) {
  OpCase c = To4x5("NEAREST", "HALF_PIXEL");
  c.attrs["nearest_mode"] = std::string("CEIL");
  CheckOp(
      c, {Is4x5({1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 4, 5, 5, 6, 6, 4, 5, 5, 6, 6})});
  for (const char* mode : {"ROUND_PREFER_FLOOR", "ROUND_PREFER_CEIL"}) {
    c.attrs["nearest_mode"] = std::string(mode);
    CheckOp(
        c,
        {Is4x5({1, 1, 2, 3, 3, 1, 1, 2, 3, 3, 4, 4, 5, 6, 6, 4, 4, 5, 6, 6})});
  }
  // Upsampling by 2 leads to ties: pixel 0.5 of [10, 20] in ASYMMETRIC.
  c = {"Resize",
       {{"size", Ints{1, 4}},
        {"nearest_mode", std::string("ROUND_PREFER_FLOOR")}},
       {I32({1, 1, 2, 1}, {10, 20})}};
  CheckOp(c, {I32({1, 1, 4, 1}, {10, 10, 20, 20})});
  c.attrs["nearest_mode"] = std::string("ROUND_PREFER_CEIL");
  CheckOp(c, {I32({1, 1, 4, 1}, {10, 20, 20, 20})});
}

// Which elements NEAREST takes, of all sizes from 1 to 64 to all others, as one
// number: the frameworks' results are the digits of a number in base 31, modulo
// 2^64.
TEST(Resize, NearestOfAllSizes) {
  const struct {
    const char *coordinate, *rounding;
    bool by_step;
    uint64_t digits;
  } kFrameworks[] = {
      // onnxruntime 1.32
      {"ASYMMETRIC", "FLOOR", false, 0xcedfb4afaea87a07},
      {"ASYMMETRIC", "CEIL", false, 0xb8ba821097a5a962},
      {"ASYMMETRIC", "ROUND_PREFER_FLOOR", false, 0xc4bea94b1500f660},
      {"ASYMMETRIC", "ROUND_PREFER_CEIL", false, 0x13fca523f330e421},
      {"HALF_PIXEL", "FLOOR", false, 0x78b0c4e75aad8c10},
      {"HALF_PIXEL", "CEIL", false, 0x04d3183adbc882a6},
      {"HALF_PIXEL", "ROUND_PREFER_FLOOR", false, 0x1c819a97c6c52115},
      {"HALF_PIXEL", "ROUND_PREFER_CEIL", false, 0xcc347ee7d76acc92},
      {"PYTORCH_HALF_PIXEL", "FLOOR", false, 0x0721aa3a1d0b6432},
      {"PYTORCH_HALF_PIXEL", "CEIL", false, 0xf65d19c42f7e7a07},
      {"PYTORCH_HALF_PIXEL", "ROUND_PREFER_FLOOR", false, 0x84562f6a9f15a315},
      {"PYTORCH_HALF_PIXEL", "ROUND_PREFER_CEIL", false, 0xaa2a084d06e8dbaf},
      {"ALIGN_CORNERS", "FLOOR", false, 0x1ceb87b043c8e5d6},
      {"ALIGN_CORNERS", "CEIL", false, 0xa66f01c6e18205b8},
      {"ALIGN_CORNERS", "ROUND_PREFER_FLOOR", false, 0x67a472af01ad2ee5},
      {"ALIGN_CORNERS", "ROUND_PREFER_CEIL", false, 0x3e956b4435b6b2a7},
      {"TF_HALF_PIXEL_NN", "FLOOR", false, 0xc93a13280a807dee},
      {"TF_HALF_PIXEL_NN", "CEIL", false, 0xaf80409eb6b4f298},
      {"TF_HALF_PIXEL_NN", "ROUND_PREFER_FLOOR", false, 0x2a8884f576a75d2a},
      {"TF_HALF_PIXEL_NN", "ROUND_PREFER_CEIL", false, 0x9256bf3bd305a646},
      // TensorFlow 2.21 and LiteRT 2.3
      {"ASYMMETRIC", "FLOOR", true, 0xe980ab83dc0de449},
      {"TF_HALF_PIXEL_NN", "FLOOR", true, 0xc89318e840bf58e5},
      {"ALIGN_CORNERS", "ROUND_PREFER_CEIL", true, 0x00d442251e46c06e},
  };
  for (const auto& f : kFrameworks) {
    uint64_t digits = 0;
    for (int64_t n = 1; n <= 64; ++n) {
      for (int64_t m = 1; m <= 64; ++m) {
        if (n == m) continue;
        ResizeAttrs attrs;
        attrs.coordinate = f.coordinate;
        attrs.nearest_mode = f.rounding;
        attrs.by_step = f.by_step;
        attrs.size = {1, m};
        Node node;
        node.inputs = {Operand{{DataType::kF32, {1, 1, n, 1}}}};
        node.outputs = {{DataType::kF32, {1, 1, m, 1}}};
        for (const int64_t at : TapsOf(attrs, node, 1).index)
          digits = digits * 31 + static_cast<uint64_t>(at);
      }
    }
    EXPECT_EQ(digits, f.digits) << f.coordinate << " " << f.rounding;
  }
}

// 1 * (14 / 2) is 7, and 1 / (2 / 14) just below it.
TEST(Resize, NearestByStep) {
  TestTensor x =
      I32({1, 1, 14, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
  OpCase c = {"Resize", {{"size", Ints{1, 2}}}, {x}};
  CheckOp(c, {I32({1, 1, 2, 1}, {0, 6})});
  c.attrs["by_step"] = int64_t{1};
  CheckOp(c, {I32({1, 1, 2, 1}, {0, 7})});
}

TEST(Resize, Linear) {
  CheckOp(To4x5("LINEAR", "ASYMMETRIC"),
          {Is4x5({1, 1.6f, 2.2f, 2.8f, 3, 2.5f, 3.1f, 3.7f, 4.3f, 4.5f,
                  4, 4.6f, 5.2f, 5.8f, 6, 4,    4.6f, 5.2f, 5.8f, 6})},
          1e-6f);
  for (const char* coordinate : {"HALF_PIXEL", "PYTORCH_HALF_PIXEL"}) {
    CheckOp(To4x5("LINEAR", coordinate),
            {Is4x5({1,     1.4f,  2,     2.6f,  3,     1.75f, 2.15f,
                    2.75f, 3.35f, 3.75f, 3.25f, 3.65f, 4.25f, 4.85f,
                    5.25f, 4,     4.4f,  5,     5.6f,  6})},
            1e-6f);
  }
  CheckOp(To4x5("LINEAR", "ALIGN_CORNERS"),
          {Is4x5({1, 1.5f, 2, 2.5f, 3, 2, 2.5f, 3, 3.5f, 4,
                  3, 3.5f, 4, 4.5f, 5, 4, 4.5f, 5, 5.5f, 6})},
          1e-6f);
  CheckOp({"Resize",
           {{"mode", std::string("LINEAR")},
            {"coordinate", std::string("HALF_PIXEL")}},
           {Image(), Const(I32({2}, {1, 2}))}},
          {F32({1, 1, 2, 1}, {2.75f, 4.25f})}, 1e-6f);
}

TEST(Resize, ByScales) {
  CheckOp({"Resize",
           {{"mode", std::string("LINEAR")},
            {"coordinate", std::string("HALF_PIXEL")},
            {"scales", std::vector<float>{0.6f, 2.5f}}},
           {Image()}},
          {F32({1, 1, 7, 1}, {2, 2.1f, 2.5f, 2.9f, 3.3f, 3.7f, 4})}, 1e-6f);
}

TEST(Resize, Cubic) {
  CheckOp(To4x5("CUBIC", "ASYMMETRIC"),
          {Is4x5({1,        1.504f,     2.272f,    2.848f,    3.108f,
                  2.5f,     3.004f,     3.772f,    4.348f,    4.608f,
                  4,        4.504f,     5.272f,    5.848f,    6.108f,
                  4.28125f, 4.7852488f, 5.553253f, 6.129249f, 6.389249f})},
          1e-6f);
  CheckOp(To4x5("CUBIC", "HALF_PIXEL"),
          {Is4x5({0.58759403f, 0.9995935f, 1.6835938f, 2.367594f,  2.779595f,
                  1.5836881f,  1.995687f,  2.6796875f, 3.363688f,  3.7756891f,
                  3.2243137f,  3.6363115f, 4.3203125f, 5.0043135f, 5.416315f,
                  4.220408f,   4.6324053f, 5.3164062f, 6.0004077f, 6.412409f})},
          1e-6f);
  CheckOp(To4x5("CUBIC", "ALIGN_CORNERS"),
          {Is4x5({1,          1.40625f,   2,          2.59375f,   3,
                  1.9444437f, 2.3506935f, 2.9444432f, 3.5381932f, 3.9444432f,
                  3.0555558f, 3.461806f,  4.0555563f, 4.6493063f, 5.0555563f,
                  4,          4.40625f,   5,          5.59375f,   6})},
          1e-6f);
  OpCase c = To4x5("CUBIC", "HALF_PIXEL");
  c.attrs["cubic_coeff"] = -0.5f;
  c.attrs["exclude_outside"] = int64_t{1};
  CheckOp(c,
          {Is4x5({0.6598222f, 1.0412645f, 1.7352941f, 2.4293244f, 2.810766f,
                  1.5459566f, 1.927399f,  2.6214285f, 3.3154588f, 3.6969004f,
                  3.3030996f, 3.6845415f, 4.3785715f, 5.072602f,  5.4540434f,
                  4.1892343f, 4.5706763f, 5.2647057f, 5.958736f,  6.340178f})},
          1e-6f);
}

// TensorFlow's ResizeBicubic, which has weights for 1024 positions.
TEST(Resize, CubicWithATableOfWeights) {
  OpCase c = To4x5("CUBIC", "ASYMMETRIC");
  c.attrs["cubic_steps"] = int64_t{1024};
  CheckOp(
      c,
      {Is4x5({1,        1.50360155f, 2.27224016f, 2.8478477f,  3.10796475f,
              2.5f,     3.00360155f, 3.7722404f,  4.34784746f, 4.60796452f,
              4,        4.50360155f, 5.27224016f, 5.84784746f, 6.10796499f,
              4.28125f, 4.78485155f, 5.55349016f, 6.12909746f, 6.38921404f})},
      1e-6f);
  c.attrs["coordinate"] = std::string("ALIGN_CORNERS");
  CheckOp(
      c,
      {Is4x5({1,           1.40625f,    2,           2.59375f,    3,
              1.94338655f, 2.34963632f, 2.94338655f, 3.53713655f, 3.94338679f,
              3.05661345f, 3.46286345f, 4.05661345f, 4.65036345f, 5.05661345f,
              4,           4.40625f,    5,           5.59375f,    6})},
      1e-6f);
  c.attrs["coordinate"] = std::string("HALF_PIXEL");
  c.attrs["cubic_coeff"] = -0.5f;
  c.attrs["exclude_outside"] = int64_t{1};
  CheckOp(c, {Is4x5({0.659768581f, 1.04165745f, 1.73529434f, 2.42893124f,
                     2.81081963f,  1.54590297f, 1.92779171f, 2.62142849f,
                     3.31506538f,  3.69695401f, 3.30304575f, 3.68493462f,
                     4.37857151f,  5.0722084f,  5.45409679f, 4.18918037f,
                     4.57106924f,  5.26470613f, 5.95834351f, 6.3402319f})},
          1e-6f);
}

TEST(Resize, Large) {
  for (const std::string mode : {"NEAREST", "LINEAR", "CUBIC"}) {
    for (int64_t channels : {1, 3, 4, 5, 8, 13, 21, 64}) {
      CheckOp({"Resize",
               {{"mode", mode},
                {"coordinate", std::string("HALF_PIXEL")},
                {"size", Ints{23, 31}}},
               {RandomF32({2, 17, 41, channels}, 1)}},
              mode == "NEAREST" ? 0 : 5e-7f);
    }
  }
  // The same size is a copy.
  const TestTensor x = RandomF32({1, 4, 4, 2}, 1);
  CheckOp(
      {"Resize", {{"mode", std::string("LINEAR")}, {"size", Ints{4, 4}}}, {x}},
      {x}, 0);
}

TEST(Resize, Errors) {
  const auto with = [](AttrMap attrs, TestTensor x) {
    return OpCase{"Resize", std::move(attrs), {std::move(x)}};
  };
  ExpectInferError(with({}, Image()), "needs a size or scales");
  ExpectInferError(with({{"size", Ints{0, 4}}}, Image()),
                   "cannot resize x f32[1,2,3,1] to size [0,4]");
  ExpectInferError(with({{"size", Ints{1, int64_t{1} << 40}}}, Image()),
                   "each in [1, 16777216]");
  ExpectInferError(with({{"scales", std::vector<float>{-1, 1}}}, Image()),
                   "scale -1.000000 is out of range");
  ExpectInferError(with({{"size", Ints{2, 2}}}, F32({1, 0, 3, 1}, {})),
                   "cannot resize x f32[1,0,3,1]");
  ExpectInferError(
      with({{"size", Ints{2, 2}}, {"cubic_steps", int64_t{-1}}}, Image()),
      "cubic_steps is -1, it must be in [0, 16777216]");
  ExpectInferError(with({{"mode", std::string("AREA")}}, Image()),
                   "mode 'AREA' must be one of NEAREST, LINEAR, CUBIC");
  ExpectInferError(with({{"coordinate", std::string("x")}}, Image()),
                   "coordinate 'x' must be one of ASYMMETRIC");
  ExpectInferError(with({{"size", Ints{2, 2}}}, F32({2, 2}, {1, 2, 3, 4})),
                   "it must be [N,H,W,C]");
  ExpectInferError(with({{"mode", std::string("LINEAR")}, {"size", Ints{2, 2}}},
                        I32({1, 1, 1, 1}, {1})),
                   "input 0 is i32[1,1,1,1], it must be f32");
}

}  // namespace
}  // namespace mace::testing
