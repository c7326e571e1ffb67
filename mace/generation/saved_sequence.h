// Sequences in files: the tokens, and the states of the model after them.
// SPDX-License-Identifier: Apache-2.0
//
// saved_sequence.cc draws the format. It is bound to the model and the
// tokenizer by their hashes, and only the rows of KV caches that hold tokens
// are stored.
#ifndef MACE_GENERATION_SAVED_SEQUENCE_H_
#define MACE_GENERATION_SAVED_SEQUENCE_H_

#include <string>

#include "mace/generation/decoder_model.h"
#include "mace/public/mace_tokenizer.h"

namespace mace::generation {

// Writes the sequence of `decoder` atomically: a reader sees the old file or
// the whole new one. Holds the file in memory meanwhile. Errors:
// MACE_INVALID_ARGS if the file cannot be written; MACE_OUT_OF_RESOURCES, also
// if the disk is full; those of MaceEngine::GetState.
Status SaveSequence(const std::string& file, const MaceTokenizer& tokenizer,
                    const DecoderModel& decoder);
// Replaces the sequence of `*decoder` by the one of a file. The file is not
// trusted: its checksum, sizes, shapes and tokens are checked. Errors:
// MACE_INVALID_ARGS if the file cannot be read; MACE_INVALID_MODEL if it is
// damaged, or of another model, tokenizer or version;
// MACE_OUT_OF_RESOURCES. After an error the sequence is as before.
Status RestoreSequence(const std::string& file, const MaceTokenizer& tokenizer,
                       DecoderModel* decoder);

}  // namespace mace::generation

#endif  // MACE_GENERATION_SAVED_SEQUENCE_H_
