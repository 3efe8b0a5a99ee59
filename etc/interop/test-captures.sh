#!/bin/bash
# Tests which captures interop.sh keeps, with scripts in place of the guest, tcpdump and urma. The guest's commands run on this
# machine, so that the test needs neither root nor QEMU: bash etc/interop/test-captures.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
base=$(mktemp -d) work="$base/with a blank"
trap 'rm -rf "$base"' EXIT
mkdir -p "$work/interop/guest" "$work/bin" "$work/tmp"
cp "$here/interop.sh" "$here/lib.sh" "$work/interop"

fake() { cat >"$1"; chmod +x "$1"; }
fake "$work/interop/fetch.sh" <<<'#!/bin/bash'
fake "$work/interop/run.sh" <<'END'
#!/bin/bash
out= host=
while getopts t:m:o:f:H:w: o; do case $o in o) out=$OPTARG;; H) host=$OPTARG;; esac; done
shift $((OPTIND-1))
echo 'a kernel' >"$out/console1.log"; : >"$out/output1.log"
bash -c "$1" >>"$out/output1.log" 2>&1 &
RXE_VM_OUT=$out bash -c "$host"
wait
END
# fails if its arguments contain FAIL_LINUX or FAIL_URMA
fake "$work/bin/ibv_rc_pingpong" <<'END'
#!/bin/bash
echo "${0##*/} $*"
[ -z "${FAIL_LINUX-}" ] || [[ "${0##*/} $*" != *$FAIL_LINUX* ]]
END
for program in ibv_ud_pingpong verbs_onesided; do cp "$work/bin/ibv_rc_pingpong" "$work/bin/$program"; done
fake "$work/bin/urma" <<'END'
#!/bin/bash
if [ "$1" = decode ]; then echo "decoded $(cat "$2")"; exit; fi
echo "urma $*"
echo "of our card: $*" >"$URMA_UDMA_CAPTURE"
[ -z "${FAIL_URMA-}" ] || [[ "$*" != *$FAIL_URMA* ]]
END
fake "$work/bin/tcpdump" <<'END'
#!/bin/bash
while [ "$1" != -w ]; do shift; done
echo 'of the tap' >"$2"
echo 'listening on tap1' >&2
exec sleep 60
END
fake "$work/bin/retry" <<<$'#!/bin/bash\nshift; exec "$@"'
fake "$work/bin/tc" <<<'#!/bin/bash'
fake "$work/bin/cc" <<<$'#!/bin/bash\nwhile [ "$1" != -o ]; do shift; done; : >"$2"'
export PATH=$work/bin:$PATH TMPDIR=$work/tmp
unset FAIL_LINUX FAIL_URMA

passed=0 failed=0
expect() { # expect NAME COMMAND...
  local name=$1
  shift
  if "$@"; then passed=$((passed+1)); else failed=$((failed+1)); echo "FAILED: $name"; cat "$work/table"; fi
}
play() { # play [VARIABLE=VALUE]...: ignores the exit code, because without Linux' counters it is always a failure
  env "$@" "$work/interop/interop.sh" -o "$work/out" -j 'urma OneSided' urma >"$work/table" 2>&1 || true
}
kept() { find "$work/out/failed" -mindepth 1 -maxdepth 1 -type d -name "*$1" 2>/dev/null | wc -l; }
has() { grep -q -- "$2" "$1"; }

play
expect 'all pass' has "$work/table" '18 passed, 0 failed'
expect 'what passes leaves no folder' [ "$(kept '')" = 0 ]
expect 'what passes leaves no capture' [ "$(find "$work" -name '*.pcap' | wc -l)" = 0 ]

play FAIL_LINUX='ibv_ud_pingpong -g'
folder=$(find "$work/out/failed" -name '*-ibv_ud_pingpong-IPv4-1024-0-urma')
expect 'Linux fails: the row says so' has "$work/table" 'ibv_ud_pingpong .*failed: urma 0, Linux 1'
expect 'Linux fails: all four cases stay' [ "$(kept '')" = 4 ]
expect 'the table names the folder' has "$work/table" "kept: $folder"
expect 'our capture' has "$folder/ours.pcap" 'of our card: pingpong --ud'
expect 'the capture of the tap' has "$folder/linux.pcap" 'of the tap'
expect 'what our side printed' has "$folder/ours.log" 'urma pingpong --ud'
expect 'what Linux printed' has "$folder/linux.log" 'ibv_ud_pingpong -g'
expect 'the console' has "$folder/console.log" 'a kernel'
expect 'the counters' [ -f "$folder/counters" ]
expect 'the table ends with what decode says' has "$work/table" '  | decoded of the tap'
expect 'nothing else stays' [ "$(find "$work" -name '*.pcap' | wc -l)" = 8 ]

first=$folder
sleep 1 # the names of the folders contain the second
play FAIL_URMA='OneSided 10.77.0.1 1024'
folder=$(find "$work/out/failed" -name '*-verbs_onesided-IPv4-1024-3-Linux')
expect 'we fail: the row says so' has "$work/table" 'verbs_onesided .*3% .*failed: urma 1, Linux 0'
expect 'we fail: both captures' [ -f "$folder/ours.pcap" -a -f "$folder/linux.pcap" ]
expect 'an earlier run keeps its folders' [ "$(kept '')" = 8 ]

sleep 1
play FAIL_URMA=10.77.0.1
expect 'of many that fail four stay, and eight in all' [ "$(kept '')" = 8 ]
expect 'the oldest were those of the first run' [ ! -e "$first" ]

env FAIL_LINUX='ibv_rc_pingpong' "$work/interop/interop.sh" -j 'urma OneSided' urma >"$work/table" 2>&1 || true
expect 'without -o they stay, too' has "$work/table" "kept: $TMPDIR/urma-interop-failed/"
expect 'without -o nothing else stays' [ "$(find "$TMPDIR" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ]

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
