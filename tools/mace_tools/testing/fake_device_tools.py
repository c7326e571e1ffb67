"""What FakeDevices writes as adb, ssh, scp and sshpass: one program, which goes by its own name.

SPDX-License-Identifier: Apache-2.0

It reads the state of the devices, records the call, finds the rule for it, and runs the script in
the folder of the device, or moves the file.
"""

import fcntl
import json
import os
import pathlib
import re
import subprocess
import sys
import time

HOME = pathlib.Path(sys.argv[0]).absolute().parent.parent
# Paths of a device that are in its folder; scripts may have them anywhere, in quotes or not.
OWN = r"(data|sys)/|proc/(cpuinfo|meminfo|device-tree)|etc/os-release|lib/ld"
ENDED = "\n\nMACE_ENDED 0\n"


def end(code, out="", err=""):
    sys.stdout.write(out)
    sys.stderr.write(err)
    sys.stdout.flush()
    sys.exit(code)


def request(name, words, state):
    """The device's key, the verb (shell, push or pull) and its arguments."""
    if name == "adb" and words[0] == "devices":
        lines = "".join(f"{k}\t{v['state']}\n" for k, v in state.items() if v["kind"] == "phone")
        end(0, f"* daemon started successfully\nList of devices attached\n{lines}\n")
    if name == "adb":
        return words[1], words[2], words[3:]
    at = max(k for k, word in enumerate(words) if "@" in word)
    key = words[at].partition(":")[0]
    if name == "ssh":
        return key, "shell", words[-1:]
    plain = [w.removeprefix(f"{key}:") for w in words[-2:]]
    return key, "push" if at == len(words) - 1 else "pull", plain


def check(name, key, device):
    if device is None:
        end(*((1, "", f"error: device '{key}' not found\n") if name == "adb" else
              (255, "", "ssh: connect to host x port 22: No route to host\n")))
    if device["state"] != "device":
        end(1, err=f"error: device {device['state']}\n")
    if os.environ.get("SSHPASS", "") != device.get("password", os.environ.get("SSHPASS", "")):
        end(255, err=f"{key}: Permission denied (publickey,password).\n")


def action_of(device, text):
    """What the first rule that fits says, whose count goes down."""
    for rule in device["rules"]:
        if rule["times"] and re.search(rule["on"], text, re.DOTALL):
            if rule["skip"]:
                rule["skip"] -= 1
                continue
            rule["times"] -= 1
            return rule["do"]
    return ""


def move(verb, root, words, action, gone):
    source, target = (re.sub(f"^/(?={OWN})", f"{root}/", w) for w in words)
    source, target = (words[0], target) if verb == "push" else (source, words[1])
    try:
        data = pathlib.Path(source).read_bytes()
        size = len(data) // 2 if action in ("half", "disconnect midway") else len(data)
        data = bytes(size) if action == "other bytes" else data[:size]
        pathlib.Path(target).write_bytes(data)
    except OSError as e:
        end(1, err=f"error: failed to copy '{source}' to '{target}': remote {e.strerror}\n")
    end(*(gone if action == "disconnect midway" else (0, "1 file pushed\n", "")))


def shell(device, root, script, action, gone):
    script = re.sub(rf"(?<![\w./}}])/(?={OWN})", f"{root}/", script)
    if device.get("launch"):
        script = re.sub(r"exec (/\S*mace_run)", rf"exec {device['launch']} \1", script)
    environment = {**os.environ, "PATH": f"{root}/bin:{os.environ['PATH']}", "HOME": f"{root}/home"}
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False,
                          env=environment, cwd=root)
    out = done.stdout.replace(f"{root}/data", "/data")
    if action == "cut":
        end(done.returncode, out[: len(out) // 2], done.stderr)
    if action == "disconnect midway":
        end(gone[0], out[: len(out) // 2], gone[2])
    end(done.returncode, out.replace("\n", "\r\n") if device.get("crlf") else out, done.stderr)


def main():
    name, words = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
    with open(HOME / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open(HOME / "calls.jsonl", "a") as calls:
            calls.write(json.dumps([name, *words]) + "\n")
        if name != "sshpass":
            state = json.loads((HOME / "devices.json").read_text())
            key, verb, words = request(name, words, state)
            device = state.get(key)
            check(name, key, device)
            action = action_of(device, " ".join([verb, *words]))
            if action.startswith("disconnect"):
                del state[key]
            (HOME / "devices.json").write_text(json.dumps(state))
    if name == "sshpass":
        os.execv(HOME / "bin" / words[1], words[1:])
    gone = (1, "", f"error: device '{key}' not found\n") if name == "adb" else (
        255, "", "client_loop: send disconnect: Broken pipe\n")
    if action == "disconnect":
        end(*gone)
    if action == "hang":
        time.sleep(600)
    if action.startswith("fail "):
        end(gone[0], err=action.removeprefix("fail ") + "\n")
    if action.startswith("answer "):
        end(0, action.removeprefix("answer ") + ENDED)
    root = pathlib.Path(device["root"])
    if verb == "shell":
        shell(device, root, words[0], action, gone)
    move(verb, root, words, action, gone)


if __name__ == "__main__":
    main()
