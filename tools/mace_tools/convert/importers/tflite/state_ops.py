"""READ_VARIABLE and ASSIGN_VARIABLE, whose handles the reader has replaced by variables.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tf_shared import assign
from mace_tools.convert.importers.tflite import registry

registry.op("ASSIGN_VARIABLE")(assign)


@registry.op("READ_VARIABLE")
def read_variable(b: Builder, n: SourceNode) -> str:
    return n.inputs[0]
