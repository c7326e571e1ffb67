"""The Python package's tokenizers and generators: the bundled decoder, beside a plain loop of runs.

SPDX-License-Identifier: Apache-2.0
"""

import threading

import numpy as np
import pytest

pytestmark = pytest.mark.full
PROMPT = "And it came to pass"


@pytest.fixture
def verses(models):
    """The files of the model and its tokenizer."""
    return models["verses"], models["verses"].with_suffix(".tokenizer")


@pytest.fixture
def tokenizer(mace, verses):
    with mace.Tokenizer(verses[1]) as tokenizer:
        yield tokenizer


@pytest.fixture
def generator(mace, verses):
    with mace.Generator(*verses) as generator:
        yield generator


def greedy(mace, graph, ids, count):
    """The next tokens, each of a run of an engine that has seen all tokens before it at once."""
    found = list(ids)
    with mace.Engine(graph) as engine:
        for _ in range(count):
            engine.reset_state()
            run = engine.run({"input_ids": np.array([found], np.int64),
                              "logits_at": np.array([-1], np.int64)})
            found.append(int(run["logits"][0, 0].argmax()))
    return found[len(ids):]


def test_tokens_and_texts(tokenizer):
    ids = tokenizer.encode(PROMPT)
    assert tokenizer.decode(ids) == PROMPT and tokenizer.bos == tokenizer.eos == 0
    assert max(ids) < tokenizer.vocab_size == 1024
    assert tokenizer.decode([0], skip_special_tokens=False) == "<|endoftext|>"
    assert tokenizer.encode("<|endoftext|>", add_special_tokens=False) == [0]
    assert len(tokenizer.encode("<|endoftext|>", add_special_tokens=False,
                                parse_special_tokens=False)) > 1
    assert tokenizer.find_token("<|endoftext|>") == 0 and tokenizer.find_token("none") == -1
    assert tokenizer.property("top_k") == "40" and tokenizer.property("none") == ""
    assert tokenizer.encode("") == [i for i in ids[:1] if i == 0]
    assert tokenizer.encode("a\0b") and tokenizer.decode([]) == ""


def test_streams_give_whole_characters(mace, tokenizer):
    stream, text = mace.TokenStream(tokenizer), "é – ö"
    parts = [stream.add(i) for i in tokenizer.encode(text)]
    assert "".join(parts) + stream.finish() == text and "" in parts


def test_wrong_tokens_are_refused(mace, tokenizer, tmp_path):
    for ids in ([1024], [-1], ["a"], [2**40], 5):
        with pytest.raises(mace.InvalidArgumentError):
            tokenizer.decode(ids)
    with pytest.raises(mace.InvalidModelError):
        mace.Tokenizer.from_bytes(b"MACETOKN")
    with pytest.raises(mace.InvalidArgumentError):
        mace.Tokenizer(tmp_path / "none")
    tokenizer.close()
    with pytest.raises(mace.ClosedError):
        tokenizer.encode("a")


def test_a_tokenizer_in_memory(mace, verses, tokenizer):
    same = mace.Tokenizer.from_bytes(verses[1].read_bytes())
    assert same.encode(PROMPT) == tokenizer.encode(PROMPT)


def test_greedy_tokens_are_those_of_whole_runs(mace, verses, tokenizer, generator):
    parts = []
    made = generator.generate(PROMPT, max_new_tokens=24, on_text=parts.append)
    assert made.tokens == greedy(mace, verses[0], tokenizer.encode(PROMPT), 24)
    assert "".join(parts) == made.text == tokenizer.decode(made.tokens)
    assert made.finish_reason is mace.FinishReason.LENGTH
    assert made.stats.new_tokens == 24 and made.stats.prompt_tokens_per_second > 0
    assert made.stats.memory_bytes > 0 and generator.context_length == 512
    assert generator.tokens == tokenizer.encode(PROMPT) + made.tokens[:-1]


def test_a_longer_prompt_goes_on(mace, verses, generator):
    first = generator.generate(PROMPT, max_new_tokens=12)
    tokens = [*generator.tokens, first.tokens[-1], 17]
    second = generator.generate(tokens, max_new_tokens=12)
    assert second.stats.reused_tokens == len(tokens) - 2
    with mace.Generator(*verses) as fresh:
        again = fresh.generate(tokens, max_new_tokens=12)
    assert again.stats.reused_tokens == 0 and again.tokens == second.tokens


def test_sampling(mace, generator):
    def text(seed, **options):
        return generator.generate(PROMPT, max_new_tokens=20, seed=seed, **options).text

    assert text(1, recommended=True) == text(1, recommended=True) != text(2, recommended=True)
    assert text(1, temperature=0.8, top_k=40, top_p=0.95) == text(1, recommended=True)
    assert text(1, temperature=1, top_k=1) == text(2) == text(3, temperature=2, min_p=1)
    assert text(1, logit_bias={12: float("-inf")}).count(",") == 0
    assert text(1, repetition_penalty=1.5) != text(1)
    assert text(1, stop=["the "]).find("the ") == -1
    with pytest.raises(mace.InvalidArgumentError, match="recommended"):
        text(1, recommended=True, top_k=3)


