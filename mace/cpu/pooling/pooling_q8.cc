// Max pooling and average pooling of quantized values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/pooling/pooling_q8.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/cpu/reference/pooling.h"
#include "mace/cpu/ukernels/pool/pool_table.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

constexpr int64_t kPoolingQ8TasksPerThread = 4;
// Channels of a vector. Vectors are the compiler's, for any instruction set.
constexpr int64_t kPoolingQ8Lanes = 16;
typedef int32_t Words
    __attribute__((vector_size(kPoolingQ8Lanes * sizeof(int32_t))));
typedef float Floats
    __attribute__((vector_size(kPoolingQ8Lanes * sizeof(float))));

// Up to this number of quantized values of a type, floats give the quotient of
// the sum: where two integers below 2^24 do not divide, the quotient is farther
// from the next integer than it is rounded.
template <typename T>
constexpr int64_t kMaxInFloats = sizeof(T) == 1 ? 65536 : 256;
// Up to this number, the sum fits into a word.
template <typename T>
constexpr int64_t kMaxInWords = int64_t{1} << (sizeof(T) == 1 ? 23 : 15);

// The taps of a window that lie inside the image, `rows` of `columns` each, of
// one channel or of the channels from it on. The first is at `from`.
template <typename T>
struct TapsOf {
  const T* from;
  int64_t rows, columns, row_stride, column_stride;

  int64_t count() const { return std::max<int64_t>(1, rows * columns); }

  // Calls f(value) for each tap.
  template <typename F>
  void ForEach(const F& f) const {
    for (int64_t r = 0; r < rows; ++r) {
      const T* value = from + r * row_stride;
      for (int64_t c = 0; c < columns; ++c, value += column_stride) f(value);
    }
  }
};

// The maxima of kLanes channels, within a range.
template <typename T, int64_t kLanes>
void Maxima(const TapsOf<T>& taps, QuantizedRange range, T* y) {
  typedef T Values __attribute__((vector_size(kLanes * sizeof(T))));
  auto found = Values{} + static_cast<T>(range.least);
  taps.ForEach([&](const T* from) {
    Values x;
    std::memcpy(&x, from, sizeof(x));
    found = x > found ? x : found;
  });
  const auto most = Values{} + static_cast<T>(range.most);
  found = found < most ? found : most;
  std::memcpy(y, &found, sizeof(found));
}

// Returns the quotient that is nearest, ties away from zero. REQUIRES: n > 0.
int32_t RoundedQuotient(int64_t sum, int64_t n) {
  return static_cast<int32_t>((sum > 0 ? sum + n / 2 : sum - n / 2) / n);
}
// Divides each sum of n values of type T. In place, because how functions
// return such vectors depends on the instruction set.
template <typename T>
void DivideRounded(int64_t n, Words* sums) {
  if (n > kMaxInFloats<T>) {
    for (int64_t k = 0; k < kPoolingQ8Lanes; ++k) {
      (*sums)[k] = RoundedQuotient((*sums)[k], n);
    }
    return;
  }
  const Words sign = *sums >> 31;
  const Words magnitude = (*sums ^ sign) - sign + static_cast<int32_t>(n / 2);
  const Floats quotient =
      __builtin_convertvector(magnitude, Floats) / static_cast<float>(n);
  *sums = (__builtin_convertvector(quotient, Words) ^ sign) - sign;
}

// The means of kPoolingQ8Lanes channels. REQUIRES: taps.count() <=
// kMaxInWords<T>.
template <typename T>
void Means(const TapsOf<T>& taps, QuantizedRange range, T* y) {
  typedef T Values __attribute__((vector_size(kPoolingQ8Lanes * sizeof(T))));
  Words sums = {};
  taps.ForEach([&](const T* from) {
    Values x;
    std::memcpy(&x, from, sizeof(x));
    sums += __builtin_convertvector(x, Words);
  });
  DivideRounded<T>(taps.count(), &sums);
  sums = sums > range.least ? sums : Words{} + range.least;
  sums = sums < range.most ? sums : Words{} + range.most;
  const auto found = __builtin_convertvector(sums, Values);
  std::memcpy(y, &found, sizeof(found));
}

template <typename T>
void Mean(const TapsOf<T>& taps, QuantizedRange range, T* y) {
  int64_t sum = 0;
  taps.ForEach([&](const T* x) { sum += *x; });
  *y = static_cast<T>(range.Clamp(RoundedQuotient(sum, taps.count())));
}

template <typename T>
struct PoolingQ8 final : Kernel {
  ThreadPool* threads = nullptr;
  PoolShape s;
  QuantizedRange range;

  struct Output {
    T* data;
    int64_t stride;  // between pixels
  };

  const PoolQ8* micro = nullptr;  // for 8-bit values
  int32_t zero_point = 0;

  PoolingQ8() { set_writes_rows(); }

  std::string variant() const override {
    return UsesMicro(s.window.h.kernel * s.window.w.kernel) ? micro->name
                                                            : "pooling_q8";
  }

  Status Run(const RunArgs& args) override {
    const T* x = args.inputs[0].as<const T>();
    const int64_t row = row_stride() / static_cast<int64_t>(sizeof(T));
    const Output y = {args.outputs[0].as<T>(), row > 0 ? row : s.channels};
    const int64_t pixels = s.batch * s.window.h.out * s.window.w.out;
    const int64_t tile = std::max<int64_t>(
        1, pixels / (threads->num_threads() * kPoolingQ8TasksPerThread));
    threads->ParallelFor(pixels, tile, [&](size_t begin, size_t end) {
      Pixels(static_cast<int64_t>(begin), static_cast<int64_t>(end), x, y);
    });
    return Status();
  }

