"""The layers of mace/ hold, and the check notices each way of breaking them.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from lint import layers
from lint.tree import ROOT, files


def test_the_tree_keeps_its_layers():
    found = layers.violations(ROOT)
    assert not found, "\n".join(found)


def test_the_check_sees_the_tree():
    """A wrong root would find no violation either."""
    sources = [p for p in files(ROOT, ".cc") if p.parts[0] == "mace"]
    assert len(sources) > 10


def test_the_table_has_no_cycle():
    """Each folder can be removed once all that include it are gone."""
    left = {k: set(v) for k, v in layers.LAYERS.items()}
    while left:
        free = [k for k in left if not any(k in uses for uses in left.values())]
        assert free, f"cycle among {sorted(left)}"
        for k in free:
            del left[k]


BROKEN = [
    ("mace/graph/a.h", '"mace/ops/softmax.h"'),
    ("mace/graph/a.h", '"mace/proto/mace.pb.h"'),
    ("mace/memory/a.cc", '"mace/graph/graph.h"'),
    ("mace/model/a.cc", '"mace/device/device.h"'),
    ("mace/ops/a.cc", '"mace/cpu/simd/simd.h"'),
    ("mace/device/a.h", '"mace/ops/softmax.h"'),
    ("mace/cpu/ops/a.cc", '"mace/opencl/image.h"'),
    ("mace/cpu/ops/a.cc", '"mace/memory/planner.h"'),
    ("mace/opencl/ops/a.cc", '"mace/cpu/simd/simd.h"'),
    ("mace/plan/a.cc", '"mace/cpu/cpu_device.h"'),
    ("mace/plan/stages/place_test.cc", '"mace/cpu/cpu_device.h"'),
    ("mace/runtime/engine.cc", '"mace/cpu/cpu_device.h"'),
    ("mace/runtime/engine.cc", '"mace/proto/mace.pb.h"'),
    ("mace/model/model.cc", '"mace/proto/mace.pb.h"'),
    ("mace/runtime/engine.cc", '"mace/proto/messages.h"'),
    ("mace/model/a.cc", "<google/protobuf/message_lite.h>"),
    ("mace/public/mace.h", '"mace/base/status.h"'),
    ("mace/public/mace.h", "<unistd.h>"),
    ("mace/public/mace.h", "<stdint.h>"),
    ("mace/public/mace_c.h", "<unistd.h>"),
    ("mace/capi/engine.cc", '"mace/base/status.h"'),
    ("mace/capi/engine.cc", '"mace/runtime/engine.h"'),
    ("mace/runtime/engine.cc", '"mace/capi/objects.h"'),
    ("mace/base/a.h", '"mace/graph/graph.h"'),
    ("mace/ops/a.cc", '"mace/testing/check_op.h"'),
    ("mace/ops/a.cc", "<gtest/gtest.h>"),
    ("mace/ops/a.cc", '"softmax.h"'),
    ("mace/runtime/a.cc", "<xxhash.h>"),
    ("mace/plan/a.cc", "<google/protobuf/message_lite.h>"),
    ("mace/examples/example.cc", '"mace/runtime/engine.h"'),
    ("mace/cpu/ukernels/gemm/k.cc", "<vector>"),
    ("mace/cpu/ukernels/gemm/k.cc", '"mace/base/status.h"'),
    ("mace/cpu/ukernels/gemm/k.cc", '"mace/cpu/ukernels/dwconv/dwconv.h"'),
    ("mace/helpers/a.h", '"mace/base/status.h"'),
    ("mace/memory/problem/a.cc", '"mace/memory/offsets/search.h"'),
    ("mace/memory/offsets/a.cc", '"mace/memory/objects/objects.h"'),
    ("mace/memory/offsets/a.cc", '"mace/memory/planners.h"'),
    ("mace/memory/planners.cc", '"mace/memory/testing/compat/arena.h"'),
    ("mace/plan/passes/a.cc", '"mace/plan/stages/infer.h"'),
    ("mace/plan/passes/a.cc", '"mace/plan/make_plan.h"'),
    ("mace/runtime/a.cc", '"mace/plan/min_cut/min_cut.h"'),
    ("mace/runtime/executor/a.cc", '"mace/runtime/engine.h"'),
    ("mace/runtime/model/a.cc", '"mace/runtime/executor/executor.h"'),
    ("mace/memory/attic/a.cc", '"mace/memory/problem/problem.h"'),
    ("mace/hexagon/device/a.cc", '"mace/hexagon/dsp_program/emulator/emulator.h"'),
    ("mace/hexagon/dsp_program/hvx/a.cc", '"mace/hexagon/dsp_program/executor/graph.h"'),
    ("mace/runtime/devices/devices.cc", '"mace/hexagon/dsp_program/executor/graph.h"'),
    ("mace/runtime/devices/devices.cc", '"mace/hexagon/session/session.h"'),
    ("mace/plan/a.cc", '"mace/memory/offsets/greedy.h"'),
    ("mace/plan/a.cc", '"mace/memory/testing/compat/arena.h"'),
]
ALLOWED = [
    ("mace/public/mace_c.h", "<stdint.h>"),
    ("mace/capi/engine.cc", '"mace/public/mace.h"'),
    ("mace/capi/engine.cc", '"mace/capi/objects.h"'),
    ("mace/graph/a.h", '"mace/base/status.h"'),
    ("mace/model/a.cc", '"mace/proto/messages.h"'),
    ("mace/model/a_test.cc", '"mace/proto/mace.pb.h"'),
    ("mace/proto/testing/judge.cc", "<google/protobuf/message_lite.h>"),
    ("mace/testing/model_builder.h", '"mace/proto/mace.pb.h"'),
    ("mace/cpu/ops/a.cc", '"mace/ops/softmax.h"'),
    ("mace/runtime/devices/devices.cc", '"mace/cpu/cpu_device.h"'),
    ("mace/ops/a_test.cc", '"mace/testing/check_op.h"'),
    ("mace/ops/a_test.cc", "<gtest/gtest.h>"),
    ("mace/testing/check_op.cc", '"mace/cpu/cpu_device.h"'),
    ("mace/examples/example.cc", '"mace/public/mace.h"'),
    ("mace/cpu/ukernels/gemm/k.cc", '"mace/cpu/ukernels/gemm/gemm.h"'),
    ("mace/cpu/ukernels/simd__avx2.cc", '"mace/cpu/ukernels/row/row_f32_loop.h"'),
    ("mace/cpu/ukernels/gemm/k.cc", "<immintrin.h>"),
    ("mace/cpu/ukernels/gemm/gemm_test.cc", "<vector>"),
    ("mace/memory/planners.cc", '"mace/memory/objects/objects.h"'),
    ("mace/hexagon/dsp_program/main/a.cc", '"mace/hexagon/dsp_program/executor/graph.h"'),
    ("mace/runtime/devices/devices.cc", '"mace/hexagon/dsp_program/emulator/emulator.h"'),
    ("mace/memory/testing/compat/a.cc", '"mace/memory/offsets/arena.h"'),
    ("mace/memory/testing/compat/a.cc", "<gtest/gtest.h>"),
    ("mace/plan/stages/a.cc", '"mace/plan/passes/fuse_nodes.h"'),
    ("mace/runtime/a.cc", '"mace/plan/types/plan.h"'),
    ("mace/runtime/engine.cc", '"mace/runtime/executor/executor.h"'),
    ("mace/memory/offsets/a_test.cc", '"mace/memory/planners.h"'),
    ("mace/memory/testing/a.h", '"mace/memory/problem/problem.h"'),
    ("mace/plan/a.cc", '"mace/memory/problem/problem.h"'),
    ("mace/plan/a.cc", '"mace/memory/planners.h"'),
]


def write(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize(("path", "header"), BROKEN)
def test_a_broken_layer_is_found(tmp_path, path, header):
    write(tmp_path, path, f"// A file.\n#include {header}\n")
    found = layers.violations(tmp_path)
    assert len(found) == 1
    assert found[0].startswith(f"{path}:2: includes {header[1:-1]}: ")


@pytest.mark.parametrize(("path", "header"), ALLOWED)
def test_what_the_table_allows_is_silent(tmp_path, path, header):
    write(tmp_path, path, f"// A file.\n#include {header}\n")
    assert layers.violations(tmp_path) == []


def test_feature_switches_stand_in_one_file(tmp_path):
    text = "// A file.\n#ifdef MACE_ENABLE_OPENCL\n#endif\n"
    write(tmp_path, "mace/runtime/engine.cc", text)
    write(tmp_path, "mace/runtime/devices/devices.cc", text)
    assert [v.split(":")[0] for v in layers.violations(tmp_path)] == ["mace/runtime/engine.cc"]