def test_wrong_options(mace, generator):
    for options, message in (({"temperature": -1}, "temperature is -1"), ({"top_p": 2}, "top_p"),
                             ({"heat": 1}, "no option is called heat"), ({"stop": "a"}, "write"),
                             ({"top_k": "a"}, "wrong type"), ({"logit_bias": {1024: 1}}, "1024"),
                             ({"cancellation": 3}, "cancellation"), ({"seed": -1}, "wrong type")):
        with pytest.raises(mace.InvalidArgumentError, match=message):
            generator.generate(PROMPT, **options)
    with pytest.raises(mace.InvalidArgumentError, match="KV cache holds 512"):
        generator.generate([5] * 513)
    with pytest.raises(mace.InvalidArgumentError, match="zero character"):
        generator.generate("a\0b")
    with pytest.raises(mace.InvalidArgumentError, match="chat template"):
        generator.chat([{"role": "user", "content": "Hello"}])
    with pytest.raises(mace.InvalidArgumentError, match="messages"):
        generator.chat(["Hello"])


def test_what_the_callback_raises_comes_through(generator):
    def fail(_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        generator.generate(PROMPT, on_text=fail)
    calls = []
    made = generator.generate(PROMPT, on_text=lambda part: calls.append(part) or len(calls) < 3)
    assert len(calls) == 3 and made.finish_reason.name == "CALLBACK"


def test_cancellations_and_deadlines(mace, generator):
    ends = mace.Cancellation()
    threading.Timer(0.05, ends.cancel).start()
    made = generator.generate(PROMPT, max_new_tokens=10**6, ignore_stop_tokens=True,
                              cancellation=ends, on_text=lambda _: ends.cancelled or None)
    assert made.finish_reason in (mace.FinishReason.CANCELLED, mace.FinishReason.CONTEXT)
    made = generator.generate(PROMPT, cancellation=mace.Cancellation(deadline=0))
    assert made.finish_reason is mace.FinishReason.DEADLINE and made.text == ""


def test_a_saved_sequence_goes_on(mace, verses, generator, tmp_path):
    generator.generate(PROMPT, max_new_tokens=9)
    generator.save(tmp_path / "sequence")
    tokens = [*generator.tokens, 5]
    with mace.Generator(*verses) as other:
        other.restore(tmp_path / "sequence")
        assert other.tokens == generator.tokens
        made = other.generate(tokens, max_new_tokens=9)
        assert made.stats.reused_tokens == len(tokens) - 1
        other.reset()
        assert other.tokens == []
    assert made.tokens == generator.generate(tokens, max_new_tokens=9).tokens
    data = bytearray((tmp_path / "sequence").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "sequence").write_bytes(data)
    with pytest.raises(mace.InvalidModelError, match="checksum"):
        generator.restore(tmp_path / "sequence")
    with pytest.raises(mace.InvalidArgumentError):
        generator.save(tmp_path)


def test_perplexity_and_embedding(mace, verses, tokenizer, generator):
    text = "In the beginning God created the heaven and the earth."
    ids = tokenizer.encode(text)
    with mace.Engine(verses[0], outputs=["logits", "final_norm"]) as engine:
        run = engine.run({"input_ids": np.array([ids]), "logits_at": np.arange(len(ids))})
    logits = run["logits"][0, :-1].astype(np.float64)
    losses = np.log(np.exp(logits).sum(-1)) - logits[np.arange(len(ids) - 1), ids[1:]]
    assert generator.perplexity(text) == pytest.approx(np.exp(losses.mean()), rel=1e-4)
    found = generator.embed(text, "block.3/sum.1")
    assert found.dtype == np.float32 and np.linalg.norm(found) == pytest.approx(1, rel=1e-5)
    with mace.Engine(verses[0], outputs=["block.3/sum.1"]) as engine:
        run = engine.run({"input_ids": np.array([ids]), "logits_at": np.array([-1])})
    mean = run["block.3/sum.1"].reshape(len(ids), -1).mean(0)
    np.testing.assert_allclose(found, mean / np.linalg.norm(mean), rtol=1e-4, atol=1e-5)
    with pytest.raises(mace.InvalidArgumentError, match="nothing"):
        generator.embed(text, "nothing")


def test_a_model_that_is_no_language_model(mace, models, verses):
    with pytest.raises(mace.InvalidModelError, match="is no language model"):
        mace.Generator(models["digits"], verses[1])


def test_closed_generators_refuse(mace, generator):
    generator.close()
    with pytest.raises(mace.ClosedError):
        generator.generate(PROMPT)
