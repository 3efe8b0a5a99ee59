#!/bin/bash
# Plays pingpong with a Linux that has Soft-RoCE: every program × address family × direction, in one guest.
#
#   interop.sh [-t SEC] [-m MTU] [-n ITERATIONS] [-o DIR] URMA...     URMA: how to run the urma command, such as ./urma
#
# Prints a line for each: program, family, who calls whom, passed or failed; then the counters of Linux, and whether they
# are clean. -m 4200 has a path MTU of 4096. Exit status 0: all passed. What it needs: see run.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
limit=300 mtu=1500 n=100 out=
while getopts t:m:n:o: o; do case $o in
  t) limit=$OPTARG;; m) mtu=$OPTARG;; n) n=$OPTARG;; o) out=$OPTARG;;
  *) exit 2;; esac; done
shift $((OPTIND-1))
[ $# -ge 1 ] || { sed -n '2,8p' "$0" >&2; exit 2; }
kept=$out
if [ -z "$out" ]; then out=$(mktemp -d "${TMPDIR:-/tmp}/urma-interop.XXXXXX"); else mkdir -p "$out"; out=$(cd "$out" && pwd); fi
trap '[ -n "$kept" ] || rm -rf "$out"' EXIT

path=1024; [ "$mtu" -lt 4176 ] || path=4096
urma=$(printf '%q ' "$@")
port=19000 guest= host=
# step PROGRAM FAMILY CALLER: one line for each side; a TCP port of its own, so that who comes late meets nobody else
step() {
  local program=$1 family=$2 caller=$3 size=5000 our=10.77.0.1 gid='$GID4' kind=--rc linux more="-m $path -c"
  [ "$family" = IPv4 ] || { our=fd77::1; gid='$GID6'; }
  [ "$program" = ibv_rc_pingpong ] || { kind=--ud size=900 more=-c; }
  port=$((port+1))
  linux="$program -g $gid -n $n -s $size -p $port $more"
  local name="$program $family $caller"
  if [ "$caller" = urma ]; then
    guest+="timeout 100 $linux >/tmp/out 2>&1; r=\$?; [ \$r = 0 ] || cat /tmp/out; echo \"STEP \$r $name\"; "
    host+="timeout 90 $urma pingpong $kind -g $our -n $n -s $size -m $path -p $port 10.77.0.11 >$out/step 2>&1"
  else
    guest+="timeout 100 retry 90 $linux 10.77.0.1 >/tmp/out 2>&1; r=\$?; [ \$r = 0 ] || tail -3 /tmp/out; echo \"STEP \$r $name\"; "
    host+="timeout 90 $urma pingpong $kind -g $our -n $n -s $size -m $path -p $port >$out/step 2>&1"
  fi
  host+="; r=\$?; [ \$r = 0 ] || cat $out/step; echo \"STEP \$r $name\" >>$out/host; "
}
for program in ibv_rc_pingpong ibv_ud_pingpong; do
  for family in IPv4 IPv6; do
    for caller in urma Linux; do step "$program" "$family" "$caller"; done
  done
done
counters='/sys/class/infiniband/rxe0/ports/1/hw_counters'
guest+="for c in $counters/*; do echo \"COUNTER \${c##*/} \$(cat \$c)\"; done"

: >"$out/host"
code=0
"$here/run.sh" -t "$limit" -m "$mtu" -o "$out" -w "$out/interop.pcap" -H "$host" "$guest" >"$out/run" 2>&1 || code=$?
tr -d '\r' <"$out/output1.log" >"$out/guest" 2>/dev/null || : >"$out/guest"
passed=0 failed=0
printf '%-17s %-6s %-6s %s\n' PROGRAM FAMILY CALLER RESULT
while read -r program family caller; do
  ours=$(sed -n "s/^STEP \([0-9]*\) $program $family $caller\$/\1/p" "$out/host")
  theirs=$(sed -n "s/^STEP \([0-9]*\) $program $family $caller\$/\1/p" "$out/guest")
  if [ "$ours" = 0 ] && [ "$theirs" = 0 ]; then
    passed=$((passed+1)) result=passed
  else
    failed=$((failed+1)) result="failed: urma ${ours:-not run}, Linux ${theirs:-not run}"
  fi
  printf '%-17s %-6s %-6s %s\n' "$program" "$family" "$caller" "$result"
done <<END
$(grep -o 'STEP $r [a-z_]* IPv[46] [a-zA-Z]*' <<<"${host//\\/}" | sed 's/^STEP $r //')
END
dirty=$(awk '$1 == "COUNTER" && $3 > 0 && $2 ~ /exceeded_err|rcvd_seq_err|out_of_seq_request|send_err|link_downed/ { print $2 "=" $3 }' "$out/guest")
awk '$1 == "COUNTER" && $3 > 0 && $2 != "lifespan" { printf "%s%s=%s", s, $2, $3; s = ", " } END { print "" }' "$out/guest" |
  sed 's/^/Linux counted: /'
echo "counters: ${dirty:-clean}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ] && [ -z "$dirty" ] && exit 0
echo "interop: run.sh ended with $code; its last words:" >&2
grep -v '^STEP\|COUNTER' "$out/run" | tail -60 >&2
exit 1
