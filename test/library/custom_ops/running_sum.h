// com.acme.RunningSum, a custom op in C++: along the last axis, the sums of the
// latest `window` elements.
// SPDX-License-Identifier: Apache-2.0
//
// y[..., i] = x[..., i] + x[..., i - 1] + ... + x[..., i - window + 1], as far
// as there are such elements; the float32 x has one dimension or more. It is
// what an app that uses the installed library writes: it includes nothing of
// this tree but the public header.

#include "mace/public/mace.h"

class RunningSum : public mace::MaceCustomOp {
 public:
  // Called once for each node of an engine. Without the attribute, the model is
  // refused with the message of Require.
  mace::MaceStatus Init(const mace::MaceOpAttributes& attributes) override {
    return attributes.Require("window", &window_);
  }

  // Called for each new shape of the input; the output has the same.
  mace::MaceStatus Prepare(mace::MaceOpShapes* shapes) override {
    const mace::MaceOpTensorView x = shapes->input(0);
    if (x.data_type() != mace::IDT_FLOAT || x.rank() < 1) {
      return mace::MaceStatus(mace::MaceStatus::MACE_INVALID_ARGS,
                              "it needs an input of floats, not a scalar");
    }
    return shapes->SetOutput(0, mace::IDT_FLOAT, x.shape());
  }

  // Rows are independent, so that the threads of the engine share them.
  mace::MaceStatus Run(const mace::MaceOpTensors& tensors) override {
    const mace::MaceOpTensorView x = tensors.input(0);
    const int64_t columns = x.dim(x.rank() - 1);
    if (x.num_elements() == 0) return mace::MaceStatus();
    const float* in = x.data<const float>();
    float* out = tensors.output(0).data<float>();
    const int64_t window = window_;
    tensors.ParallelFor(static_cast<size_t>(x.num_elements() / columns), 1,
                        [=](size_t begin, size_t end) {
                          for (size_t row = begin; row < end; ++row) {
                            const float* from = in + row * columns;
                            float* to = out + row * columns;
                            for (int64_t i = 0; i < columns; ++i) {
                              to[i] = 0;
                              for (int64_t k = i; k >= 0 && k > i - window;
                                   --k) {
                                to[i] += from[k];
                              }
                            }
                          }
                        });
    return mace::MaceStatus();
  }

 private:
  int64_t window_ = 1;
};
