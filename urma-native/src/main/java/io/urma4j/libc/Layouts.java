package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * The bytes of every C struct that goes into the kernel or comes from it; no other class writes an offset of one. All in
 * native byte order. Both architectures agree, but for {@link EpollEvent}.
 */
final class Layouts {
    private Layouts() {}

    /**
     * {@code struct timespec}.
     * <pre>
     *   0  seconds      i64
     *   8  nanoseconds  i64  below a thousand million
     * </pre>
     */
    static final class Timespec {
        static final long BYTES = 16;
        private static final long NANOS_PER_SECOND = 1_000_000_000;

        private Timespec() {}

        static void set(MemorySegment timespec, long nanos) {
            set(timespec, 0, nanos);
        }

        static void set(MemorySegment struct, long at, long nanos) {
            struct.set(JAVA_LONG, at, nanos / NANOS_PER_SECOND);
            struct.set(JAVA_LONG, at + 8, nanos % NANOS_PER_SECOND);
        }
    }

    /**
     * {@code struct itimerspec}.
     * <pre>
     *   0  interval  timespec
     *  16  value     timespec
     * </pre>
     */
    static final class Itimerspec {
        static final long BYTES = 2 * Timespec.BYTES;

        private Itimerspec() {}

        static void setOnce(MemorySegment itimerspec, long nanos) {
            Timespec.set(itimerspec, 0, 0);
            Timespec.set(itimerspec, Timespec.BYTES, nanos);
        }
    }

    /**
     * {@code struct rlimit}.
     * <pre>
     *   0  soft  u64  all ones: unlimited
     *   8  hard  u64  likewise
     * </pre>
     */
    static final class Rlimit {
        static final long BYTES = 16;

        private Rlimit() {}

        static void set(MemorySegment rlimit, long soft, long hard) {
            rlimit.set(JAVA_LONG, 0, soft);
            rlimit.set(JAVA_LONG, 8, hard);
        }

        static long soft(MemorySegment rlimit) {
            return rlimit.get(JAVA_LONG, 0);
        }

        static long hard(MemorySegment rlimit) {
            return rlimit.get(JAVA_LONG, 8);
        }
    }

    /**
     * {@code struct pollfd}.
     * <pre>
     *   0  fd        i32
     *   4  wanted    u16  events to wait for
     *   6  returned  u16  events that hold; the kernel writes it
     * </pre>
     */
    static final class PollFd {
        static final long BYTES = 8;

        private PollFd() {}

        static void set(MemorySegment pollFd, int number, int wanted) {
            pollFd.set(JAVA_INT, 0, number);
            pollFd.set(JAVA_SHORT, 4, (short) wanted);
            pollFd.set(JAVA_SHORT, 6, (short) 0);
        }

        static int returned(MemorySegment pollFd) {
            return Short.toUnsignedInt(pollFd.get(JAVA_SHORT, 6));
        }
    }

    /**
     * {@code struct epoll_event}: packed on x86_64, and there alone.
     * <pre>
     *   x86_64   aarch64
     *     0        0      events  u32
     *     4        8      tag     u64  not looked at by the kernel
     *    12       16      (size)
     * </pre>
     */
    static final class EpollEvent {
        private static final boolean PACKED = Platform.isCurrent(Platform.LINUX_X86_64);
        private static final long TAG = PACKED ? 4 : 8;
        static final long BYTES = PACKED ? 12 : 16;

        private EpollEvent() {}

        static void set(MemorySegment event, int events, long tag) {
            event.set(JAVA_INT, 0, events);
            event.set(JAVA_LONG_UNALIGNED, TAG, tag);
        }

        static int events(MemorySegment array, int index) {
            return array.get(JAVA_INT, index * BYTES);
        }

        static long tag(MemorySegment array, int index) {
            return array.get(JAVA_LONG_UNALIGNED, index * BYTES + TAG);
        }
    }

