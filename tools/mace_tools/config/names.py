"""The words that keys of a deployment file and flags of commands take as values.

SPDX-License-Identifier: Apache-2.0
"""

ABIS = ("host", "arm64", "armhf", "arm64-v8a", "armeabi-v7a", "x86_64")
CXX = ("app", "none")  # who brings the C++ library of libmace.so
WHEEL_ABIS = ("host", "arm64", "armhf")  # that have a Python package of the engine
RUNTIMES = ("cpu", "gpu", "dsp", "cpu+gpu", "cpu+dsp")
FORMATS = ("NHWC", "NCHW", "NONE", "OIHW")
# Element types by their YAML names, with the converter's names.
ELEMENTS = {"float32": "f32", "float16": "f16", "int64": "i64", "int32": "i32", "int16": "i16",
            "int8": "i8", "uint8": "u8", "bool": "bool"}  # fmt: skip
# Allowed data_type by runtime, the default first.
DATA_TYPES = {"cpu": ("fp32", "fp32_fp32", "fp16_fp32", "bf16_fp32"),
              "gpu": ("fp16_fp32", "fp32_fp32"),
              "dsp": ("uint8",), "cpu+gpu": ("fp16_fp32", "fp32_fp32", "fp32"),
              "cpu+dsp": ("uint8",)}  # fmt: skip
# The CPUs that mace_run --pack_weights accepts.
PACKED_WEIGHTS = ("host", "avx512", "avx512bf16", "avx2", "neon", "neon_fp16", "neon_bf16",
                  "scalar")
ALL_DATA_TYPES = tuple(dict.fromkeys(t for types in DATA_TYPES.values() for t in types))
