#!/usr/bin/env bash
# Looks at every page and report with a real browser: Debian's `chromium` (or $CHROMIUM), Node 20 or newer, and two packages of
# npm, which are installed below the target directory. Pictures of all pages go into the folder that is named, or into a new one.
#   page/tests/browser/run.sh [FOLDER]
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../../.." && pwd)"
browser="${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}"
if [ -z "$browser" ]; then
    echo "no browser: install chromium, or name one in CHROMIUM" >&2
    exit 2
fi
pictures="${1:-$(mktemp -d)}"
mkdir -p "$pictures"
(cd "$root" && cargo build --quiet)
target="${CARGO_TARGET_DIR:-$root/target}"
mkdir -p "$target/browser"
cp -r "$here/." "$target/browser"
(cd "$target/browser" && npm ci --silent --no-audit --no-fund)
exec node "$target/browser/checks.mjs" "$target/debug/redqueen" "$browser" "$(cd "$pictures" && pwd)"
