#!/usr/bin/env bash
# Runs the digests of nets on other processors' models, which must print what this machine does. Debian: apt install qemu-user.
# With TARGET_TESTS="qemu-aarch64 -L ROOT PROGRAM" it also runs a test program that was built for another architecture.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$(cargo test -p nets --test nets --no-run --message-format=json 2>/dev/null |
    sed -n 's/.*"executable":"\([^"]*\/nets-[^"]*\)".*/\1/p' | tail -1)
cd nets
run() {
    "$@" digests_are_known --nocapture --test-threads=1 | grep -E 'evaluations|test result'
}
echo "this processor:" && run "$program"
for model in Nehalem Haswell; do
    echo "$model:" && run qemu-x86_64 -cpu "$model" "$program"
done
if [ -n "${TARGET_TESTS:-}" ]; then
    # shellcheck disable=SC2086
    echo "$TARGET_TESTS:" && run $TARGET_TESTS
fi
