#!/usr/bin/env bash
# Runs what needs a Slurm: the tests of its commands, and an evolution that comes through all that a cluster does. Starts a cluster
# of its own and stops it. As root on Debian it installs Slurm's packages first if they are missing (some 30 MB).
#
#   launch/tests/slurm/all.sh
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH=$PATH:/usr/sbin:/sbin
if ! command -v slurmctld >/dev/null && [ "$(id -u)" = 0 ]; then
  apt-get install -y --no-install-recommends munge slurmctld slurmd slurm-client >/dev/null || exit 1
fi
cd "$here/../../.." || exit 1
status=0
for part in "4 launch slurm" "1 redqueen slurm"; do
  read -r cpus crate test <<<"$part"
  dir=$(mktemp -d /tmp/rqXXXX)
  bash "$here/start.sh" "$dir" 8 "$cpus" 27817 || exit 1
  # The program's tests share their build with the workspace's.
  if [ "$crate" = launch ]; then
    REDQUEEN_SLURM=$dir cargo test -p launch --test "$test" -- --nocapture || status=1
  else
    REDQUEEN_SLURM=$dir cargo test --workspace --test "$test" -- --nocapture --test-threads=1 a_launch an_evolution || status=1
  fi
  bash "$here/stop.sh" -r "$dir"
done
exit $status
