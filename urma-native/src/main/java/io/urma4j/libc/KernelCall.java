package io.urma4j.libc;

/**
 * System calls that older libcs do not wrap, or wrap in two atomic operations, since a thread could be cancelled in them;
 * by their number in the kernel's tables of both architectures.
 */
enum KernelCall {
    SENDTO(44, 206),
    RECVMSG(47, 212),
    FUTEX(202, 98),
    MBIND(237, 235),
    PIDFD_OPEN(434, 434),
    EPOLL_PWAIT2(441, 441);

    private final long x8664;
    private final long aarch64;

    KernelCall(long x8664, long aarch64) {
        this.x8664 = x8664;
        this.aarch64 = aarch64;
    }

    long number(Platform platform) {
        return switch (platform) {
            case LINUX_X86_64 -> x8664;
            case LINUX_AARCH64 -> aarch64;
        };
    }
}
