"""Language models: checkpoints of decoders, which hold weights and options but no graph.

SPDX-License-Identifier: Apache-2.0

`safetensors` and `gguf` read files, `tables` the descriptions of architectures in architectures/,
and `describe` makes a Decoder of options; importers/huggingface/graph.py writes its nodes.
"""
