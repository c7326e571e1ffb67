#!/usr/bin/env python3
"""Trains the bundled decoder on the King James Bible and writes it as a Hugging Face folder.

SPDX-License-Identifier: Apache-2.0

usage (on Debian, from the repository root; Python 3.11):
  /usr/bin/python3 -m venv /tmp/train
  /tmp/train/bin/pip install -r models/verses/requirements.txt
  /tmp/train/bin/python models/verses/train.py
A run that was stopped goes on where it was (build/verses). On one idle core it takes five minutes.
"""

import argparse
import json
import math
import re
import sys
import time
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from decoder import CONFIG, Decoder
from text import fetch, split
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch.nn import functional

FOLDER = Path(__file__).resolve().parent
WORK = FOLDER.parent.parent / "build" / "verses"
SEED = 20261126
END = "<|endoftext|>"
LENGTH, BATCH = 256, 12
WARM_UP, COOL_DOWN = 0.02, 0.5  # of the steps
MATRIX_RATE, OTHER_RATE = 0.02, 4e-3
MAX_SHARD, MAX_FOLDER = 900_000, 2_000_000
REQUIRED_BITS = 1.6
EXPECTED = 3  # chapters held out that expected.json has


def make_tokenizer(texts: list[str]) -> Tokenizer:
    """Byte-level BPE with GPT-2's pattern."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=CONFIG["vocab_size"], special_tokens=[END], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def encode(tokenizer: Tokenizer, texts: list[str]) -> np.ndarray:
    """The ids of all texts, the end of text before each."""
    ids = [np.array([0, *e.ids], np.int64) for e in tokenizer.encode_batch(texts)]
    return np.concatenate(ids)


def orthogonal(g: torch.Tensor) -> torch.Tensor:
    """The nearest matrix with orthogonal rows or columns, roughly (Jordan et al. 2024, Muon)."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g.T if g.shape[0] > g.shape[1] else g
    x = x / (x.norm() + 1e-7)
    for _ in range(5):
        xx = x @ x.T
        x = a * x + (b * xx + c * xx @ xx) @ x
    return x.T if g.shape[0] > g.shape[1] else x


class Muon(torch.optim.Optimizer):
    """Momentum whose steps are orthogonal matrices."""

    def __init__(self, params: list[torch.nn.Parameter], lr: float) -> None:
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for p in group["params"]:
                moment = self.state[p].setdefault("moment", torch.zeros_like(p))
                moment.lerp_(p.grad, 0.05)
                step = orthogonal(p.grad.lerp(moment, 0.95))
                p.mul_(1 - group["lr"] * 0.1)
                p.add_(step, alpha=-group["lr"] * math.sqrt(max(1, p.shape[0] / p.shape[1])))


def loss_of(model: Decoder, ids: torch.Tensor, reduction: str = "mean") -> torch.Tensor:
    logits = model(ids[:, :-1]).float()
    return functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), reduction=reduction)


