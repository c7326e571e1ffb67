"""What a release consists of: packages for Python, Linux, Java and Android, sources, checksums and
a bill of materials.

SPDX-License-Identifier: Apache-2.0

The same sources make the same bytes, whatever the folder, the user, the umask and the time zone.
Nothing is uploaded; docs/releasing.md says what a person does.
"""
