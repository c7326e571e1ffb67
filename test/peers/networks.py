"""The networks on which engines are compared, with random weights and batch norm folded in.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable

from net import Net


def mobilenet_v1() -> Net:
    """Howard et al., MobileNets, arXiv 1704.04861, table 1."""
    net = Net("mobilenet_v1", 224)
    x = net.conv("input", 32, 3, 2, "relu6")
    blocks = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5,
              (1024, 2), (1024, 1)]
    for channels, stride in blocks:
        x = net.conv(net.depthwise(x, 3, stride, "relu6"), channels, 1, 1, "relu6")
    return net.finish(net.softmax(net.fc(net.mean(x), 1001)))


def mobilenet_v2() -> Net:
    """Sandler et al., MobileNetV2, arXiv 1801.04381, table 2."""
    net = Net("mobilenet_v2", 224)
    x = net.conv("input", 32, 3, 2, "relu6")
    settings = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                (6, 160, 3, 2), (6, 320, 1, 1)]
    for expand, channels, count, stride in settings:
        for i in range(count):
            y = x
            if expand > 1:
                y = net.conv(y, net.shapes[x][3] * expand, 1, 1, "relu6")
            y = net.depthwise(y, 3, stride if i == 0 else 1, "relu6")
            y = net.conv(y, channels, 1, 1, None)
            x = net.add(x, y) if net.shapes[x] == net.shapes[y] else y
    x = net.conv(x, 1280, 1, 1, "relu6")
    return net.finish(net.softmax(net.fc(net.mean(x), 1001)))


def _excite(net: Net, x: str, squeezed: int, inner: str, gate: str) -> str:
    """Squeeze-and-excitation, Hu et al., arXiv 1709.01507."""
    s = net.conv(net.mean(x, keep=True), squeezed, 1, 1, inner)
    return net.mul(x, net.conv(s, net.shapes[x][3], 1, 1, gate))


def mobilenet_v3_large() -> Net:
    """Howard et al., Searching for MobileNetV3, arXiv 1905.02244, table 1."""
    net = Net("mobilenet_v3_large", 224)
    x = net.conv("input", 16, 3, 2, "hard_swish")
    settings = [  # kernel, expanded, out, squeeze, activation, stride
        (3, 16, 16, False, "relu", 1), (3, 64, 24, False, "relu", 2),
        (3, 72, 24, False, "relu", 1), (5, 72, 40, True, "relu", 2),
        (5, 120, 40, True, "relu", 1), (5, 120, 40, True, "relu", 1),
        (3, 240, 80, False, "hard_swish", 2), (3, 200, 80, False, "hard_swish", 1),
        (3, 184, 80, False, "hard_swish", 1), (3, 184, 80, False, "hard_swish", 1),
        (3, 480, 112, True, "hard_swish", 1), (3, 672, 112, True, "hard_swish", 1),
        (5, 672, 160, True, "hard_swish", 2), (5, 960, 160, True, "hard_swish", 1),
        (5, 960, 160, True, "hard_swish", 1)]
    for k, expanded, out, squeeze, act, stride in settings:
        y = x if expanded == net.shapes[x][3] else net.conv(x, expanded, 1, 1, act)
        y = net.depthwise(y, k, stride, act)
        if squeeze:
            y = _excite(net, y, (expanded // 4 + 7) // 8 * 8, "relu", "hard_sigmoid")
        y = net.conv(y, out, 1, 1, None)
        x = net.add(x, y) if net.shapes[x] == net.shapes[y] else y
    x = net.conv(x, 960, 1, 1, "hard_swish")
    x = net.conv(net.mean(x, keep=True), 1280, 1, 1, "hard_swish")
    x = net.reshape(x, (1, 1280))
    return net.finish(net.softmax(net.fc(x, 1001)))


def squeezenet_1_1() -> Net:
    """Iandola et al., SqueezeNet, arXiv 1602.07360, version 1.1."""
    net = Net("squeezenet_1_1", 224)
    x = net.pool(net.conv("input", 64, 3, 2), "max", 3, 2)
    for i, (squeeze, expand) in enumerate(
            [(16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256),
             (64, 256)]):
        if i in (2, 4):
            x = net.pool(x, "max", 3, 2)
        s = net.conv(x, squeeze)
        x = net.concat([net.conv(s, expand), net.conv(s, expand, 3)])
    return net.finish(net.softmax(net.mean(net.conv(x, 1000))))


def shufflenet_v2() -> Net:
    """Ma et al., ShuffleNet V2, arXiv 1807.11164, table 5, 1x."""
    net = Net("shufflenet_v2", 224)
    x = net.pool(net.conv("input", 24, 3, 2), "max", 3, 2)
    for channels, count in [(116, 4), (232, 8), (464, 4)]:
        half = channels // 2
        for i in range(count):
            if i == 0:
                left = net.conv(net.depthwise(x, 3, 2, None), half)
                right = net.conv(net.depthwise(net.conv(x, half), 3, 2, None), half)
            else:
                left, right = net.split(x)
                right = net.conv(net.depthwise(net.conv(right, half), 3, 1, None), half)
            x = net.shuffle(net.concat([left, right]), 2)
    x = net.conv(x, 1024)
    return net.finish(net.softmax(net.fc(net.mean(x), 1000)))


def resnet18() -> Net:
    """He et al., Deep Residual Learning, arXiv 1512.03385, table 1."""
    net = Net("resnet18", 224)
    x = net.pool(net.conv("input", 64, 7, 2), "max", 3, 2)
    for i, channels in enumerate([64, 128, 256, 512]):
        for j in range(2):
            stride = 2 if i > 0 and j == 0 else 1
            short = net.conv(x, channels, 1, 2, None) if stride == 2 else x
            y = net.conv(net.conv(x, channels, 3, stride), channels, 3, 1, None)
            x = net.add(y, short, "relu")
    return net.finish(net.softmax(net.fc(net.mean(x), 1000)))


def resnet50(strides_first: bool = False) -> Net:
    """The same with bottlenecks; the 3x3 convolution has the stride, or the first 1x1 has it."""
    net = Net("resnet50_strides_first" if strides_first else "resnet50", 224)
    x = net.pool(net.conv("input", 64, 7, 2), "max", 3, 2)
    for i, (channels, count) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        for j in range(count):
            stride = 2 if i > 0 and j == 0 else 1
            short = net.conv(x, 4 * channels, 1, stride, None) if j == 0 else x
            first, second = (stride, 1) if strides_first else (1, stride)
            y = net.conv(net.conv(x, channels, 1, first), channels, 3, second)
            x = net.add(net.conv(y, 4 * channels, 1, 1, None), short, "relu")
    return net.finish(net.softmax(net.fc(net.mean(x), 1000)))


def inception_v3() -> Net:
    """Szegedy et al., Rethinking the Inception Architecture, arXiv 1512.00567."""
    net = Net("inception_v3", 299)
    c, cat = net.conv, net.concat
    x = c("input", 32, 3, 2, padding="VALID")
    x = c(c(x, 32, 3, padding="VALID"), 64, 3)
    x = net.pool(x, "max", 3, 2, "VALID")
    x = c(c(x, 80, padding="VALID"), 192, 3, padding="VALID")
    x = net.pool(x, "max", 3, 2, "VALID")
    for pooled in (32, 64, 64):
        x = cat([c(x, 64), c(c(x, 48), 64, 5), c(c(c(x, 64), 96, 3), 96, 3),
                 c(net.pool(x, "avg", 3, 1), pooled)])
    x = cat([c(x, 384, 3, 2, padding="VALID"),
             c(c(c(x, 64), 96, 3), 96, 3, 2, padding="VALID"),
             net.pool(x, "max", 3, 2, "VALID")])
    for m in (128, 160, 160, 192):
        x = cat([c(x, 192), c(c(c(x, m), m, (1, 7)), 192, (7, 1)),
                 c(c(c(c(c(x, m), m, (7, 1)), m, (1, 7)), m, (7, 1)), 192, (1, 7)),
                 c(net.pool(x, "avg", 3, 1), 192)])
    x = cat([c(c(x, 192), 320, 3, 2, padding="VALID"),
             c(c(c(c(x, 192), 192, (1, 7)), 192, (7, 1)), 192, 3, 2, padding="VALID"),
             net.pool(x, "max", 3, 2, "VALID")])
    for _ in range(2):
        a, b = c(x, 384), c(c(x, 448), 384, 3)
        x = cat([c(x, 320), cat([c(a, 384, (1, 3)), c(a, 384, (3, 1))]),
                 cat([c(b, 384, (1, 3)), c(b, 384, (3, 1))]),
                 c(net.pool(x, "avg", 3, 1), 192)])
    return net.finish(net.softmax(net.fc(net.mean(x), 1001)))


def efficientnet_b0() -> Net:
    """Tan and Le, EfficientNet, arXiv 1905.11946, table 1."""
    net = Net("efficientnet_b0", 224)
    x = net.conv("input", 32, 3, 2, "swish")
    settings = [(1, 3, 16, 1, 1), (6, 3, 24, 2, 2), (6, 5, 40, 2, 2), (6, 3, 80, 3, 2),
                (6, 5, 112, 3, 1), (6, 5, 192, 4, 2), (6, 3, 320, 1, 1)]
    for expand, k, channels, count, stride in settings:
        for i in range(count):
            inner = net.shapes[x][3]
            y = x if expand == 1 else net.conv(x, inner * expand, 1, 1, "swish")
            y = net.depthwise(y, k, stride if i == 0 else 1, "swish")
            y = _excite(net, y, max(1, inner // 4), "swish", "sigmoid")
            y = net.conv(y, channels, 1, 1, None)
            x = net.add(x, y) if net.shapes[x] == net.shapes[y] else y
    x = net.conv(x, 1280, 1, 1, "swish")
    return net.finish(net.softmax(net.fc(net.mean(x), 1000)))


def blazeface() -> Net:
    """Single blocks after Bazarevsky et al., BlazeFace, arXiv 1907.05047: many small layers."""
    net = Net("blazeface", 128)
    x = net.conv("input", 24, 5, 2)
    for channels, stride in [(24, 1), (28, 1), (32, 2), (36, 1), (42, 1), (48, 2), (56, 1),
                             (64, 1), (72, 1), (80, 1), (88, 1), (96, 2), (96, 1), (96, 1),
                             (96, 1), (96, 1)]:
        y = net.conv(net.depthwise(x, 3, stride, None), channels, 1, 1, None)
        short = net.pool(x, "max", 2, 2) if stride == 2 else x
        if net.shapes[short][3] < channels:
            short = net.pad_channels(short, channels)
        x = net.add(y, short, "relu")
    return net.finish(net.conv(x, 2, 1, 1, "sigmoid"), net.conv(x, 32, 1, 1, None))


NETWORKS: dict[str, Callable[[], Net]] = {f.__name__: f for f in (
    mobilenet_v1, mobilenet_v2, mobilenet_v3_large, squeezenet_1_1, shufflenet_v2, resnet18,
    resnet50, inception_v3, efficientnet_b0, blazeface)}
