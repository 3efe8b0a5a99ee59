#!/bin/bash
# Tests urma4j against a Linux guest with Soft-RoCE: messages with Linux' own pingpong programs, all other operations with
# our verbs program in the guest. Covers IPv4 and IPv6 and both directions; then repeats cases with packet loss.
#
#   interop.sh [-t SEC] [-m MTU] [-n ITERATIONS] [-j COMMAND] [-o DIR] URMA...
#     URMA: the command that runs urma, such as ./urma; -j: the command that runs OneSided, quoted for a shell, if not from
#     the tests of urma-tools in this tree; -m 1500: the MTU of Ethernet, whose path MTU is 1024, so that no case uses 4096
#
# Each case is captured at both ends. A case that passes leaves no files. A failed case leaves a folder below DIR/failed, or
# TMPDIR/urma-interop-failed without -o, with ours.pcap (our card), linux.pcap (the guest's tap), the output of both sides,
# the guest's console, Linux' counters, and the last lines of `urma decode`. At most 4 folders of a run are kept, 8 in all.
#
# Prints a line for each case: program, family, path MTU, loss rate, the side that connects or initiates, and the result.
# Then prints Linux' counters from before the loss, and whether they are clean. Exits with 0 if all cases passed. Needs the
# same tools as run.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
limit=300 mtu=4200 n=100 out= onesided=
while getopts t:m:n:j:o: o; do case $o in
  t) limit=$OPTARG;; m) mtu=$OPTARG;; n) n=$OPTARG;; j) onesided=$OPTARG;; o) out=$OPTARG;;
  *) exit 2;; esac; done
