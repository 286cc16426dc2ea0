#!/bin/sh
# Makes the font files of all pages from the package @fontsource-variable/inter: two weights, and the letters that pages
# need. Needs Debian's python3-fonttools and python3-brotli. Inter's licence is in inter-license.txt.
set -eu
cd "$(dirname "$0")"
from=../../../node_modules/@fontsource-variable/inter
subset() {
  weights=$(mktemp)
  python3 -m fontTools.varLib.instancer "$from/files/inter-$1-wght-normal.woff2" wght=400:560 -o "$weights"
  python3 -m fontTools.subset "$weights" --unicodes="$2" --layout-features=kern,tnum --no-hinting --flavor=woff2 \
    --output-file="inter-$1.woff2"
  rm "$weights"
}
# The letters of English, German and the other languages of Western Europe.
subset latin "U+0020-007E,U+00A0,U+00A3,U+00A7,U+00A9,U+00AB,U+00B0-00B2,U+00B7,U+00BB,U+00C0-00FF,U+0152-0153,\
U+2013-2014,U+2018-201A,U+201C-201E,U+2022,U+2026,U+2039-203A,U+20AC,U+2191,U+2193,U+2212"
# Names from other countries. Browsers load this file only for a page that contains one.
subset latin-ext "U+0100-017F,U+0218-021B,U+1E9E"
cp "$from/LICENSE" inter-license.txt