  bool is_max() const { return s.type == PoolingType::kMax; }
  bool UsesMicro(int64_t taps) const {
    constexpr auto kMax = static_cast<int64_t>(kAvgpoolQ8MaxPixels);
    return sizeof(T) == 1 && (is_max() || (taps > 0 && taps <= kMax));
  }

  // The outputs of some windows.
  void Pixels(int64_t begin, int64_t end, const T* x, Output y) const {
    const Window &h = s.window.h, &w = s.window.w;
    while (begin < end && !threads->is_cancelled()) {
      const int64_t line = begin / w.out, q = begin % w.out;
      const int64_t last = std::min(end - begin + q, w.out);
      const T* image = x + line / h.out * h.in * w.in * s.channels;
      const Taps rows = TapsInside(h, line % h.out);
      for (int64_t at = q, n; at < last; at += n, begin += n) {
        const Taps columns = TapsInside(w, at);
        const bool uses_micro = UsesMicro(rows.count * columns.count);
        n = uses_micro ? Alike(at, last) : 1;
        const TapsOf<T> taps = {
            image + (rows.start * w.in + columns.start) * s.channels,
            rows.count, columns.count, h.dilation * w.in * s.channels,
            w.dilation * s.channels};
        T* to = y.data + begin * y.stride;
        if (uses_micro) {
          micro->fn(WindowsOf(taps, n, {to, y.stride}));
        } else {
          Channels(taps, to);
        }
      }
    }
  }

  // Returns how many of the outputs of a line from `at` on, up to `last`, have
  // as many taps, in steps of the stride: those whose windows lie inside it, or
  // one.
  int64_t Alike(int64_t at, int64_t last) const {
    const Window& w = s.window.w;
    const int64_t left = at * w.stride - w.pad_before;
    const int64_t room = w.in - w.extent() - left;
    if (left < 0 || room < 0) return 1;
    return std::min(last - at, room / w.stride + 1);
  }

  // The arguments of a micro-kernel for n outputs.
  PoolQ8Windows WindowsOf(const TapsOf<T>& taps, int64_t n, Output y) const {
    return {static_cast<size_t>(s.channels),
            static_cast<size_t>(taps.rows),
            static_cast<size_t>(taps.columns),
            reinterpret_cast<const uint8_t*>(taps.from),
            static_cast<ptrdiff_t>(taps.row_stride),
            static_cast<ptrdiff_t>(taps.column_stride),
            std::is_signed_v<T>,
            range.least,
            range.most,
            reinterpret_cast<uint8_t*>(y.data),
            static_cast<size_t>(n),
            static_cast<ptrdiff_t>(s.window.w.stride * s.channels),
            static_cast<ptrdiff_t>(y.stride)};
  }

  // The outputs of one window. The last vector begins where it ends with the
  // channels, so that it may compute some of them again.
  void Channels(const TapsOf<T>& all, T* y) const {
    if (!is_max() && all.rows * all.columns == 0) {  // padding, which means 0
      std::fill_n(y, s.channels, static_cast<T>(range.Clamp(zero_point)));
      return;
    }
    const bool in_vectors = s.channels >= kPoolingQ8Lanes &&
                            (is_max() || all.count() <= kMaxInWords<T>);
    TapsOf<T> taps = all;
    for (int64_t c = 0; c < s.channels;) {
      if (in_vectors && s.channels - c < kPoolingQ8Lanes)
        c = s.channels - kPoolingQ8Lanes;
      taps.from = all.from + c;
      if (!in_vectors) {
        is_max() ? Maxima<T, 1>(taps, range, y + c) : Mean(taps, range, y + c);
        c += 1;
      } else {
        is_max() ? Maxima<T, kPoolingQ8Lanes>(taps, range, y + c)
                 : Means(taps, range, y + c);
        c += kPoolingQ8Lanes;
      }
    }
  }
};

template <typename T>
KernelPtr MakePooling(const PoolShape& s, QuantizedRange range,
                      int32_t zero_point, CpuContext& context) {
  auto kernel = std::make_unique<PoolingQ8<T>>();
  kernel->threads = context.threads;
  kernel->s = s;
  kernel->range = range;
  kernel->zero_point = zero_point;
  kernel->micro = kernel->is_max() ? &ChooseRow(kMaxpoolQ8, context.features)
                                   : &ChooseRow(kAvgpoolQ8, context.features);
  return kernel;
}

}  // namespace

Result<KernelPtr> PreparePoolingQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const PoolingAttrs attrs,
                        ReadAttrs<PoolingAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  PoolShape s;
  s.type = static_cast<PoolingType>(attrs.pooling_type);
  if (s.type == PoolingType::kL2 ||
      (s.type == PoolingType::kAverage && attrs.count_include_pad)) {
    return Unsupported(Label(node),
                       ": of quantized tensors the CPU computes MAX, and "
                       "AVERAGE without count_include_pad");
  }
  MACE_ASSIGN_OR_RETURN(s.window, PoolingWindow(node, attrs));
  s.batch = x.shape[0];
  s.channels = x.shape[3];
  MACE_ASSIGN_OR_RETURN(const QuantizedRange range,
                        RangeAfter(node, attrs, node.outputs[0]));
  const auto make = x.dtype == DataType::kI16  ? MakePooling<int16_t>
                    : x.dtype == DataType::kU8 ? MakePooling<uint8_t>
                                               : MakePooling<int8_t>;
  return make(s, range, x.quantization->zero_point(), context);
}

}  // namespace mace::cpu
