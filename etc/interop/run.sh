#!/bin/bash
# Boots one guest per COMMAND in a separate network namespace, under QEMU's TCG. Each guest has a
# Soft-RoCE device rxe0 on its eth0, and runs its COMMAND, a shell line.
#
#   run.sh [options] COMMAND [COMMAND...]
#     -H CMD    also run CMD on the host, inside the namespace, as soon as all guests are ready
#     -s        stop the guests when the CMD of -H ends (for servers that never end)
#     -t SEC    give up after SEC seconds in all (default 300)
#     -m MTU    eth0 MTU (default 1500 -> RoCE path MTU 1024; 4200 -> 4096)
#     -w FILE   write the RoCE traffic of the first guest to FILE, a pcap (captured at its tap: on the
#               bridge, packets that the kernel segments later would still be in one piece)
#     -f SRC:DST  put host file SRC at DST in every guest (repeatable)
#     -o DIR    keep logs in DIR (default: a new folder under TMPDIR, printed)
#     -c N      virtual CPUs per guest (default 1)
#     -M MB     memory per guest (default 384)
#     -a ACCEL  QEMU accelerator (default tcg)
#
# In a guest: $GID4 and $GID6 are the GID indices of its IPv4 and IPv6 address; `retry SEC CMD`
# repeats CMD until it succeeds. Guest n is 10.77.0.(10+n) and fd77::(10+n, hex); the host side
# of the bridge is 10.77.0.1 and fd77::1.
# Exit status: the first non-zero of the guests' commands in order, then CMD's; 124 timed out;
# 125 a guest died without reporting; 201-205 a guest could not set itself up (see console log).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
hostcmd= stop= limit=300 mtu=1500 pcap= files=() out= cpus=1 mem=384 accel=tcg
while getopts H:st:m:w:f:o:c:M:a: o; do case $o in
  H) hostcmd=$OPTARG;; s) stop=1;; t) limit=$OPTARG;; m) mtu=$OPTARG;; w) pcap=$OPTARG;;
  f) files+=("$OPTARG");; o) out=$OPTARG;; c) cpus=$OPTARG;; M) mem=$OPTARG;; a) accel=$OPTARG;;
  *) exit 2;; esac; done
