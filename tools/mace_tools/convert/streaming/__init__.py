"""Makes a network over whole sequences one that takes new frames and keeps the rest as states.

SPDX-License-Identifier: Apache-2.0

A frame is what a tensor holds for one index of its time axis. In the stream each run has the next
few frames of every tensor; what a convolution reads of earlier ones is a state:

    whole   x [1, T, C] ----------------------------> conv, padding before ---> y [1, T, O]
    stream  x [1, N, C] -> concat -> [1, L + N, C] -> conv, no padding -------> y [1, N, O]
                             ^  state, the last L frames; at first what the padding was

`Frames` is where the frames of a tensor stand, `stream` the network, and `check` compares both.
"""

from mace_tools.convert.streaming.proof import Proof, check
from mace_tools.convert.streaming.streamer import NotStreamable, Stream, stream

__all__ = ["NotStreamable", "Proof", "Stream", "check", "stream"]
