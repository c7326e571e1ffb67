// Tensors by name, in the caller's memory: what a run reads and writes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_C_TENSOR_H_
#define MACE_PUBLIC_MACE_C_TENSOR_H_

#include "mace/public/mace_c_status.h"

#ifdef __cplusplus
extern "C" {
#endif

// The type of a tensor's elements, in the byte order of the machine.
typedef int32_t mace_data_type_t;
enum {
  MACE_INVALID_TYPE = 0,
  MACE_FLOAT32 = 1,
  MACE_UINT8 = 2,
  MACE_INT32 = 4,
  MACE_FLOAT16 = 5,   // IEEE 754
  MACE_BFLOAT16 = 6,  // the upper half of a float32
  MACE_INT16 = 7,
  MACE_INT8 = 8,
  MACE_BOOL = 11,  // a byte, 0 or 1
  MACE_INT64 = 12
};

// The meaning of a tensor's dimensions; NONE if only the shape is known.
typedef int32_t mace_data_format_t;
enum { MACE_FORMAT_NONE = 0, MACE_NHWC = 1, MACE_NCHW = 2 };

// Where the elements of a tensor are.
typedef int32_t mace_memory_t;
enum { MACE_HOST_MEMORY = 0, MACE_GPU_BUFFER = 1, MACE_GPU_IMAGE = 2 };

// Returns the bytes of an element, or 0 (an error) for a type that does not
// exist. Threads: any.
MACE_API size_t mace_element_bytes(mace_data_type_t data_type);

// Tensors, each with a name of its own. An app keeps one object for the inputs
// and one for the outputs, and uses them for every run: a run with the shapes
// of the one before then allocates nothing, unless the model has states or
// shapes that depend on data, or float32 is given for a quantized tensor.
// Tensors refer to the caller's memory, and never copy it.
typedef struct mace_tensors mace_tensors_t;
// A tensor of a mace_tensors_t, to which it belongs. Valid until the
// mace_tensors_t is changed, is given to a run as outputs, or is destroyed.
typedef struct mace_tensor mace_tensor_t;

// Stores an empty object in `*tensors`. Threads: any.
MACE_API mace_status_t mace_tensors_create(mace_tensors_t** tensors);

// Removes all tensors, and frees the memory that the engine allocated. The
// caller's own memory stays. Null does nothing. Threads: any, once no other
// call uses `tensors`.
MACE_API void mace_tensors_destroy(mace_tensors_t* tensors);

// Adds a tensor in host memory, or replaces the one of that name. `shape` has
// `rank` numbers (at most 32), the outermost dimension first, and is copied; it
// may be null if `rank` is 0. `data` holds the elements, dense and row-major,
// at a multiple of an element's bytes (a run checks that), and stays the
// caller's: it must be valid until the tensor is replaced, removed or
// destroyed. `bytes` is the size of the memory at `data`, and must be that of
// the shape.
//
// Null `data`, with `bytes` 0, is an output for which the engine allocates the
// memory, as for an output that is missing. That memory belongs to `tensors`
// and is used again by the next run; before a run with inputs of another shape,
// set or remove the output.
//
// Of an output whose shape depends on data (a dimension of it is -1 in the
// mace_tensor_infos_t), `shape` and `bytes` are those of the largest result.
// A run replaces the shape by that of the result, so that the output must be
// set again before the next run; memory that the engine allocated is replaced
// as needed.
// Errors: MACE_INVALID_ARGS for a null, a negative or too large shape, a type
// that does not exist, or the wrong number of bytes (the message has the right
// one); nothing is changed then. Threads: one at a time for `tensors`.
MACE_API mace_status_t mace_tensors_set(mace_tensors_t* tensors,
                                        const char* name,
                                        mace_data_type_t data_type,
                                        const int64_t* shape, size_t rank,
                                        void* data, size_t bytes);

// The same for a tensor in GPU memory, which the engine uses without a copy.
// `cl_mem` is a cl_mem of the context that mace_engine_gpu_handles returns; the
// caller keeps its reference to it. A MACE_GPU_BUFFER holds float32 elements in
// the order of host memory. A MACE_GPU_IMAGE is a 2-D image in CL_RGBA format,
// float32 or fp16, with at least W * ((C + 3) / 4) x N * H pixels in
// channel-major order. Commands that fill an input must have finished before
// mace_engine_run is called; outputs are complete when it returns.
// Errors: MACE_INVALID_ARGS for a null, a negative or too large shape, or
// another `memory`. Threads: one at a time for `tensors`.
MACE_API mace_status_t mace_tensors_set_gpu(mace_tensors_t* tensors,
                                            const char* name,
                                            mace_memory_t memory,
                                            const int64_t* shape, size_t rank,
                                            void* cl_mem);

// Removes a tensor. Errors: MACE_INVALID_ARGS if there is none of that name.
// Threads: one at a time for `tensors`.
MACE_API mace_status_t mace_tensors_remove(mace_tensors_t* tensors,
                                           const char* name);

// Returns how many tensors there are. Threads: any, while no call changes
// `tensors`.
MACE_API size_t mace_tensors_count(const mace_tensors_t* tensors);

// Returns the name of the tensor at `index` in the order of names, or null (an
// error) if `index` is not below the count. Valid until the tensor is removed
// or `tensors` is given to a run as outputs. Threads: any, while no call
// changes `tensors`.
MACE_API const char* mace_tensors_name(const mace_tensors_t* tensors,
                                       size_t index);

// Returns the tensor of that name, or null (an error) if there is none.
// Threads: any, while no call changes `tensors`.
MACE_API const mace_tensor_t* mace_tensors_find(const mace_tensors_t* tensors,
                                                const char* name);

// The elements of a tensor in host memory, or the cl_mem of a tensor in GPU
// memory; null if there is no memory yet. Threads: any, while no call changes
// the mace_tensors_t.
MACE_API void* mace_tensor_data(const mace_tensor_t* tensor);

// The bytes of the elements of its shape; 0 of a tensor in GPU memory. Threads:
// any, while no call changes the mace_tensors_t.
MACE_API size_t mace_tensor_bytes(const mace_tensor_t* tensor);

// The type of its elements. Threads: any, while no call changes the
// mace_tensors_t.
MACE_API mace_data_type_t mace_tensor_data_type(const mace_tensor_t* tensor);

// Where its elements are. Threads: any, while no call changes the
// mace_tensors_t.
MACE_API mace_memory_t mace_tensor_memory(const mace_tensor_t* tensor);

// Its dimensions, and their number in `*rank`; valid as long as the tensor.
// Null if the rank is 0. Threads: any, while no call changes the
// mace_tensors_t.
MACE_API const int64_t* mace_tensor_shape(const mace_tensor_t* tensor,
                                          size_t* rank);

// The names, types and shapes of a model's or an engine's inputs, outputs or
// states, as they were when the object was made. Immutable, so any number of
// threads may use it at once.
typedef struct mace_tensor_infos mace_tensor_infos_t;

// Null does nothing. Threads: any, once no other call uses `infos`.
MACE_API void mace_tensor_infos_destroy(mace_tensor_infos_t* infos);

// Returns how many inputs, outputs or states there are. Threads: any.
MACE_API size_t mace_tensor_infos_count(const mace_tensor_infos_t* infos);

// What is known of input, output or state number `index`; valid as long as
// `infos`. -1 in a shape is a dynamic dimension. For an index that is not below
// the count (an error): null, MACE_INVALID_TYPE and MACE_FORMAT_NONE. The shape
// is null if the rank is 0. Threads: any.
MACE_API const char* mace_tensor_infos_name(const mace_tensor_infos_t* infos,
                                            size_t index);
MACE_API mace_data_type_t
mace_tensor_infos_data_type(const mace_tensor_infos_t* infos, size_t index);
MACE_API mace_data_format_t
mace_tensor_infos_data_format(const mace_tensor_infos_t* infos, size_t index);
MACE_API const int64_t* mace_tensor_infos_shape(
    const mace_tensor_infos_t* infos, size_t index, size_t* rank);
// A value q of a quantized tensor stands for scale * (q - zero_point). The
// scale is 0 for other tensors, for a bad index, and for outputs whose shapes
// only a run computes; of a tensor with a scale for each index of an axis,
// these are those of index 0. mace_engine_run also takes MACE_FLOAT32 in host
// memory for int8, uint8 and int16 tensors with one scale, unless their shapes
// depend on data: inputs are quantized, outputs that have memory are
// dequantized. Threads: any.
MACE_API float mace_tensor_infos_scale(const mace_tensor_infos_t* infos,
                                       size_t index);
MACE_API int32_t mace_tensor_infos_zero_point(const mace_tensor_infos_t* infos,
                                              size_t index);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_TENSOR_H_