shift $((OPTIND-1))
[ $# -ge 1 ] || { sed -n '2,16p' "$0" >&2; exit 2; }
kept=$out keep=${TMPDIR:-/tmp}/urma-interop-failed
if [ -z "$out" ]; then out=$(mktemp -d "${TMPDIR:-/tmp}/urma-interop.XXXXXX"); else mkdir -p "$out"; out=$(cd "$out" && pwd) keep=$out/failed; fi
trap '[ -n "$kept" ] || rm -rf "$out"' EXIT

large=1024; [ "$mtu" -lt 4176 ] || large=4096
urma=$(printf '%q ' "$@")
port=19000 rows=() skipped=

# Prints Linux' counters after each case in one line. Starts no process, because the guest is slow.
guest='tell() { printf "COUNTERS %s:" "$1"; for c in /sys/class/infiniband/rxe0/ports/1/hw_counters/*; do v=; read -r v <$c; printf " %s=%s" ${c##*/} $v; done; echo; }; '
# The host captures each case at the guest's tap until the guest has finished it, too, and deletes the files if it passed.
# A guest that still runs a case would disturb the next one, so the host waits until the guest's own timeout has passed.
host='begin() {
  mkdir -p "$1"
  tcpdump -Z root -i tap1 $TCPDUMP_LOSSLESS -U -c 100000 -w "$1/linux.pcap" "udp port 4791" >"$1/tcpdump.log" 2>&1 & dump=$!
  for i in {1..100}; do ! grep -q "listening on" "$1/tcpdump.log" 2>/dev/null || break; sleep 0.05; done
}
finish() {
  for i in {1..1020}; do ! grep -q "^STEP [0-9]* $3" "$RXE_VM_OUT/output1.log" || break; sleep 0.1; done
  kill $dump 2>/dev/null; wait $dump
  if [ "$2" = 0 ] && grep -q "^STEP 0 $3" "$RXE_VM_OUT/output1.log"; then rm -rf "$1"; fi
}
export URMA_UDMA_CAPTURE_LIMIT=268435456
'
export TCPDUMP_LOSSLESS
named() { local name=${1//%/}; echo "${name// /-}"; }

# step "PROGRAM FAMILY MTU LOSS CALLER" GUEST HOST: adds a case: the commands of both sides, each of which prints its result
step() {
  local dir of_host # words of the host's script
  dir=$(printf %q "$out/case/$(named "$1")") of_host=$(printf %q "$out/host")
  rows+=("$1")
  guest+="timeout 100 $2 >/tmp/out 2>&1; r=\$?; [ \$r = 0 ] || tail -30 /tmp/out; tell \"$1\"; echo \"STEP \$r $1\"; "
  host+="begin $dir; URMA_UDMA_CAPTURE=$dir/ours.pcap timeout 90 $3 >$dir/ours.log 2>&1; r=\$?; "
  host+="[ \$r = 0 ] || cat $dir/ours.log; echo \"STEP \$r $1\" >>$of_host; finish $dir \$r \"$1\"; "
  port=$((port+1)) # each case has its own TCP port, so that a delayed client cannot connect to the server of the next case
}
# settings FAMILY: sets our address and Linux' GID
settings() { our=10.77.0.1 gid='$GID4'; [ "$1" = IPv4 ] || { our=fd77::1; gid='$GID6'; }; }

pingpong() { # pingpong PROGRAM FAMILY MTU CALLER
  local size=5000 kind=--rc more="-m $3 -c" linux we
  settings "$2"
  [ "$1" = ibv_rc_pingpong ] || { kind=--ud size=$(($3-124)) more=-c; }
  linux="$1 -g $gid -n $n -s $size -p $port $more"
  we="$urma pingpong $kind -g $our -n $n -s $size -m $3 -p $port"
  if [ "$4" = urma ]; then we+=" 10.77.0.11"; else linux="retry 90 $linux 10.77.0.1"; fi
  step "$1 $2 $3 0% $4" "$linux" "$we"
}
one_sided() { # one_sided FAMILY MTU LOSS CALLER
  local role=initiator initiates= patience=18
  settings "$1"
  [ "$4" = urma ] || { role=home initiates=-i; }
  [ "$3" = 0% ] || patience=14 # Linux' ACK timeout: 67 ms under loss, as in its pingpong; without loss 1 s
  step "verbs_onesided $1 $2 $3 $4" "verbs_onesided $initiates -g $gid -m $2 -t $patience -p $port 10.77.0.1" \
    "$onesided $our $2 $port $role $3"
}
counters() { guest+="for c in /sys/class/infiniband/rxe0/ports/1/hw_counters/*; do echo \"COUNTER \${c##*/} \$(cat \$c)\"; done; "; }

# our own program in the guest, and its counterpart here
"$here/fetch.sh"
if [ -z "$onesided" ]; then
  target=$(cd "$here/../../urma-tools" && pwd)/target
  . "$here/../find-jdk.sh"; find_jdk interop
  onesided=$(printf '%q ' "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -XX:TieredStopAtLevel=1 \
    -cp "$target/test-classes:$target/urma.jar" io.urma4j.tools.interop.OneSided)
  [ -f "$target/test-classes/io/urma4j/tools/interop/OneSided.class" ] && [ -f "$target/urma.jar" ] ||
    skipped='urma-tools and its tests are not built: ./build package'
fi
if ! command -v cc >/dev/null; then
  skipped='no C compiler: install gcc and libc6-dev'
elif [ -z "$skipped" ]; then
  cc -O2 -Wall -Wextra -I "$DEV/usr/include" -o "$out/verbs_onesided" "$here/guest/verbs_onesided.c" \
    "$ROOT/usr/lib/x86_64-linux-gnu/libibverbs.so.1" -Wl,--allow-shlib-undefined
fi

for program in ibv_rc_pingpong ibv_ud_pingpong; do
  for caller in urma Linux; do
    pingpong $program IPv4 1024 $caller
    pingpong $program IPv6 $large $caller
  done
done
files=()
if [ -z "$skipped" ]; then
  files=(-f "$out/verbs_onesided:/usr/bin/verbs_onesided")
  for caller in urma Linux; do
    one_sided IPv4 1024 0% $caller
    [ $large = 1024 ] || one_sided IPv4 $large 0% $caller
    one_sided IPv6 $large 0% $caller
  done
fi
counters
if [ -z "$skipped" ]; then
  guest+='tc qdisc add dev eth0 root netem loss 3% || exit 3; '
  for caller in urma Linux; do
    one_sided IPv4 1024 3% $caller
    [ $large = 1024 ] || one_sided IPv4 $large 3% $caller
  done
  guest+='tc -s qdisc show dev eth0 | sed -n "s/.*dropped \([0-9]*\).*/DROPPED \1/p"; '
fi

: >"$out/host"
rm -rf "$out/case"
code=0 began=$(date +%Y%m%d-%H%M%S)
"$here/run.sh" -t "$limit" -m "$mtu" -o "$out" "${files[@]}" -H "$host" "$guest" >"$out/run" 2>&1 || code=$?
tr -d '\r' <"$out/output1.log" >"$out/guest" 2>/dev/null || : >"$out/guest"

# keep_case ROW URMA...: moves the files of a failed case to the folder of failed cases
folders=()
keep_case() {
  local row=$1 from=$out/case/$(named "$1") to=$keep/$began-$(named "$1") end
  shift
  [ -d "$from" ] && [ ${#folders[@]} -lt 4 ] || return 0
  mkdir -p "$keep"
  mv "$from" "$to"
  folders+=("$to")
  cp "$out/guest" "$to/linux.log"
  cp "$out/console1.log" "$to/console.log" 2>/dev/null || true
  cp "$out/run" "$to/run.log"
  sed -n "s/^COUNTERS $row: //p" "$out/guest" | tr ' ' '\n' >"$to/counters"
  for end in ours linux; do
    timeout 60 "$@" decode "$to/$end.pcap" 2>&1 | tail -40 >"$to/$end.decoded" || true
  done
  find "$keep" -mindepth 1 -maxdepth 1 -type d | sort -r | tail -n +9 | while read -r old; do rm -rf "$old"; done
}
passed=0 failed=0
line='%-16s %-6s %-5s %-5s %-7s %s\n'
printf "$line" PROGRAM FAMILY MTU LOSS CALLER RESULT
for row in "${rows[@]}"; do
  ours=$(sed -n "s/^STEP \([0-9]*\) $row\$/\1/p" "$out/host")
  theirs=$(sed -n "s/^STEP \([0-9]*\) $row\$/\1/p" "$out/guest")
  if [ "$ours" = 0 ] && [ "$theirs" = 0 ]; then
    passed=$((passed+1)) result=passed
  else
    failed=$((failed+1)) result="failed: urma ${ours:-not run}, Linux ${theirs:-not run}"
    keep_case "$row" "$@"
  fi
  printf "$line" $row "$result"
done
[ -z "$skipped" ] || echo "verbs_onesided: skipped: $skipped"

# Before the lossy cases no packet was dropped, so a sequence error or an exceeded retry count is a bug. On a busy machine
# either side may retransmit a packet that was merely delayed: at most one packet in twenty.
counted=$(awk '$1 == "COUNTER" && $3 > 0 && $2 != "lifespan" { printf "%s%s=%s", s, $2, $3; s = ", " }' "$out/guest")
dirty=$(awk '
  $1 == "COUNTER" { value[$2] = $3 }
  END {
    if (value["rcvd_pkts"] + 0 == 0 || value["sent_pkts"] + 0 == 0) { print "not read"; exit }
    for (name in value) {
      if (value[name] > 0 && name ~ /exceeded_err|rcvd_seq_err|out_of_seq_request|send_err|link_downed/) print name "=" value[name]
    }
    again = value["duplicate_request"] + value["completer_retry_err"]
    if (again * 20 > value["rcvd_pkts"]) print "retransmitted: " again " of " value["rcvd_pkts"]
  }' "$out/guest")
echo "Linux counted: $counted"
sed -n 's/^DROPPED \([0-9]*\)$/then Linux dropped \1 outgoing packets/p' "$out/guest"
echo "counters: ${dirty:-clean}"
echo "$passed passed, $failed failed"
for folder in "${folders[@]}"; do
  echo "kept: $folder"
  for end in ours linux; do echo "the last of $end.pcap:"; tail -12 "$folder/$end.decoded" | sed 's/^/  | /'; done
done
rm -rf "$out/case"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ] && [ -z "$dirty" ] && exit 0
echo "interop: run.sh exited with $code; its last lines:" >&2
grep -v '^STEP\|COUNTER' "$out/run" | tail -60 >&2
exit 1
