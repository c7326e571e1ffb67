#!/bin/bash
# From a fresh Debian 12 or 13 to an answer: sets up, converts the bundled digits model, runs it on a picture;
# or the bundled language model, which writes sentences.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'TXT'
usage: tools/demo.sh [--format tf|onnx|tflite] [DIGIT]
       tools/demo.sh --text [PROMPT]

  --text    continue PROMPT (default: In the beginning) with the language model of models/verses
  DIGIT     which of the ten pictures in models/digits/images, 0 to 9 (default 7)
  --format  the file that the model is converted from (default onnx)
TXT
}

format=onnx
digit=7
text=
prompt=
while (($#)); do
  case $1 in
    --format) format=${2:-}; shift ;;
    --format=*) format=${1#--format=} ;;
    --text) text=yes ;;
    [0-9]) digit=$1 ;;
    -h | --help) usage; exit 0 ;;
    *) if [[ $text && ! $prompt && $1 != -* ]]; then
         prompt=$1
         shift
         continue
       fi
       echo "demo: '$1' is not an option and not a digit" >&2; usage >&2; exit 2 ;;
  esac
  shift || true
done
config=models/digits/digits_$format.yml
picture=models/digits/images/$digit.png

cd "$(dirname "$0")/.."
if [[ ! -f $config ]]; then
  echo "demo: --format takes tf, onnx or tflite, not '$format'" >&2
  exit 2
fi

step() { printf '\n== %s\n' "$*"; }

step "setting up"
tools/setup.sh --for run
python=${MACE_CACHE:-$HOME/.cache/mace}/venv/bin/python

if [[ $text ]]; then
  config=models/verses/verses.yml
  prompt=${prompt:-In the beginning}
  step "converting: tools/converter.py convert --config=$config"
  "$python" tools/converter.py convert --config="$config"
  step "writing: tools/converter.py generate --config=$config --prompt='$prompt' --max_new_tokens=120"
  "$python" tools/converter.py generate --config="$config" --prompt="$prompt" --max_new_tokens=120
  exit 0
fi

step "converting: tools/converter.py convert --config=$config"
"$python" tools/converter.py convert --config="$config"

step "running: tools/converter.py run --config=$config --input=$picture"
result=$(mktemp --suffix=.json)
trap 'rm -f "$result"' EXIT
"$python" tools/converter.py run --config="$config" --input="$picture" --round=100 --json="$result"

step "where the time goes: tools/converter.py benchmark --config=$config --input=$picture"
"$python" tools/converter.py benchmark --config="$config" --input="$picture"

step "the picture and its answer"
"$python" models/digits/show.py "$picture" "$result" --expected="$digit"
