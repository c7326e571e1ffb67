// Models: loaded from files, memory or streams, and verified.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_C_MODEL_H_
#define MACE_PUBLIC_MACE_C_MODEL_H_

#include "mace/public/mace_c_status.h"
#include "mace/public/mace_c_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// A verified model in memory. It is immutable, so any number of threads may use
// it at once, and any number of engines. An engine holds what it needs of its
// model: an app may destroy the model when it creates no further engines.
typedef struct mace_model mace_model_t;

// How a model is loaded. All functions take null for the defaults.
typedef struct mace_model_options mace_model_options_t;

// Stores the defaults in `*options`. Threads: any.
MACE_API mace_status_t
mace_model_options_create(mace_model_options_t** options);

// Null does nothing. Threads: any, once no other call uses `options`.
MACE_API void mace_model_options_destroy(mace_model_options_t* options);

// Sets whether to read all weights once and compare their checksum; the default
// is true. Otherwise the system reads weights when they are first used.
// Everything else is always verified. Threads: one at a time for `options`.
MACE_API mace_status_t mace_model_options_set_verify_checksum(
    mace_model_options_t* options, bool verify);

// Sets whether mace_model_load reads the weights into memory of the process
// instead of mapping them; the default is false. Other functions ignore it. If
// true, the model and its engines stay right when the file is changed, cut
// short or removed. Otherwise a file that is cut short while they live ends the
// process (SIGBUS); replace the file by renaming a new one over it, which is
// safe. Threads: one at a time for `options`.
MACE_API mace_status_t mace_model_options_set_into_memory(
    mace_model_options_t* options, bool into_memory);

// Reads the graph in `graph_file` and maps the weights in `data_file` (null if
// the model has none). Stores the model in `*model`, or null on an error.
// Errors: MACE_INVALID_ARGS if a file cannot be read, if the weights are
// missing, if the two files are swapped, and for an encrypted model;
// MACE_INVALID_MODEL if the files do not hold a valid model; MACE_UNSUPPORTED
// for a setting of the file that this library does not know and on which
// results depend; MACE_OUT_OF_RESOURCES. Threads: any.
MACE_API mace_status_t mace_model_load(const char* graph_file,
                                       const char* data_file,
                                       const mace_model_options_t* options,
                                       mace_model_t** model);

// Loads a model from the app's memory. The graph is not read any more when the
// call returns. The weights (`data`, null if there are none) are used in place
// and must stay until they are released; weights that do not start at a 64-byte
// boundary are copied and released at once.
//
// `release` (may be null) is called once with `release_user` when `data` is not
// used any more: before this call returns if it fails or copies, otherwise when
// the model and all of its engines are destroyed, by the thread that destroys
// the last of them. `release` must not call functions of MACE. Without
// `release`, `data` must stay until then.
// Errors: as mace_model_load. Threads: any.
MACE_API mace_status_t mace_model_load_memory(
    const void* graph, size_t graph_bytes, const void* data, size_t data_bytes,
    void (*release)(void* release_user), void* release_user,
    const mace_model_options_t* options, mace_model_t** model);

// Loads a graph from the app's memory, which is not read any more when the call
// returns, and maps the weights in `data_file` (null if the model has none).
// Errors: as mace_model_load. Threads: any.
MACE_API mace_status_t mace_model_load_memory_and_file(
    const void* graph, size_t graph_bytes, const char* data_file,
    const mace_model_options_t* options, mace_model_t** model);

// A stream of the app, from an asset or an archive, decrypted or decompressed
// on the way: writes at most `bytes` bytes to `buffer` and returns their
// number: 0 at the end of the stream, a negative number if the app cannot go
// on. Is called once more when all bytes were read, and must then return 0.
// `user` is what the app gave with the function.
typedef int64_t (*mace_read_t)(void* user, void* buffer, size_t bytes);

// Reads both streams to their ends into memory of the model, in the thread of
// the caller and before the call returns. `graph_bytes` and `data_bytes` are
// what the streams give in all; `read_data` is null if the model has no
// weights. Errors: as mace_model_load, MACE_INVALID_ARGS if a stream fails,
// ends early or holds more, MACE_OUT_OF_RESOURCES. Threads: any.
MACE_API mace_status_t mace_model_load_streams(
    mace_read_t read_graph, void* graph_user, size_t graph_bytes,
    mace_read_t read_data, void* data_user, size_t data_bytes,
    const mace_model_options_t* options, mace_model_t** model);

// Writes the 32 bytes of a key to `key` and returns 0, or returns another
// number if the app has none. `key_name` is the name of the key with which the
// model was encrypted, "" without a name; valid during the call. The bytes at
// `key` are overwritten before the call that loads the model returns; the app
// wipes copies of its own. `user` is what the app gave with the function.
typedef int32_t (*mace_get_key_t)(void* user, const char* key_name,
                                  uint8_t* key);

// Loads a model that `converter.py seal` encrypted, from its file or from the
// app's memory, which is not read any more when the call returns. Calls
// `get_key` at most once, in the thread of the caller: not for a file that is
// cut short or is no encrypted model. The decrypted model is in memory only,
// and only if all of it is what was encrypted. Errors: as mace_model_load,
// MACE_INVALID_MODEL for a file that is no encrypted model, was cut short, or
// has a changed content, MACE_INVALID_ARGS if `get_key` fails and for a wrong
// key or a change of the file's head that is not noticed without the key, which
// cannot be told apart, MACE_UNSUPPORTED if the library has no component
// `encryption`. Threads: any.
MACE_API mace_status_t mace_model_load_sealed(
    const char* sealed_file, mace_get_key_t get_key, void* user,
    const mace_model_options_t* options, mace_model_t** model);
MACE_API mace_status_t mace_model_load_sealed_memory(
    const void* sealed, size_t sealed_bytes, mace_get_key_t get_key, void* user,
    const mace_model_options_t* options, mace_model_t** model);

// Null does nothing. Threads: any, once no other call uses `model`.
MACE_API void mace_model_destroy(mace_model_t* model);

// Returns the name of the model; valid as long as `model`. Threads: any.
MACE_API const char* mace_model_name(const mace_model_t* model);

// Stores the inputs or the outputs that the file declares in `*infos`, which
// the caller destroys. -1 in a shape is a dimension that each run chooses, or,
// of an output, that only a run computes. Threads: any.
MACE_API mace_status_t mace_model_inputs(const mace_model_t* model,
                                         mace_tensor_infos_t** infos);
MACE_API mace_status_t mace_model_outputs(const mace_model_t* model,
                                          mace_tensor_infos_t** infos);

// Stores what the file states of dimension `axis` of the input at `index` in
// the order of mace_model_inputs: the name ("" if there is none; valid as long
// as `model`), the size (`*extent`; -1 if each run chooses it), and the largest
// size of a run (-1: no limit); if no dimension of the model is -1, a run may
// have other sizes, too. Dimensions of the same name have the same size in each
// run, also in different inputs. Errors: MACE_INVALID_ARGS for an index or an
// axis that does not exist. Threads: any.
MACE_API mace_status_t mace_model_input_dimension(const mace_model_t* model,
                                                  size_t index, size_t axis,
                                                  const char** name,
                                                  int64_t* extent,
                                                  int64_t* largest);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_MODEL_H_
