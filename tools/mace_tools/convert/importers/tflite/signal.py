"""Spectra, and the audio front end of speech commands.

SPDX-License-Identifier: Apache-2.0

AudioSpectrogram and Mfcc are custom operators, whose options are those of TensorFlow's operators of
the same names.
"""

from mace_tools.convert.importers import audio, spectra
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_ints, fixed_scalar
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import READERS, TRANSFORM, registry
from mace_tools.convert.importers.tflite.custom_options import RAW

_PARTS = dict(zip(READERS, ("abs", "real", "imag")))


@registry.op(*(f"{TRANSFORM}.{r}" for r in READERS))
def spectrum(b: Builder, n: SourceNode) -> str:
    """A product with a table of the transform; the reader behind it makes real numbers of it"""
    lengths = fixed_ints(b, n.inputs[1], "length")
    if len(lengths) != 2:
        raise Unsupported(f"lengths {lengths}", "give one for each axis of the transform")
    return spectra.part(b, n.inputs[0], lengths, _PARTS[n.op.partition(".")[2]])


@registry.op("'AudioSpectrogram'")
def audio_spectrogram(b: Builder, n: SourceNode) -> str:
    """Windows of the samples, and a product with a table of the transform"""
    n.attr(RAW)  # the entries below are all of it
    return audio.spectrogram(b, n.inputs[0], int(n.attr("window_size", 0)),
                             int(n.attr("stride", 0)), bool(n.attr("magnitude_squared", False)))


@registry.op("'Mfcc'")
def mfcc(b: Builder, n: SourceNode) -> str:
    """Products with the filters of the mel scale, and with the cosine transform"""
    n.attr(RAW)
    rate = float(fixed_scalar(b, n.inputs[1], "sample rate"))
    return audio.mfcc(b, n.inputs[0], rate, audio.Mel(
        float(n.attr("lower_frequency_limit", 20.0)),
        float(n.attr("upper_frequency_limit", 4000.0)),
        int(n.attr("filterbank_channel_count", 40)), int(n.attr("dct_coefficient_count", 13))))
