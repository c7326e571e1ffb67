// Sequences in files: the tokens, and the states of the model after them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_SAVED_SEQUENCE_H_
#define MACE_GENERATION_SAVED_SEQUENCE_H_

#include <string>

#include "mace/generation/decoder_model.h"
#include "mace/public/mace_tokenizer.h"

namespace mace::generation {

// Errors: MACE_INVALID_ARGS if the file cannot be written,
// MACE_OUT_OF_RESOURCES.
Status SaveSequence(const std::string& file, const MaceTokenizer& tokenizer,
                    const DecoderModel& decoder);
// Errors: MACE_INVALID_ARGS if the file cannot be read, MACE_INVALID_MODEL if
// it is damaged, or of another model, tokenizer or version. Then the sequence
// is as before.
Status RestoreSequence(const std::string& file, const MaceTokenizer& tokenizer,
                       DecoderModel* decoder);

}  // namespace mace::generation

#endif  // MACE_GENERATION_SAVED_SEQUENCE_H_