shift $((OPTIND-1))
[ $# -ge 1 ] || { sed -n '2,24p' "$0" >&2; exit 2; }
[ $# -le 9 ] || die "at most 9 guests"
[ "$(id -u)" = 0 ] || die "needs root (network namespace, tap devices)"
[ -c /dev/net/tun ] || die "no /dev/net/tun"
for t in qemu-system-x86_64 ip cpio zstd; do command -v $t >/dev/null || die "missing tool: $t"; done
[ -z "$pcap" ] || command -v tcpdump >/dev/null || die "missing tool: tcpdump"
"$here/fetch.sh"

ns=rxevm-$$
if [ -z "$out" ]; then out=$(mktemp -d "${TMPDIR:-/tmp}/rxe-vm.XXXXXX"); else mkdir -p "$out"; fi
qpids=() tpid= hpid=
cleanup() {
  set +e
  for p in "${qpids[@]}" $hpid; do kill "$p" 2>/dev/null; done
  if [ -n "$tpid" ]; then sleep 0.5; kill -INT "$tpid" 2>/dev/null; wait "$tpid" 2>/dev/null; fi
  wait 2>/dev/null
  ip netns del "$ns" 2>/dev/null          # deletes the bridge and the taps, too
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# The namespace: all traffic of this run stays inside it.
ip netns add "$ns"
in_ns() { ip netns exec "$ns" "$@"; }
in_ns ip link set lo up
in_ns sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0 || true
in_ns ip link add br0 type bridge
in_ns ip link set br0 mtu "$mtu" up
in_ns ip addr add $NET4.1/24 dev br0
in_ns ip -6 addr add ${NET6}1/64 dev br0 nodad
n=0
for cmd in "$@"; do
  n=$((n+1))
  in_ns ip tuntap add tap$n mode tap
  in_ns ip link set tap$n mtu "$mtu" master br0 up
done
in_ns ip link set br0 mtu "$mtu"
if [ -n "$pcap" ]; then
  ip netns exec "$ns" tcpdump -Z root -i tap1 $TCPDUMP_LOSSLESS -U -w "$pcap" 'udp port 4791' >"$out/tcpdump.log" 2>&1 &
  tpid=$!
fi

n=0
for cmd in "$@"; do
  n=$((n+1))
  over=$out/over$n; mkdir -p "$over/run"
  printf '%s\n' "$cmd" > "$over/run/cmd"
  for f in "${files[@]}"; do
    dst=$over/${f#*:}; mkdir -p "$(dirname "$dst")"; cp -p "${f%%:*}" "$dst"
  done
  # append a second archive, which must start at a multiple of four bytes
  cp "$INITRAMFS" "$out/initrd$n"
  truncate -s %4 "$out/initrd$n"
  (cd "$over" && find . | cpio --quiet -o -H newc -R 0:0) >> "$out/initrd$n"
  rm -f "$out/console$n.log" "$out/output$n.log"
  cpu=max; [ "$accel" = kvm ] && cpu=host
  # crc32c etc. need no feature; mitigations=off and no audit save emulated cycles
  ip netns exec "$ns" qemu-system-x86_64 -name rxe$n -accel "$accel" -cpu $cpu -smp "$cpus" -m "$mem" \
    -nodefaults -display none -no-reboot -monitor none \
    -kernel "$VMLINUZ" -initrd "$out/initrd$n" \
    -append "console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off audit=0 nokaslr tsc=reliable random.trust_cpu=on rxe.name=rxe$n rxe.ip4=$NET4.$((10+n))/24 rxe.ip6=${NET6}$(printf %x $((10+n)))/64 rxe.mtu=$mtu" \
    -chardev file,id=c0,path="$out/console$n.log" -serial chardev:c0 \
    -chardev file,id=c1,path="$out/output$n.log" -serial chardev:c1 \
    -netdev tap,id=n0,ifname=tap$n,script=no,downscript=no \
    -device virtio-net-pci,netdev=n0,mac=52:54:00:77:00:$(printf %02x $((10+n))),romfile= \
    -device virtio-rng-pci >"$out/qemu$n.log" 2>&1 &
  qpids+=($!)
done
total=$n
echo "rxe-vm: namespace $ns, logs $out" >&2

t0=$(date +%s)
left() { echo $((limit - $(date +%s) + t0)); }
alive() { kill -0 "$1" 2>/dev/null; }
mark() { sed -n "s/^RXEVM $2 \{0,1\}//p" "$out/console$1.log" 2>/dev/null | tr -d '\r' | tail -1; }
timedout=
for ((n=1; n<=total; n++)); do
  until grep -q '^RXEVM READY' "$out/console$n.log" 2>/dev/null || ! alive "${qpids[n-1]}"; do
    [ "$(left)" -gt 0 ] || { timedout=1; break 2; }
    sleep 0.2
  done
  echo "rxe-vm: guest $n: $(mark $n READY)" >&2
done
hrc=0
if [ -n "$hostcmd" ] && [ -z "$timedout" ]; then
  export RXE_VM_NS=$ns RXE_VM_OUT=$out
  ip netns exec "$ns" timeout -k 2 "$(left)" bash -c "$hostcmd" & hpid=$!
  wait "$hpid" || hrc=$?
  hpid=
  [ $hrc = 124 ] && timedout=1
fi
if [ -z "$stop" ]; then
  for ((n=1; n<=total; n++)); do
    while alive "${qpids[n-1]}"; do [ "$(left)" -gt 0 ] || { timedout=1; break 2; }; sleep 0.2; done
  done
fi
rc=0
for ((n=1; n<=total; n++)); do
  e=$(mark $n EXIT)
  if [ -z "$e" ]; then [ -n "$stop" ] && e=0 || e=125; fi
  echo "rxe-vm: guest $n exit $e"
  sed 's/\r$//; s/^/  | /' "$out/output$n.log" 2>/dev/null || true
  [ $rc = 0 ] && rc=$e
done
[ -z "$hostcmd" ] || echo "rxe-vm: host command exit $hrc"
[ $rc != 0 ] || rc=$hrc
[ -z "$timedout" ] || { echo "rxe-vm: timed out after $limit s"; rc=124; }
exit "$rc"
