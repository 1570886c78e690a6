#!/usr/bin/env bash
# Starts a Slurm of its own on this machine, for tests: munged, slurmctld and NODES slurmd of CPUS cores each. Needs
# Debian 12's packages munge, slurmctld, slurmd and slurm-client (Slurm 22.05); no root, systemd or database. All that
# it writes is in DIR, which is a short path: sockets below it are limited to 108 bytes.
#
#   start.sh DIR [NODES] [CPUS] [PORT]       # then: REDQUEEN_SLURM=DIR cargo test -p launch --test slurm
#
# Partition `main` pre-empts `low`, whose jobs begin anew. Node n1 listens on PORT+1, n2 on PORT+2.
set -euo pipefail
dir=$(realpath -m -- "${1:?DIR}") nodes=${2:-2} cpus=${3:-4} port=${4:-16817}
[[ ${#dir} -le 60 && ! $dir =~ [[:space:]\"\'%,] ]] || { echo "DIR is too long, or has blanks or quotes: $dir" >&2; exit 2; }
export PATH=$PATH:/usr/sbin:/sbin SLURM_CONF=$dir/slurm.conf
for program in munged slurmctld slurmd sbatch srun; do
  command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 2; }
done
host=$(uname -n) host=${host%%.*}
mkdir -p "$dir"/{run,log,state,munge,spool}
chmod 0755 "$dir" "$dir/munge"
[ -s "$dir/munge/key" ] || (umask 077; head -c 128 /dev/urandom >"$dir/munge/key")

# NoInAddrAny: loopback only. cred_expire is also how long a job waits that begins anew; below 5 s credentials expire
# unused.
cat >"$dir/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket,cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdSpoolDir=$dir/spool/%n
SlurmdPidFile=$dir/run/slurmd.%n.pid
SlurmdLogFile=$dir/log/slurmd.%n.log
SlurmdParameters=config_overrides
SwitchType=switch/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=5,sched_interval=5
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdTimeout=20
KillWait=5
MinJobAge=600
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=$cpus Boards=1 SocketsPerBoard=1 CoresPerSocket=$cpus ThreadsPerCore=1 RealMemory=1024
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE PriorityTier=10 PreemptMode=OFF
PartitionName=low Nodes=ALL MaxTime=INFINITE PriorityTier=1 PreemptMode=REQUEUE GraceTime=10
CONF
# slurmd 22.05 always loads a cgroup plugin; this one touches nothing.
printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nCgroupMountpoint=%s\n' "$dir/nocgroup" >"$dir/cgroup.conf"

wait_for() { # wait_for SECONDS COMMAND...
  local end=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || { echo "timed out: $*" >&2; return 1; }; sleep 0.2; done
}
fail() { tail -n 12 "$dir"/log/* >&2; bash "$(dirname "${BASH_SOURCE[0]}")/stop.sh" "$dir"; exit 1; }

munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/run/munged.pid" \
  --log-file="$dir/log/munged.log" --seed-file="$dir/munge/seed" || fail
slurmctld || fail
wait_for 20 bash -c 'scontrol ping | grep -q "is UP"' || fail
for ((i = 1; i <= nodes; i++)); do mkdir -p "$dir/spool/n$i"; slurmd -N "n$i" || fail; done
wait_for 30 bash -c "[ \$(sinfo -h -p main -t idle -o %D) = $nodes ]" || fail
echo "export SLURM_CONF=$dir/slurm.conf"
