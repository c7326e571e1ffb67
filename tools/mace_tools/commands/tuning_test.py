"""What is measured on this machine when a deployment file asks for it.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.testing.workplace import Workplace


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    return Workplace(tmp_path, monkeypatch, capfd)


def test_a_model_for_the_gpu_is_split_and_tuned(place):
    place.edit("runtime: cpu", "runtime: gpu\n    limit_opencl_kernel_time: 1\n"
               "    opencl_queue_window_size: 4")
    place.edit("target_abis:", "target_socs: [host]\ntarget_abis:")
    place.answer(3)
    code, out, err = place.call("convert", f"--mace_run={place.mace_run}")
    assert code == 0, err
    flags, _ = place.arguments()
    opencl = place.pb.parents[1].relative_to(place.folder) / "opencl"
    tuned = opencl / "host" / f"{opencl.parent.name}_tuned_opencl_parameter.host.bin"
    wanted = {"--device=GPU", "--gpu_kernel_micros=1000", "--gpu_queue_window=4",
              f"--tuning_file={tuned}", "--dump=tuning"}
    assert wanted <= set(flags) and str(tuned) in out
    assert any(f.startswith("--tune=") for f in flags)
    assert place.call("run")[0] == 0
    assert f"--tuning_file={tuned}" in place.arguments()[0]


@pytest.mark.parametrize(("key", "budget"), [
    ("target_socs: [host]\n", "20000"), ("", "700")])
def test_a_model_for_the_cpu_is_tuned(place, key, budget):
    place.edit("target_abis:", f"{key}target_abis:")
    if not key:
        place.edit("runtime: cpu", "runtime: cpu\n    tuning_ms: 700\n    num_threads: 2")
    place.answer(3)
    code, out, err = place.call("convert", f"--mace_run={place.mace_run}")
    assert code == 0, err
    folder = place.pb.parents[1].relative_to(place.folder)
    tuned = folder / "cpu" / "host" / f"{folder.name}_tuned_cpu_parameter.host.bin"
    wanted = {f"--tune={budget}", f"--tuning_file={tuned}"}
    flags, _ = place.arguments()
    assert wanted | {"--dump=tuning"} <= set(flags) and str(tuned) in out
    assert ("--num_threads=2" in flags) == (not key)
    assert place.call("run")[0] == 0
    assert wanted <= set(place.arguments()[0])


def test_a_model_is_tuned_only_if_asked(place):
    place.edit("target_abis:", "target_socs: [host]\ntarget_abis:")
    place.edit("runtime: cpu", "runtime: cpu\n    tuning_ms: 0")
    place.answer(3)
    assert place.call("run")[0] == 0
    assert not any(f.startswith("--tun") for f in place.arguments()[0])
