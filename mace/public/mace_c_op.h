// Custom operators in C: what an app tells the library about an op of its own.
// SPDX-License-Identifier: Apache-2.0
//
// An op is four functions. The library calls them in this order:
//
//   init     once for each node of the op that the outputs need, when an engine
//            is created, or its arena bytes are computed; reads the node's
//            attributes, and may make a state
//   prepare  the shape rule: types and shapes of the inputs to those of the
//            outputs; before the first invoke, and again whenever the shapes of
//            the engine's inputs changed. It may be called more than once with
//            the same shapes. An invoke always follows a prepare with the
//            shapes of that invoke
//   invoke   computes the outputs; once in each Run of the engine, in a loop
//            once in each iteration, and not in a branch that is not taken
//   free     exactly once for each call of init, also if that failed; at the
//            latest when the engine is destroyed
//
// The calls for one engine come one after the other, those for two engines may
// come at the same time. None may use the engine that it is called for, or one
// that shares memory with it. A function returns 0, or another number after it
// has written the reason to error->message: the engine's error then names the
// node and the op and has this message, and an engine that runs stays usable.
// No C++ exception may leave a function.
//
// All tensors are dense and row-major in host memory, with their dimensions in
// the order of the source model ([N,C,H,W] if that is ONNX); also if the other
// nodes run on a GPU, or in float16, to and from which the library converts.
// What the library hands to a function is valid until that function returns.
//
// docs/custom_ops.md has a whole example. mace/public/mace_op.h has the same as
// a C++ class.
#ifndef MACE_PUBLIC_MACE_C_OP_H_
#define MACE_PUBLIC_MACE_C_OP_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MACE_OP_MAX_RANK = 8, MACE_OP_MESSAGE_BYTES = 512 };

// Element types, with the numbers of mace::IDataType.
enum {
  MACE_OP_ABSENT = 0,  // of an optional input that the node does not have
  MACE_OP_FLOAT32 = 1,
  MACE_OP_UINT8 = 2,
  MACE_OP_INT32 = 4,
  MACE_OP_FLOAT16 = 5,
  MACE_OP_BFLOAT16 = 6,
  MACE_OP_INT16 = 7,
  MACE_OP_INT8 = 8,
  MACE_OP_BOOL = 11,  // one byte, 0 or 1
  MACE_OP_INT64 = 12
};

// Where a function writes why it failed: a text in UTF-8 that ends with a zero
// byte, for example with snprintf.
typedef struct mace_op_error {
  char message[MACE_OP_MESSAGE_BYTES];
} mace_op_error_t;

// The types of attributes.
enum {
  MACE_OP_INT = 1,
  MACE_OP_FLOAT = 2,
  MACE_OP_STRING = 3,  // any bytes
  MACE_OP_INTS = 4,
  MACE_OP_FLOATS = 5
};

typedef struct mace_op_attribute {
  const char* name;
  int32_t type;
  size_t count;         // of elements: 1 for INT and FLOAT, bytes of a STRING
  const int64_t* ints;  // of INT and INTS
  const float* floats;  // of FLOAT and FLOATS
  const char* bytes;    // of STRING; a zero byte follows that does not count
} mace_op_attribute_t;

// `struct_size` of this and of the arguments below is the size of the struct in
// the library. A later version may append fields.
typedef struct mace_op_init_args {
  size_t struct_size;
  const char* op;
  const char* node;  // the node's name, for messages
  int32_t num_inputs;
  int32_t num_outputs;
  size_t num_attributes;
  const mace_op_attribute_t* const* attributes;
} mace_op_init_args_t;

typedef struct mace_op_tensor {
  int32_t data_type;     // MACE_OP_ABSENT: the node does not have this input
  int32_t rank;          // 0: a scalar
  const int64_t* shape;  // outermost first
  // The elements, aligned for their type. Inputs must not be written to. In
  // prepare: of constants, null for all others. May be null if there are no
  // elements.
  void* data;
  size_t bytes;  // of all elements
} mace_op_tensor_t;

// What prepare sets of each output.
typedef struct mace_op_output {
  int32_t data_type;
  int32_t rank;  // at most MACE_OP_MAX_RANK
  int64_t shape[MACE_OP_MAX_RANK];
} mace_op_output_t;

typedef struct mace_op_prepare_args {
  size_t struct_size;
  int32_t num_inputs;
  int32_t num_outputs;
  const mace_op_tensor_t* const* inputs;
  mace_op_output_t* const* outputs;
  // Memory that invoke needs while it runs. The library plans it together with
  // its own, so that it costs nothing where another op has used the bytes
  // before. 0 unless prepare sets it.
  size_t scratch_bytes;
  // An input in whose bytes the first output may be written, if both have the
  // same number of bytes and nothing reads the input later: invoke must then
  // work although both may have the same address. -1, unless prepare sets it:
  // none.
  int32_t in_place_input;
} mace_op_prepare_args_t;

typedef struct mace_op_invoke_args {
  size_t struct_size;
  int32_t num_inputs;
  int32_t num_outputs;
  const mace_op_tensor_t* const* inputs;
  const mace_op_tensor_t* const* outputs;
  void* scratch;  // at a 64-byte boundary; null if prepare asked for none
  size_t scratch_bytes;
  int32_t num_threads;  // of the engine
  // Calls work(arg, begin, end) for pieces of [0, n), on the engine's threads,
  // and returns when all are done. Each piece but the last has a multiple of
  // `grain` numbers (0 counts as 1). `work` may be called by several threads at
  // a time; it must not call parallel_for.
  void (*parallel_for)(const struct mace_op_invoke_args* args, size_t n,
                       size_t grain,
                       void (*work)(void* arg, size_t begin, size_t end),
                       void* arg);
  void* library;  // the library's own
} mace_op_invoke_args_t;

// An op. Set all that is not needed to zero, for example with
// `mace_op_registration_t op = {0};`.
typedef struct mace_op_registration {
  size_t struct_size;  // sizeof(mace_op_registration_t)
  // As the model has it: letters, digits and any of "_.:/-". Not the name of an
  // op of the library.
  const char* name;
  // The newest version of the op that these functions implement, or 0: any. A
  // model asks for a version with the attribute `op_version`; without it for 1.
  // Creating an engine fails with MACE_UNSUPPORTED for a newer one.
  int32_t version;
  void* user;  // given to each function
  // May be null: the op has no state, and gets null for it.
  int32_t (*init)(void* user, const mace_op_init_args_t* args, void** state,
                  mace_op_error_t* error);
  int32_t (*prepare)(void* user, void* state, mace_op_prepare_args_t* args,
                     mace_op_error_t* error);
  int32_t (*invoke)(void* user, void* state, const mace_op_invoke_args_t* args,
                    mace_op_error_t* error);
  // May be null. `state` is what init stored, or null. Needs an init.
  void (*free)(void* user, void* state);
  // May be null. Called once with `user` when no resolver, config or engine
  // holds the op any more; not if registering it failed.
  void (*release)(void* user);
} mace_op_registration_t;

// Returns the attribute of that name, or null.
static inline const mace_op_attribute_t* mace_op_find_attribute(
    const mace_op_init_args_t* args, const char* name) {
  size_t i;
  for (i = 0; i < args->num_attributes; ++i) {
    if (strcmp(args->attributes[i]->name, name) == 0) {
      return args->attributes[i];
    }
  }
  return NULL;
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_OP_H_
