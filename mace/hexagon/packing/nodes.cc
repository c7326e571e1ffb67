// Adding nodes with their constants and scratch.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/packing/nodes.h"

#include <utility>

#include "mace/hexagon/protocol/conv_scratch.h"
#include "mace/hexagon/protocol/depthwise_scratch.h"

namespace mace::hexagon {

void AddConv(int x, int y, ConvParams params, PackedFilter filter,
             GraphWriter* writer) {
  params.depth = static_cast<int32_t>(AlignUp(
      int64_t{params.h.kernel} * params.w.kernel * params.in_per_group, 8));
  params.filter_offset = filter.filter_offset;
  params.has_left_shifts = filter.has_left_shifts ? 1 : 0;
  // As many rows as VTCM has room for.
  params.rows = kConvRows;
  while (params.rows > 8 && !writer->FitsVtcm(static_cast<int64_t>(
                                ConvScratchBytes(params.rows, params.depth)))) {
    params.rows /= 2;
  }
  const int values = writer->AddConstant(std::move(filter.filter));
  const int stage = writer->AddConstant(std::move(filter.stage));
  const int scratch = writer->AddScratch(
      static_cast<int64_t>(ConvScratchBytes(params.rows, params.depth)));
  writer->AddNode(kConv, {x, values, stage, y, scratch}, params);
}

namespace {

// The channels whose lines VTCM has room for; all of them if it has none.
int32_t TileOf(DepthwiseParams params, const GraphWriter& writer) {
  const auto all = static_cast<int32_t>(AlignUp(params.channels, 128));
  for (params.tile = all; params.tile > 0; params.tile -= 128) {
    const auto bytes = static_cast<int64_t>(DepthwiseScratch(params).bytes());
    if (writer.FitsVtcm(bytes)) return params.tile;
  }
  return all;
}

}  // namespace

void AddDepthwise(int x, int y, DepthwiseParams params, PackedFilter filter,
                  GraphWriter* writer) {
  params.passes = filter.passes;
  params.tile = TileOf(params, *writer);
  params.has_left_shifts = filter.has_left_shifts ? 1 : 0;
  const int values = writer->AddConstant(std::move(filter.filter));
  const int stage = writer->AddConstant(std::move(filter.stage));
  const int scratch = writer->AddScratch(
      static_cast<int64_t>(DepthwiseScratch(params).bytes()));
  writer->AddNode(kDepthwise, {x, values, stage, y, scratch}, params);
}

}  // namespace mace::hexagon
