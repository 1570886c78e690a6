#!/usr/bin/env bash
# Ends what start.sh started in DIR: its jobs, then its daemons by their process ids. `stop.sh -r DIR` removes DIR.
set -uo pipefail
remove=no
[ "${1:-}" = -r ] && { remove=yes; shift; }
dir=$(realpath -m -- "${1:?DIR}")
[ -e "$dir/slurm.conf" ] || { echo "no Slurm in $dir" >&2; exit 0; }
export PATH=$PATH:/usr/sbin:/sbin SLURM_CONF=$dir/slurm.conf

runs() { grep -qs "^$2 ($1) [^Z]" "/proc/$2/stat" && grep -qsaF "$dir/" "/proc/$2/environ" "/proc/$2/cmdline"; } # runs NAME PID
finish() { # finish NAME PID: TERM, then KILL after 10 s
  kill -CONT "$2" 2>/dev/null; kill -TERM "$2" 2>/dev/null
  for ((i = 0; i < 50; i++)); do runs "$1" "$2" || return 0; sleep 0.2; done
  kill -KILL "$2" 2>/dev/null
}
below() { local child; for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do echo "$child"; below "$child"; done; }

timeout 10 scancel --me 2>/dev/null
for ((i = 0; i < 50; i++)); do [ -n "$(timeout 10 squeue -h -t R,CG,S -o %A 2>/dev/null)" ] || break; sleep 0.3; done
for file in "$dir"/run/slurmd.*.pid "$dir"/run/slurmctld.pid; do
  name=$(basename "$file"); name=${name%%.*}
  pid=$(cat "$file" 2>/dev/null) && runs "$name" "$pid" && finish "$name" "$pid"
done
# Managers of steps that outlived their slurmd, with all that runs below them.
for pid in $(grep -ls '(slurmstepd)' /proc/[0-9]*/stat 2>/dev/null | cut -d/ -f3); do
  runs slurmstepd "$pid" && kill -KILL $(below "$pid") "$pid" 2>/dev/null
done
pid=$(cat "$dir/run/munged.pid" 2>/dev/null) && runs munged "$pid" && finish munged "$pid"
[ $remove = no ] || rm -rf -- "$dir"
exit 0
