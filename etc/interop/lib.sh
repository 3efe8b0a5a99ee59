# Settings of the interop harness, sourced by the other scripts. Downloads and build results are kept in CACHE.
: "${RXE_VM_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/rxe-vm}"
CACHE=$RXE_VM_CACHE
DEBS=$CACHE/debs          # the .deb files as downloaded by apt
ROOT=$CACHE/root          # the packages, unpacked: the guest's userland
DEV=$CACHE/dev            # headers, to compile our own programs
KDIR=$CACHE/kernel        # the kernel package, unpacked (vmlinuz, System.map, all modules)
INITRAMFS=$CACHE/initramfs.cpio.zst
VMLINUZ=$CACHE/vmlinuz

# Userland of the guest, with the libraries that these programs need: fetch.sh runs the dynamic
# loader over every program, and fails if a library is missing.
GUEST_PKGS="busybox-static dash kmod iproute2 libc6 libgcc-s1
  libibverbs1 ibverbs-providers ibverbs-utils librdmacm1 rdmacm-utils libibumad3 perftest
  libnl-3-200 libnl-route-3-200 libpci3 libudev1 zlib1g libzstd1 liblzma5 libkmod2 libssl3
  libbpf1 libelf1 libmnl0 libbsd0 libmd0 libcap2 libdb5.3 libselinux1 libpcre2-8-0
  libtirpc3 libxtables12 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libcom-err2
  libkeyutils1"

# Modules that the guest may load; fetch.sh adds their dependencies.
GUEST_MODULES="virtio_pci virtio_net rdma_rxe ib_uverbs rdma_ucm ib_umad
  crc32_generic crc32_pclmul sch_netem af_packet"

# The private network: one bridge in its own namespace.
NET4=10.77.0              # bridge .1, VM n at .(10+n)
NET6=fd77::               # bridge ::1, VM n at ::(10+n) in hexadecimal

# Options of tcpdump. In immediate mode its buffer has slots of the snapshot length, one for each packet. With the default
# length of 262144 bytes there are only eight slots, and one packet in seven was lost.
TCPDUMP_LOSSLESS='--immediate-mode -s 9216 -B 32768'

die() { echo "rxe-vm: $*" >&2; exit 2; }
