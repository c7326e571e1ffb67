// Answering the messages of one host.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/main/server.h"

namespace mace::hexagon {

Graph* Server::Find(uint32_t graph) {
  if (graph >= kMaxGraphs || !graphs[graph].in_use) return nullptr;
  return &graphs[graph];
}

DspError Server::Attach(Message* message) {
  const uint32_t bytes = message->args[2];
  if (bytes == 0 || bytes > uint32_t{1} << 30) return kBadBuffer;
  for (uint32_t i = 0; i < kMaxBuffers; ++i) {
    if (buffers[i].base != nullptr) continue;
    uint8_t* at = mapper.map(message->args[0], message->args[1], bytes);
    if (at == nullptr) return kMapFailed;
    buffers[i] = {at, bytes};
    message->args[0] = i;
    return kDspOk;
  }
  return kTooManyBuffers;
}

DspError Server::Detach(const Message& message) {
  const uint32_t i = message.args[0];
  if (i >= kMaxBuffers || buffers[i].base == nullptr) return kBadBuffer;
  for (const Graph& graph : graphs) {
    if (graph.in_use && graph.buffer == i) return kBadBuffer;
  }
  mapper.unmap(buffers[i].base, buffers[i].bytes);
  buffers[i] = {};
  return kDspOk;
}

DspError Server::Create(Message* message) {
  const uint32_t buffer = message->args[0];
  if (buffer >= kMaxBuffers || buffers[buffer].base == nullptr) {
    return kBadBuffer;
  }
  for (uint32_t i = 0; i < kMaxGraphs; ++i) {
    if (graphs[i].in_use) continue;
    const PoolMemory pools[kNumPools] = {buffers[buffer], vtcm};
    const DspError error = CreateGraph(
        pools, message->args[1], message->args[2], &graphs[i], &message->place);
    if (error != kDspOk) return error;
    graphs[i].in_use = true;
    graphs[i].buffer = buffer;
    message->args[0] = i;
    return kDspOk;
  }
  return kTooManyGraphs;
}

DspError Server::Run(Message* message) {
  Graph* graph = Find(message->args[0]);
  if (graph == nullptr) return kBadGraph;
  const uint32_t first = message->args[1], count = message->args[2];
  if (first > graph->num_nodes || count > graph->num_nodes - first) {
    return kBadNode;
  }
  const uint32_t end = count == 0 ? graph->num_nodes : first + count;
  const uint32_t before = PacketCount();
  const DspError error = RunGraph(graph, first, end);
  message->args[0] = PacketCount() - before;
  return error;
}

DspError Server::Perf(const Message& message) {
  const Graph* graph = Find(message.args[0]);
  if (graph == nullptr) return kBadGraph;
  const uint32_t offset = message.args[1];
  const PoolMemory& buffer = buffers[graph->buffer];
  const uint32_t bytes = graph->num_nodes * sizeof(PerfRecord);
  if (offset % 8 != 0 || offset > buffer.bytes ||
      bytes > buffer.bytes - offset) {
    return kBadSize;
  }
  auto* to = reinterpret_cast<PerfRecord*>(buffer.base + offset);
  for (uint32_t i = 0; i < graph->num_nodes; ++i) to[i] = graph->perf[i];
  return kDspOk;
}

DspError Server::Teardown(const Message& message) {
  Graph* graph = Find(message.args[0]);
  if (graph == nullptr) return kBadGraph;
  graph->in_use = false;
  return kDspOk;
}

DspError Server::Dispatch(Message* message) {
  switch (message->command) {
    case kHello:
      message->args[0] = kProtocolVersion;
      message->args[1] = vtcm.bytes;
      message->args[2] = kMaxGraphs;
      message->args[3] = threads;
      return kDspOk;
    case kAttach:
      return Attach(message);
    case kDetach:
      return Detach(*message);
    case kCreate:
      return Create(message);
    case kRun:
      return Run(message);
    case kPerf:
      return Perf(*message);
    case kTeardown:
      return Teardown(*message);
    case kQuit:
      return kDspOk;
    default:
      return kBadCommand;
  }
}

void Server::Answer(Message* message) {
  message->place = 0;
  if (message->magic != kMessageMagic) {
    message->error = kBadMagic;
  } else if (message->version != kProtocolVersion) {
    message->error = kBadVersion;
  } else {
    message->error = Dispatch(message);
  }
  message->magic = kMessageMagic;
  message->version = kProtocolVersion;
}

}  // namespace mace::hexagon
