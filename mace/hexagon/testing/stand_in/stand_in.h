// What tests ask of the stand-in for hexagon_nn: a library of ours with the
// vendor's entry points, which checks and records calls and can fail each.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_TESTING_STAND_IN_STAND_IN_H_
#define MACE_HEXAGON_TESTING_STAND_IN_STAND_IN_H_

namespace mace::hexagon::testing {

// Names of calls are those of the library, such as "hexagon_nn_prepare".
struct StandInControl {
  // As a new process finds it: no calls, faults or failures, version
  // 0x21A01. Graphs that exist stay.
  void (*reset)();
  // After `skip` more calls, `times` calls return `code`. They do nothing else,
  // except that all graphs log it, hexagon_nn_prepare keeps its lock, and
  // hexagon_nn_teardown ends the graph.
  void (*fail)(const char* call, int skip, int times, int code);
  int (*calls)(const char* call);
  int (*graphs)();  // that exist
  int (*clocks)();  // 1: set_clocks was called, and remove_clocks was not
  // Breaches of the library's rules so far, a line each; empty: none.
  const char* (*faults)();
  // The operations of the graph that was prepared last, a line each.
  const char* (*text)();
  void (*set_version)(int version);
  // Calls that reach the DSP fail with AEE_EINVHANDLE unless an unsigned
  // process domain was requested.
  void (*need_unsigned)();
  // The next execution reports one byte less of output 0 than there is.
  void (*shorten_outputs)();
};

// The symbol of a function that returns it.
constexpr char kStandInSymbol[] = "MaceStandInControl";
using StandInFunction = const StandInControl* (*)();

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_STAND_IN_STAND_IN_H_