    /**
     * {@code struct sockaddr_un}.
     * <pre>
     *   0  family  u16  AF_UNIX
     *   2  path    108 bytes, ended by a zero
     * </pre>
     */
    static final class SockaddrUn {
        static final int BYTES = 110;
        static final int MAX_PATH_BYTES = 107;

        private SockaddrUn() {}

        static void set(MemorySegment address, int family, String path) {
            address.fill((byte) 0);
            address.set(JAVA_SHORT, 0, (short) family);
            byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, address, 2, bytes.length);
        }
    }

    /**
     * {@code struct sockaddr_in} and {@code struct sockaddr_in6}; address and port as the network has them, big-endian.
     * <pre>
     *   IPv4   IPv6
     *     0      0   family   u16
     *     2      2   port     u16
     *     4      8   address  4 or 16 bytes
     *           24   scope    u32  number of the interface that a link-local address belongs to
     *    16     28   (size)
     * </pre>
     */
    static final class SockaddrIn {
        static final int BYTES = 16;
        static final int BYTES_6 = 28;
        static final int AF_INET = 2;
        static final int AF_INET6 = 10;

        private SockaddrIn() {}

        static void set(NativeMemory addresses, long at, int address, int port) {
            addresses.setShort(at, AF_INET);
            addresses.setShort(at + 2, Short.reverseBytes((short) port));
            addresses.setInt(at + 4, Integer.reverseBytes(address));
            addresses.setLong(at + 8, 0);
        }

        static void set(NativeMemory addresses, long at, long high, long low, int scope, int port) {
            addresses.setShort(at, AF_INET6);
            addresses.setShort(at + 2, Short.reverseBytes((short) port));
            addresses.setInt(at + 4, 0); // flow label
            addresses.setLong(at + 8, Long.reverseBytes(high));
            addresses.setLong(at + 16, Long.reverseBytes(low));
            addresses.setInt(at + 24, scope);
        }

        static int family(NativeMemory addresses, long at) {
            return addresses.getShort(at);
        }

        static int port(NativeMemory addresses, long at) {
            return Short.toUnsignedInt(Short.reverseBytes(addresses.getShort(at + 2)));
        }

        static int ipv4(NativeMemory addresses, long at) {
            return Integer.reverseBytes(addresses.getInt(at + 4));
        }

        static long ipv6High(NativeMemory addresses, long at) {
            return Long.reverseBytes(addresses.getLong(at + 8));
        }

        static long ipv6Low(NativeMemory addresses, long at) {
            return Long.reverseBytes(addresses.getLong(at + 16));
        }
    }

    /**
     * {@code struct sock_filter}, one instruction of a packet filter; here as one number.
     * <pre>
     *   0  code    u16
     *   2  if so   u8   instructions to pass over
     *   3  if not  u8
     *   4  value   u32
     * </pre>
     */
    static final class SockFilter {
        private SockFilter() {}

        static long of(int code, int ifSo, int ifNot, int value) {
            return code | (long) ifSo << 16 | (long) ifNot << 24 | (long) value << 32;
        }

        static int code(long instruction) {
            return (int) instruction & 0xFFFF;
        }

        static int ifSo(long instruction) {
            return (int) instruction >>> 16 & 0xFF;
        }

        static int ifNot(long instruction) {
            return (int) instruction >>> 24;
        }

        static int value(long instruction) {
            return (int) (instruction >> 32);
        }
    }

    /**
     * {@code struct sock_fprog}.
     * <pre>
     *   0  instructions  u16, 6 bytes of padding
     *   8  filters       pointer
     * </pre>
     */
    static final class SockFprog {
        static final int BYTES = 16;

        private SockFprog() {}

        static void set(MemorySegment program, int instructions, MemorySegment filters) {
            program.set(JAVA_SHORT, 0, (short) instructions);
            program.set(ADDRESS, 8, filters);
        }
    }

    /** What {@code SO_MEMINFO} tells of a socket: nine numbers of 32 bits, of which the last counts what was dropped. */
    static final class SocketMemory {
        static final int BYTES = 9 * Integer.BYTES;
        private static final long DROPS = 8 * Integer.BYTES;

        private SocketMemory() {}

        static long drops(MemorySegment memory) {
            return Integer.toUnsignedLong(memory.get(JAVA_INT, DROPS));
        }
    }

    /**
     * {@code struct iovec}.
     * <pre>
     *   0  base    pointer
     *   8  length  u64
     * </pre>
     */
    static final class Iovec {
        static final long BYTES = 16;

        private Iovec() {}

        static void set(MemorySegment iovec, MemorySegment bytes) {
            iovec.set(ADDRESS, 0, bytes);
            iovec.set(JAVA_LONG, 8, bytes.byteSize());
        }

        static void set(NativeMemory iovecs, long at, MemorySegment bytes) {
            set(iovecs, at, bytes.address(), bytes.byteSize());
        }

        static void set(NativeMemory iovecs, long at, long address, long lengthBytes) {
            iovecs.setLong(at, address);
            iovecs.setLong(at + 8, lengthBytes);
        }

        static void length(NativeMemory iovecs, long at, long lengthBytes) {
            iovecs.setLong(at + 8, lengthBytes);
        }

        static long length(NativeMemory iovecs, long at) {
            return iovecs.getLong(at + 8);
        }
    }

    /**
     * {@code struct msghdr}.
     * <pre>
     *    0  name            pointer  (null: the socket is connected)
     *    8  name length     u32, 4 bytes of padding
     *   16  iovecs          pointer
     *   24  iovec count     u64
     *   32  control         pointer
     *   40  control length  u64      the kernel writes how much it used
     *   48  flags           i32      the kernel writes it; 4 bytes of padding
     * </pre>
     */
    static final class Msghdr {
        static final long BYTES = 56;

        private Msghdr() {}

        static void set(MemorySegment header, MemorySegment iovec, MemorySegment control) {
            header.fill((byte) 0);
            header.set(ADDRESS, 16, iovec);
            header.set(JAVA_LONG, 24, 1);
            if (control.byteSize() > 0) {
                header.set(ADDRESS, 32, control);
                header.set(JAVA_LONG, 40, control.byteSize());
            }
        }

        /** With a place for an address; further fields are set each time it is used. */
        static void set(NativeMemory headers, long at, MemorySegment name, MemorySegment control) {
            headers.setLong(at, name.address());
            headers.setLong(at + 32, control.address());
        }

        static void nameLength(NativeMemory headers, long at, int lengthBytes) {
            headers.setInt(at + 8, lengthBytes);
        }

        static int nameLength(NativeMemory headers, long at) {
            return headers.getInt(at + 8);
        }

        static void iovecs(NativeMemory headers, long at, long iovecsAddress, long count) {
            headers.setLong(at + 16, iovecsAddress);
            headers.setLong(at + 24, count);
        }

        /** The message has one more of them, which lies behind the others. */
        static void addIovec(NativeMemory headers, long at) {
            headers.setLong(at + 24, headers.getLong(at + 24) + 1);
        }

        static void controlLength(NativeMemory headers, long at, long lengthBytes) {
            headers.setLong(at + 40, lengthBytes);
        }

        static long controlLength(NativeMemory header) {
            return controlLength(header, 0);
        }

        static long controlLength(NativeMemory headers, long at) {
            return headers.getLong(at + 40);
        }

        static int flags(NativeMemory headers, long at) {
            return headers.getInt(at + 48);
        }

        static int flags(NativeMemory header) {
            return flags(header, 0);
        }
    }

    /**
     * {@code struct mmsghdr}: one message of several.
     * <pre>
     *    0  header  {@code struct msghdr}
     *   56  length  u32  how much was sent or received, written by the kernel; 4 bytes of padding
     * </pre>
     */
    static final class Mmsghdr {
        static final long BYTES = Msghdr.BYTES + 8;

        private Mmsghdr() {}

        static int length(NativeMemory headers, long at) {
            return headers.getInt(at + Msghdr.BYTES);
        }

        static void length(NativeMemory headers, long at, int lengthBytes) {
            headers.setInt(at + Msghdr.BYTES, lengthBytes);
        }
    }

    /**
     * {@code struct cmsghdr} with descriptors behind it.
     * <pre>
     *    0  length  u64  with this header, without padding
     *    8  level   i32
     *   12  type    i32
     *   16  descriptors, i32 each; padded to 8 bytes before a next header
     * </pre>
     */
    static final class Cmsghdr {
        static final long BYTES = 16;

        private Cmsghdr() {}

        /** Length of a control message with that many descriptors, without padding. */
        static long lengthBytes(int descriptors) {
            return BYTES + (long) descriptors * Integer.BYTES;
        }

        static void set(MemorySegment control, int level, int type, int descriptors) {
            control.set(JAVA_LONG, 0, lengthBytes(descriptors));
            control.set(JAVA_INT, 8, level);
            control.set(JAVA_INT, 12, type);
        }

        static void setDescriptor(MemorySegment control, int index, int number) {
            control.set(JAVA_INT, BYTES + (long) index * Integer.BYTES, number);
        }

        static long length(NativeMemory control, long at) {
            return control.getLong(at);
        }

        static int level(NativeMemory control, long at) {
            return control.getInt(at + 8);
        }

        static int type(NativeMemory control, long at) {
            return control.getInt(at + 12);
        }

        /** A header with two bytes behind it. */
        static void setU16(NativeMemory controls, long at, int level, int type, int value) {
            set(controls, at, level, type, Short.BYTES, value);
        }

        /** A header with four bytes behind it. */
        static void setInt(NativeMemory controls, long at, int level, int type, int value) {
            set(controls, at, level, type, Integer.BYTES, value);
        }

        private static void set(NativeMemory controls, long at, int level, int type, int valueBytes, int value) {
            controls.setLong(at, BYTES + valueBytes);
            controls.setInt(at + 8, level);
            controls.setInt(at + 12, type);
            controls.setLong(at + BYTES, value); // little-endian, and its padding
        }

        /** Room that a header with up to eight bytes behind it takes. */
        static final long SMALL_BYTES = BYTES + Long.BYTES;

        /** The byte behind a header; the low one of a number, which is little-endian. */
        static int u8(NativeMemory control, long at) {
            return Byte.toUnsignedInt(control.getByte(at + BYTES));
        }

        static int descriptor(NativeMemory control, long at, int index) {
            return control.getInt(at + BYTES + (long) index * Integer.BYTES);
        }

        /** Where the next header would be. */
        static long next(NativeMemory control, long at) {
            return at + (length(control, at) + 7 & -8L);
        }
    }

    /**
     * {@code struct ucred}.
     * <pre>
     *   0  pid  i32
     *   4  uid  u32
     *   8  gid  u32
     * </pre>
     */
    static final class Ucred {
        static final int BYTES = 12;

        private Ucred() {}

        static PeerCredentials read(MemorySegment ucred) {
            return new PeerCredentials(ucred.get(JAVA_INT, 0), ucred.get(JAVA_INT, 4), ucred.get(JAVA_INT, 8));
        }
    }

    /**
     * {@code struct statx}, which unlike {@code struct stat} is the same everywhere.
     * <pre>
     *     0  mask    u32       16  links   u32       20  owner   u32
     *    24  group   u32       28  mode    u16       32  inode   u64
     *    40  size    u64      136  device  u32 major, u32 minor
     * </pre>
     */
    static final class Statx {
        static final long BYTES = 256;

        private Statx() {}

        static FileStatus read(MemorySegment statx) {
            return new FileStatus(
                    Short.toUnsignedInt(statx.get(JAVA_SHORT, 28)),
                    statx.get(JAVA_INT, 20),
                    statx.get(JAVA_LONG, 40),
                    statx.get(JAVA_INT, 16),
                    statx.get(JAVA_LONG, 32),
                    statx.get(JAVA_LONG, 136));
        }
    }
}
