# Settings of the interop harness, sourced by the other scripts. What is downloaded or built lives in CACHE.
: "${RXE_VM_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/rxe-vm}"
CACHE=$RXE_VM_CACHE
DEBS=$CACHE/debs          # the .deb files as apt gave them
ROOT=$CACHE/root          # the packages, unpacked: the guest's userland
DEV=$CACHE/dev            # headers, for programs of our own
KDIR=$CACHE/kernel        # the kernel package, unpacked (vmlinuz, System.map, all modules)
INITRAMFS=$CACHE/initramfs.cpio.zst
VMLINUZ=$CACHE/vmlinuz

# Userland of the guest. The libraries are what these programs need (checked by fetch.sh: it
# runs the dynamic loader over every program and fails on a missing library).
GUEST_PKGS="busybox-static dash kmod iproute2 libc6 libgcc-s1
  libibverbs1 ibverbs-providers ibverbs-utils librdmacm1 rdmacm-utils libibumad3 perftest
  libnl-3-200 libnl-route-3-200 libpci3 libudev1 zlib1g libzstd1 liblzma5 libkmod2 libssl3
  libbpf1 libelf1 libmnl0 libbsd0 libmd0 libcap2 libdb5.3 libselinux1 libpcre2-8-0
  libtirpc3 libxtables12 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libcom-err2
  libkeyutils1"

# Modules that the guest may load; their dependencies come along.
GUEST_MODULES="virtio_pci virtio_net rdma_rxe ib_uverbs rdma_ucm ib_umad
  crc32_generic crc32_pclmul sch_netem af_packet"

# The private network: one bridge in a namespace of its own.
NET4=10.77.0              # bridge .1, VM n at .(10+n)
NET6=fd77::               # bridge ::1, VM n at ::(10+n) in hexadecimal

# Options of tcpdump. In immediate mode its buffer has a place of the snapshot length for each packet: with the usual 262144
# bytes there are eight, and one packet in seven was lost.
TCPDUMP_LOSSLESS='--immediate-mode -s 9216 -B 32768'

die() { echo "rxe-vm: $*" >&2; exit 2; }
