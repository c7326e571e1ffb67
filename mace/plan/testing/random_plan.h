// RandomPlan: nodes that share bytes with their neighbours in many ways.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_TESTING_RANDOM_PLAN_H_
#define MACE_PLAN_TESTING_RANDOM_PLAN_H_

#include <algorithm>
#include <string>
#include <vector>

#include "mace/plan/testing/plan_maker.h"

namespace mace::testing {

// Fills the maker with Reshapes, Splits, Slices, Concats, and nodes "Mix",
// whose kernels may have scratch and may overlap their inputs: up to
// `max_nodes` of them, of which a Concat of rows brings up to four Mixes of its
// own. Inputs and constants are read, reshaped and given out like all values.
class RandomPlan {
 public:
  RandomPlan(uint32_t seed, int max_nodes, PlanMaker* maker)
      : random_(seed), maker_(*maker) {
    for (int i = random_.Between(1, 2); i > 0; --i) {
      values_.push_back(maker_.Input(RandomShape()));
    }
    if (random_.OneIn(2)) values_.push_back(maker_.Constant(RandomShape()));
    for (int n = random_.Between(1, max_nodes); n > 0; --n) AddNode();
    for (int id : values_) {
      if (random_.OneIn(6)) maker_.Output(id);
    }
    maker_.Output(values_.back());
    if (random_.OneIn(10)) maker_.Output(values_.back());
  }

 private:
  // [a, b] or [1, a, b].
  Shape RandomShape() {
    Shape shape = {random_.Between(1, 4), random_.Between(1, 40)};
    if (random_.OneIn(3)) shape.insert(shape.begin(), 1);
    return shape;
  }
  const Shape& ShapeOf(int id) const {
    return maker_.plan.graph.values[id].type.shape;
  }
  // One of the last values, mostly.
  int Pick() {
    const int back = random_.OneIn(4) ? static_cast<int>(values_.size()) : 3;
    return values_[values_.size() - 1 -
                   random_.Below(
                       std::min(back, static_cast<int>(values_.size())))];
  }
  int64_t PickAxis(const Shape& shape) {
    return random_.Below(static_cast<int>(shape.size()));
  }

  void AddNode() {
    const int kind = random_.Below(11);
    if (kind == 10) {
      AddRows();
    } else if (kind < 2) {
      AddReshape();
    } else if (kind == 2) {
      AddSplit();
    } else if (kind == 3) {
      AddSlice();
    } else if (kind < 6) {
      AddConcat();
    } else {
      AddMix();
    }
  }

  // Reverses the dimensions: the same elements in another shape.
  void AddReshape() {
    const int x = Pick();
    Shape shape = ShapeOf(x);
    std::reverse(shape.begin(), shape.end());
    values_.push_back(maker_.AddOne("Reshape", {x}, shape));
  }

  // Into two parts along any axis; negative axes count from the end.
  void AddSplit() {
    const int x = Pick();
    const int64_t axis = PickAxis(ShapeOf(x));
    const int64_t extent = ShapeOf(x)[axis];
    if (extent < 2) return;
    const int64_t first = random_.Between(1, static_cast<int>(extent) - 1);
    Shape a = ShapeOf(x), b = a;
    a[axis] = first;
    b[axis] = extent - first;
    const int64_t written =
        random_.OneIn(2) ? axis : axis - static_cast<int64_t>(a.size());
    for (int id : maker_.Add("Split", {x}, {a, b}, {}, {{"axis", written}})) {
      values_.push_back(id);
    }
  }

  void AddSlice() {
    const int x = Pick();
    Shape part = ShapeOf(x);
    const int64_t axis = PickAxis(part);
    const int64_t start = random_.Below(static_cast<int>(part[axis]));
    part[axis] = random_.Between(1, static_cast<int>(part[axis] - start));
    const int64_t written =
        random_.OneIn(2) ? axis : axis - static_cast<int64_t>(part.size());
    using List = std::vector<int64_t>;
    AttrMap attrs = {{"starts", List{start}},
                     {"ends", List{start + part[axis]}},
                     {"axes", List{written}}};
    if (random_.OneIn(2)) attrs["steps"] = List{1};
    values_.push_back(maker_.AddOne("Slice", {x}, part, {}, attrs));
  }

  // Joins a value with up to three others, or itself again, whose shapes differ
  // from its own along the axis at most.
  void AddConcat() {
    const int x = Pick();
    const Shape shape = ShapeOf(x);
    const int64_t axis = PickAxis(shape);
    std::vector<int> inputs = {x};
    Shape out = shape;
    for (int id : values_) {
      Shape other = ShapeOf(id);
      if (other.size() != shape.size() || inputs.size() > 3) continue;
      const int64_t extent = other[axis];
      other[axis] = shape[axis];
      if (other != shape || (id == x && !random_.OneIn(4))) continue;
      inputs.push_back(id);
      out[axis] += extent;
    }
    values_.push_back(
        maker_.AddOne("Concat", inputs, out, {}, {{"axis", axis}}));
  }

  // A Concat of rows, most of which nothing else reads.
  void AddRows() {
    const Shape shape = RandomShape();
    std::vector<int> parts;
    Shape out = shape;
    out.back() = 0;
    for (int k = random_.Between(2, 4); k > 0; --k) {
      KernelProperties properties;
      properties.writes_rows = !random_.OneIn(8);
      properties.overlaps = {{0, 4 * random_.Below(2)}};
      Shape part = shape;
      part.back() = random_.Between(1, 20);
      out.back() += part.back();
      parts.push_back(maker_.AddOne("Mix", {Pick()}, part, properties));
      if (random_.OneIn(8)) values_.push_back(parts.back());
      if (random_.OneIn(20)) maker_.Output(parts.back());
    }
    const auto axis = static_cast<int64_t>(shape.size()) - 1;
    values_.push_back(
        maker_.AddOne("Concat", parts, out, {}, {{"axis", axis}}));
  }

  // A node of one to three inputs, perhaps the same one twice, and perhaps an
  // absent one, whose kernel declares overlaps for about half of them.
  void AddMix() {
    std::vector<int> inputs;
    for (int k = random_.Between(1, 3); k > 0; --k) inputs.push_back(Pick());
    if (random_.OneIn(6)) inputs.push_back(-1);
    KernelProperties properties;
    properties.writes_rows = random_.OneIn(2);
    if (random_.OneIn(3)) properties.scratch_bytes = 4 * random_.Between(1, 60);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!random_.OneIn(2)) continue;
      properties.overlaps.push_back(
          {static_cast<int>(i), random_.OneIn(2) ? 0 : 4 * random_.Below(9)});
    }
    std::vector<Shape> outputs = {random_.OneIn(2) ? ShapeOf(inputs[0])
                                                   : RandomShape()};
    if (random_.OneIn(6)) outputs.push_back(RandomShape());
    for (int id : maker_.Add("Mix", inputs, outputs, properties)) {
      values_.push_back(id);
    }
  }

  Random random_;
  PlanMaker& maker_;
  std::vector<int> values_;
};

}  // namespace mace::testing

#endif  // MACE_PLAN_TESTING_RANDOM_PLAN_H_
