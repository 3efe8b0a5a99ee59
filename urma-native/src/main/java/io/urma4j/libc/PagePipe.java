package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.libc.Layouts.Iovec;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Moves memory into a socket without a copy: {@code vmsplice(2)} puts references to its pages into a pipe, and {@code
 * splice(2)} moves them on. The kernel keeps the pages until the datagram was received. What is stored there meanwhile
 * changes the datagram.
 *
 * <p>A pipe holds 16 pages, the first and the last of a range in part. For one thread at a time. No call blocks.
 */
public final class PagePipe implements AutoCloseable {
    private static final int O_CLOEXEC = 0x80000;
    private static final int O_NONBLOCK = 0x800;
    private static final int SPLICE_F_NONBLOCK = 2;
    private static final int SPLICE_F_MORE = 4;

    private static final MethodHandle PIPE2 = Linkage.bind("pipe2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle VMSPLICE =
            Linkage.bindBare("vmsplice", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle SPLICE = Linkage.bindBare(
            "splice", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

    private final Fd exit;
    private final Fd entrance;
    private final NativeMemory iovec = NativeMemory.allocate(Iovec.BYTES);

    private PagePipe(Fd exit, Fd entrance) {
        this.exit = exit;
        this.entrance = entrance;
    }

    /**
     * A new pipe.
     *
     * @throws LibcException when the process has too many descriptors
     */
    public static PagePipe create() {
        CallFrame frame = CallFrame.claim();
        try {
            MemorySegment ends = frame.scratch().asSlice(0, 2 * Integer.BYTES);
            int result = frame.result((int) PIPE2.invokeExact(frame.state(), ends, O_CLOEXEC | O_NONBLOCK));
            if (result < 0) {
                throw new LibcException("pipe2", "CLOEXEC|NONBLOCK", -result);
            }
            return new PagePipe(
                    Fd.own(ends.get(JAVA_INT, 0), "pipe"), Fd.own(ends.get(JAVA_INT, Integer.BYTES), "pipe"));
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            frame.release();
        }
    }

    /**
     * Moves a range of native memory into a datagram that was {@linkplain UdpSocket#begin begun}.
     *
     * @return false when the kernel took a part of it at most: then the datagram is to be {@linkplain UdpSocket#abandon
     *     abandoned} and the pipe closed, for both may hold the rest
     */
    public boolean move(MemorySegment memory, long offset, int lengthBytes, UdpSocket to) {
        Iovec.set(iovec, 0, memory.address() + offset, lengthBytes);
        return fill(lengthBytes) && drain(lengthBytes, to.fd());
    }

    private boolean fill(int lengthBytes) {
        int number = entrance.acquire();
        try {
            return (long) VMSPLICE.invokeExact(number, iovec.segment(), 1L, SPLICE_F_NONBLOCK) == lengthBytes;
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            entrance.release();
        }
    }

    private boolean drain(int lengthBytes, Fd to) {
        int from = exit.acquire();
        int socket = to.acquire();
        try {
            long left = lengthBytes;
            long moved;
            do {
                moved = (long) SPLICE.invokeExact(from, 0L, socket, 0L, left, SPLICE_F_NONBLOCK | SPLICE_F_MORE);
                left -= moved;
            } while (moved > 0 && left > 0);
            return moved > 0;
        } catch (Throwable e) {
            throw Linkage.rethrow(e);
        } finally {
            to.release();
            exit.release();
        }
    }

    @Override
    public void close() {
        entrance.close();
        exit.close();
    }

    @Override
    public String toString() {
        return "pipe of pages, " + entrance + " to " + exit;
    }
}
