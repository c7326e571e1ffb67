"""The decoder of this folder in PyTorch: Llama's architecture, with its names of tensors.

SPDX-License-Identifier: Apache-2.0
"""

import math

import torch
from torch import nn
from torch.nn import functional

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": 1024,
    "hidden_size": 128,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "intermediate_size": 384,
    "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "hidden_act": "silu",
    "attention_bias": False,
    "mlp_bias": False,
    "tie_word_embeddings": True,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "torch_dtype": "bfloat16",
}
D, HEADS, KV = (int(CONFIG[k]) for k in ("hidden_size", "num_attention_heads",  # type: ignore
                                         "num_key_value_heads"))
SIZE, FFN = int(CONFIG["head_dim"]), int(CONFIG["intermediate_size"])  # type: ignore


class Norm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(D))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.rms_norm(x.float(), (D,), self.weight, float(CONFIG["rms_norm_eps"]))


def rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.q_proj = nn.Linear(D, HEADS * SIZE, bias=False)
        self.k_proj = nn.Linear(D, KV * SIZE, bias=False)
        self.v_proj = nn.Linear(D, KV * SIZE, bias=False)
        self.o_proj = nn.Linear(HEADS * SIZE, D, bias=False)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        n, s, _ = x.shape
        q = rotated(self.q_proj(x).view(n, s, HEADS, SIZE).transpose(1, 2), cos, sin)
        k = rotated(self.k_proj(x).view(n, s, KV, SIZE).transpose(1, 2), cos, sin)
        v = self.v_proj(x).view(n, s, KV, SIZE).transpose(1, 2)
        k, v = (t.repeat_interleave(HEADS // KV, 1) for t in (k, v))
        y = functional.scaled_dot_product_attention(q.to(v.dtype), k.to(v.dtype), v, is_causal=True)
        return self.o_proj(y.transpose(1, 2).reshape(n, s, HEADS * SIZE))


class FeedForward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(D, FFN, bias=False)
        self.up_proj = nn.Linear(D, FFN, bias=False)
        self.down_proj = nn.Linear(FFN, D, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = Norm(), Norm()
        self.self_attn, self.mlp = Attention(), FeedForward()

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    """Logits [n, s, words] of ids [n, s]."""

    def __init__(self) -> None:
        super().__init__()
        words, layers = int(CONFIG["vocab_size"]), int(CONFIG["num_hidden_layers"])  # type: ignore
        self.embed_tokens = nn.Embedding(words, D)
        self.layers = nn.ModuleList(Block() for _ in range(layers))
        self.norm = Norm()
        for name, p in self.named_parameters():
            if p.ndim == 2:
                last = name.endswith(("o_proj.weight", "down_proj.weight"))
                nn.init.normal_(p, 0.0, 0.02 / math.sqrt(2 * layers) if last else 0.02)
        positions = torch.arange(int(CONFIG["max_position_embeddings"]))  # type: ignore
        rates = float(CONFIG["rope_theta"]) ** (-torch.arange(0, SIZE, 2) / SIZE)  # type: ignore
        self.register_buffer("angles", positions[:, None] * rates[None], persistent=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embed_tokens(ids)
        angles = self.angles[: ids.shape[1]]
        cos, sin = angles.cos(), angles.sin()
        for layer in self.layers:
            x = layer(x, cos, sin)
        return functional.linear(self.norm(x), self.embed_tokens.weight)
