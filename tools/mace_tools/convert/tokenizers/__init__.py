"""Tokenizers of other formats as the file that the engine reads.

SPDX-License-Identifier: Apache-2.0

tokenizer_file.py has the format. hugging_face.py, sentencepiece_model.py and gguf_vocabulary.py
read tokenizer.json, models of SentencePiece and GGUF; what they do not understand they refuse by
its name.
"""
