"""Spectra, and the audio front end of speech commands.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers import audio, spectra
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_ints, fixed_scalar
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import READERS, TRANSFORMS, registry

_PARTS = dict(zip(READERS, ("abs", "real", "imag")))

registry.without_meaning("element types of operands, which these have as well", "Treal",
                         "Tcomplex", ops=[f"{t}.{r}" for t in TRANSFORMS for r in READERS])


@registry.op(*(f"{t}.{r}" for t in TRANSFORMS for r in READERS))
def spectrum(b: Builder, n: SourceNode) -> str:
    """A product with a table of the transform; the reader behind it makes real numbers of it"""
    lengths = fixed_ints(b, n.inputs[1], "length")
    if len(lengths) != (2 if n.op.startswith("RFFT2D") else 1):
        raise Unsupported(f"lengths {lengths}", "give one for each axis of the transform")
    return spectra.part(b, n.inputs[0], lengths, _PARTS[n.op.partition(".")[2]])


@registry.op("AudioSpectrogram")
def audio_spectrogram(b: Builder, n: SourceNode) -> str:
    """Windows of the samples, and a product with a table of the transform"""
    return audio.spectrogram(b, n.inputs[0], n.attr("window_size"), n.attr("stride"),
                             n.attr("magnitude_squared", False))


@registry.op("Mfcc")
def mfcc(b: Builder, n: SourceNode) -> str:
    """Products with the filters of the mel scale, and with the cosine transform"""
    rate = float(fixed_scalar(b, n.inputs[1], "sample rate"))
    return audio.mfcc(b, n.inputs[0], rate, audio.Mel(
        n.attr("lower_frequency_limit", 20.0), n.attr("upper_frequency_limit", 4000.0),
        n.attr("filterbank_channel_count", 40), n.attr("dct_coefficient_count", 13)))
