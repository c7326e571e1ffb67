"""Small memory plans for tests.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.analyze.plan.problem import Plan, Problem, Record, Step, Study

#  address
#  50 +---+
#     | c |            a lives in steps 0 and 1, b in 1 and 2, c in 0, d in 2
#  40 +---+---+---+
#     |   |   b   |    object 0: a, d; object 1: b; object 2: c
#  10 +---+---+---+
#     | a     | d |
#   0 +-------+---+ step
RECORDS = (Record("a", (10,), 0, 1, op="Conv2d"), Record("b", (30,), 1, 2, op="Softmax"),
           Record("c", (10,), 0, 0, op="Conv2d"), Record("d", (8,), 2, 2, 8, op="Eltwise"))
STEPS = (Step("conv", "Conv2d"), Step("prob", "Softmax"), Step("sum", "Eltwise"))
OFFSETS = Plan("offsets/GREEDY_BY_SIZE", 50, 40, "feasible", 0, 7, offsets=(0, 10, 40, 0))
OPTIMAL = Plan("offsets/AUTO", 40, 40, "optimal", 12, 90, offsets=(0, 10, 10, 0))
OBJECTS = Plan("objects/NAIVE", 50, 48, "feasible", 0, 3, object_ids=(1, 0, 2, 1),
               object_sizes=((30,), (10,), (10,)))


def problem(**changes: object) -> Problem:
    return Problem(**{"name": "tiny", "records": RECORDS, "steps": STEPS, **changes})


def study(**changes: object) -> Study:
    return Study(problem(**changes), (OFFSETS, OPTIMAL, OBJECTS), OPTIMAL)
