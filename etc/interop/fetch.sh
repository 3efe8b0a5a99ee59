#!/bin/bash
# Downloads Debian's kernel and userland packages and builds the guest's initramfs.
# Needs: apt-get (with Debian's archive), dpkg-deb, cpio, zstd. No root.
# Does nothing when the initramfs was built from the sources in this folder; -f rebuilds it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
force=; [ "${1:-}" = -f ] && force=1
for t in apt-get apt-cache dpkg-deb cpio zstd; do command -v $t >/dev/null || die "missing tool: $t"; done

mkdir -p "$DEBS" "$CACHE"
exec 9>"$CACHE/lock"; flock 9 # another process may be building it
sources=$(cat "$here"/guest/{init,retry} "$here/fetch.sh" "$here/lib.sh" | sha256sum)
if [ -z "$force" ] && [ -s "$INITRAMFS" ] && [ -s "$VMLINUZ" ] && [ "$(cat "$CACHE/sources" 2>/dev/null)" = "$sources" ]; then
  exit 0
fi

# 1. Packages. The kernel package is the one that linux-image-amd64 currently depends on.
# (linux-image-cloud-amd64 is smaller, but has no rdma_rxe.ko.)
kpkg=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-[0-9]/{print $2; exit}')
[ -n "$kpkg" ] || die "apt knows no linux-image-amd64; run apt-get update"
get() { # get PACKAGE: download it once
  ls "$DEBS/$1"_*.deb >/dev/null 2>&1 && return
  # APT::Sandbox::User: the cache folder is private, so apt must not drop to user _apt
  (cd "$DEBS" && apt-get -qq -o APT::Sandbox::User=root download "$1") || die "cannot download $1"
}
for p in $kpkg $GUEST_PKGS libibverbs-dev; do get "$p"; done

# 2. Unpack.
rm -rf "$ROOT" "$KDIR" "$DEV"; mkdir -p "$ROOT"/usr/{bin,sbin,lib,lib64} "$KDIR"
for d in bin sbin lib lib64; do ln -s usr/$d "$ROOT/$d"; done   # merged /usr: both paths lead to the same folder
for p in $GUEST_PKGS; do dpkg-deb --fsys-tarfile "$DEBS/$p"_*.deb | tar -x --keep-directory-symlink -C "$ROOT"; done
dpkg-deb -x "$DEBS/$kpkg"_*.deb "$KDIR"
dpkg-deb -x "$DEBS"/libibverbs-dev_*.deb "$DEV"
rm -rf "$ROOT"/usr/share/{doc,man,locale,lintian,bug,bash-completion,perftest,pci.ids} "$ROOT"/var
kver=$(basename "$KDIR"/lib/modules/*)
cp "$KDIR/boot/vmlinuz-$kver" "$VMLINUZ"
echo "$kver" > "$CACHE/kver"

# 3. Modules: depmod (from the unpacked kmod), then the closure of GUEST_MODULES.
lib=$ROOT/usr/lib/x86_64-linux-gnu
guestrun() { "$ROOT/lib64/ld-linux-x86-64.so.2" --library-path "$lib" "$@"; }
guestrun --argv0 depmod "$ROOT/bin/kmod" -b "$KDIR" "$kver"
mdir=$KDIR/lib/modules/$kver
mods=$(for m in $GUEST_MODULES; do
         awk -v m="/$m.ko" '{f=$1; sub(/:$/,"",f)} index(f,m) && substr(f,length(f)-length(m)+1)==m {print f; for(i=2;i<=NF;i++) print $i}' "$mdir/modules.dep"
       done | sort -u)
grep -q rdma_rxe.ko <<<"$mods" || die "package $kpkg ships no rdma_rxe.ko"
for m in $mods; do install -D -m 644 "$mdir/$m" "$ROOT/lib/modules/$kver/$m"; done
for f in modules.order modules.builtin modules.builtin.modinfo; do cp "$mdir/$f" "$ROOT/lib/modules/$kver/"; done
guestrun --argv0 depmod "$ROOT/bin/kmod" -b "$ROOT" "$kver"

# 4. The guest's own files.
install -D -m 755 "$here/guest/init" "$ROOT/init"
install -m 755 "$here/guest/retry" "$ROOT/usr/bin/retry"
mkdir -p "$ROOT"/{proc,sys,dev,tmp,run,root,etc}
echo 'root:x:0:0:root:/root:/bin/sh' > "$ROOT/etc/passwd"
echo 'root:x:0:' > "$ROOT/etc/group"
printf '127.0.0.1 localhost\n' > "$ROOT/etc/hosts"

# 5. Fail if a library of a program is missing.
miss=$(for f in "$ROOT"/usr/bin/{ibv_*,ib_*,raw_*,rping,udaddy,ucmatose,rdma_*} "$ROOT"/usr/sbin/{tc,ip,rdma} "$ROOT"/usr/bin/{rdma,ip,kmod} "$lib"/libibverbs/*.so; do
         [ -f "$f" ] && [ ! -L "$f" ] && head -c4 "$f" | grep -q ELF || continue
         guestrun --list "$f" 2>/dev/null | awk -v f="${f#"$ROOT"}" '/not found/{print f": "$1}'
       done | sort -u)
[ -z "$miss" ] || die "libraries missing in the guest: $miss"

# 6. Pack.
(cd "$ROOT" && find . -print0 | LC_ALL=C sort -z | cpio --null --quiet -o -H newc -R 0:0) | zstd -q -3 -T0 > "$INITRAMFS.tmp"
mv "$INITRAMFS.tmp" "$INITRAMFS"
echo "$sources" >"$CACHE/sources"
echo "rxe-vm: kernel $kver, initramfs $(du -h "$INITRAMFS" | cut -f1) ($(du -sh "$ROOT" | cut -f1) unpacked), cache $(du -sh "$CACHE" | cut -f1)"