@torch.no_grad()
def bits(model: Decoder, tokenizer: Tokenizer, texts: list[str]) -> float:
    """Bits a byte: each token of a text once, with at least half a context before it, as far as
    its text has that."""
    length, total = CONFIG["max_position_embeddings"], 0.0
    for text in texts:
        ids = torch.from_numpy(encode(tokenizer, [text]))
        done = 1
        while done < len(ids):
            first = max(0, min(done - length // 2, len(ids) - length))
            window = ids[first : first + length]
            logits = model(window[None, :-1])[0].float()
            losses = functional.cross_entropy(logits, window[1:], reduction="none")
            total += float(losses[done - first - 1 :].double().sum())
            done = first + len(window)
    return total / math.log(2) / sum(len(t.encode()) for t in texts)


class Training:
    """A run that can be stopped and continued."""

    def __init__(self, steps: int) -> None:
        torch.manual_seed(SEED)
        self.steps, self.step = steps, 0
        self.model = Decoder()
        matrices = [p for p in self.model.layers.parameters() if p.ndim == 2]
        others = [p for p in self.model.parameters() if not any(p is m for m in matrices)]
        self.optimizers = [Muon(matrices, MATRIX_RATE),
                           torch.optim.Adam(others, OTHER_RATE, (0.9, 0.95), eps=1e-10)]
        self.rates = [MATRIX_RATE, OTHER_RATE]

    def save(self, path: Path) -> None:
        part = path.with_suffix(".part")
        torch.save({"step": self.step, "model": self.model.state_dict(),
                    "optimizers": [o.state_dict() for o in self.optimizers]}, part)
        part.replace(path)

    def load(self, path: Path) -> None:
        saved = torch.load(path)
        self.step = saved["step"]
        self.model.load_state_dict(saved["model"])
        for optimizer, state in zip(self.optimizers, saved["optimizers"]):
            optimizer.load_state_dict(state)

    def advance(self, ids: torch.Tensor) -> float:
        done = self.step / self.steps
        rate = min(1.0, (done + 1 / self.steps) / WARM_UP, (1 - done) / COOL_DOWN)
        for optimizer, full in zip(self.optimizers, self.rates):
            optimizer.param_groups[0]["lr"] = full * rate
            optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = loss_of(self.model, ids)
        loss.backward()
        for optimizer in self.optimizers:
            optimizer.step()
        self.step += 1
        return float(loss.detach())


def batch(ids: np.ndarray, step: int) -> torch.Tensor:
    """Stretches of the text: each epoch begins at another offset and has another order."""
    count = (len(ids) - LENGTH) // LENGTH
    epoch, index = divmod(step * BATCH, count - count % BATCH)
    rng = np.random.default_rng([SEED, epoch])
    offset = int(rng.integers(LENGTH))
    starts = rng.permutation(count)[index : index + BATCH] * LENGTH + offset
    return torch.from_numpy(np.stack([ids[s : s + LENGTH + 1] for s in starts]))


def shards(tensors: dict[str, np.ndarray]) -> list[bytes]:
    """safetensors files, in the order of the tensors, each at most MAX_SHARD long."""
    files: list[tuple[dict, bytes]] = []
    for name, bits16 in tensors.items():
        if not files or len(files[-1][1]) + bits16.nbytes > MAX_SHARD - 8192:
            files.append(({"__metadata__": {"format": "pt"}}, b""))
        header, data = files[-1]
        header[name] = {"dtype": "BF16", "shape": list(bits16.shape),
                        "data_offsets": [len(data), len(data) + bits16.nbytes]}
        files[-1] = (header, data + bits16.tobytes())
    result = []
    for header, data in files:
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        result.append(len(text).to_bytes(8, "little") + text + data)
    return result


def expected(model: Decoder, tokenizer: Tokenizer, texts: list[str], reached: float) -> dict:
    """What tests compare with: ids of some chapters held out, and their bits a byte."""
    fitting = [(t, ids) for t in texts
               if len(ids := encode(tokenizer, [t])) <= CONFIG["max_position_embeddings"]]
    chosen = sorted(fitting, key=lambda pair: -len(pair[1]))[:EXPECTED]
    return {"held_out_bits": round(reached, 4), "chapters": [
        {"bytes": len(text.encode()), "bits": round(bits(model, tokenizer, [text]), 4),
         "ids": ids.tolist()} for text, ids in chosen]}


def update_checksum(folder: Path) -> None:
    """That of verses.yml."""
    files = [folder / "config.json", *sorted(folder.glob("*.safetensors"))]
    lines = "".join(f"{sha256(f.read_bytes()).hexdigest()}  {f.name}\n" for f in files)
    path = folder / "verses.yml"
    path.write_text(re.sub(r"(model_sha256_checksum: )\w+",
                           rf"\g<1>{sha256(lines.encode()).hexdigest()}", path.read_text()))


def write(model: Decoder, tokenizer: Tokenizer, folder: Path, results: dict) -> None:
    """config.json, the shards and their index, the tokenizer, and expected.json."""
    tensors = {f"model.{name}": p.detach().to(torch.bfloat16).view(torch.int16).numpy()
               for name, p in model.named_parameters()}
    files = shards(tensors)
    index: dict[str, str] = {}
    for k, data in enumerate(files):
        name = f"model-{k + 1:05}-of-{len(files):05}.safetensors"
        (folder / name).write_bytes(data)
        length = int.from_bytes(data[:8], "little")
        index |= {t: name for t in json.loads(data[8 : 8 + length]) if t != "__metadata__"}
    documents = {
        "config.json": CONFIG,
        "model.safetensors.index.json": {
            "metadata": {"total_size": sum(t.nbytes for t in tensors.values())},
            "weight_map": index},
        "generation_config.json": {"bos_token_id": 0, "eos_token_id": 0, "do_sample": True,
                                   "temperature": 0.8, "top_k": 40, "top_p": 0.95},
        "tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast",
                                  "bos_token": END, "eos_token": END, "add_bos_token": True}}
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document, indent=1) + "\n")
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    (folder / "expected.json").write_text(json.dumps(results) + "\n")
    update_checksum(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    WORK.mkdir(parents=True, exist_ok=True)
    trained, held_out = split(fetch(WORK))
    tokenizer = make_tokenizer(trained)
    ids = encode(tokenizer, trained)
    run, state = Training(args.steps), WORK / "state.pt"
    print(f"{len(ids)} tokens, {sum(p.numel() for p in run.model.parameters())} weights")
    if state.is_file():
        run.load(state)
    start = time.time()
    while run.step < run.steps:
        loss = run.advance(batch(ids, run.step))
        if run.step % 50 == 0:
            print(f"step {run.step}: loss {loss:.3f}, {time.time() - start:.0f} s", flush=True)
        if run.step % 100 == 0:
            run.save(state)
            print(f"held out: {bits(run.model, tokenizer, held_out[:8]):.3f} bits", flush=True)
    for p in run.model.parameters():  # what is stored is what is judged
        p.data = p.data.to(torch.bfloat16).float()
    reached = bits(run.model, tokenizer, held_out)
    print(f"{reached:.4f} bits a byte of {len(held_out)} chapters held out")
    write(run.model, tokenizer, FOLDER, expected(run.model, tokenizer, held_out, reached))
    total = sum(f.stat().st_size for f in FOLDER.iterdir() if f.is_file())
    if reached > REQUIRED_BITS or total > MAX_FOLDER:
        print(f"needs {REQUIRED_BITS} bits and {MAX_FOLDER} bytes; it has {total} bytes",
              file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
