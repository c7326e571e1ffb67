"""Reads deployment files and checks them against the schema; reports all problems at once.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.config.load import Deployment, load
from mace_tools.config.problems import ConfigError, Problem
from mace_tools.config.schema import (
    ALL_DATA_TYPES,
    ELEMENTS,
    PACKED_WEIGHTS,
    Library,
    Model,
    Preprocess,
    Quantize,
    Subgraph,
)

__all__ = ["ALL_DATA_TYPES", "ELEMENTS", "PACKED_WEIGHTS", "ConfigError", "Deployment", "Library",
           "Model", "Preprocess", "Problem", "Quantize", "Subgraph", "load"]  # fmt: skip
