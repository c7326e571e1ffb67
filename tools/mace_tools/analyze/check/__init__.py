"""What is known of a model file before anything is built: the report of `check MODEL`.

SPDX-License-Identifier: Apache-2.0

source.py looks at the source model and finds what converts, engine.py asks the engine about the
converted graph, report.py puts both together; text.py, page.py and onnx_view.py show it.
"""
