package io.urma4j.libc;

import io.urma4j.libc.Layouts.Cmsghdr;
import io.urma4j.libc.Layouts.Iovec;
import io.urma4j.libc.Layouts.Msghdr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Room for one message of a Unix socket and its descriptors, used again and again. For one thread at a time.
 *
 * <p>There is room for every descriptor that one message can carry: the kernel closes what finds no room, on the
 * receiving thread, and that close may wait as long as the sender likes ({@link DescriptorCloser}).
 */
public final class SocketInbox {
    /** {@code SCM_MAX_FD} of Linux. */
    private static final int MAX_DESCRIPTORS = 253;

    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_CTRUNC = 0x8;
    private static final int MSG_TRUNC = 0x20;

    private final @Nullable DescriptorCloser closer;
    private final MemorySegment bytes;
    private final NativeMemory control;
    private final NativeMemory header;
    private final List<Fd> descriptors = new ArrayList<>();
    private int lengthBytes;
    private boolean isIncomplete;

    /**
     * An inbox for messages of peers that are trusted: their descriptors close where {@code close} is called, which may wait.
     *
     * @param capacityBytes the longest message
     */
    public static SocketInbox ofTrustedPeers(int capacityBytes) {
        return new SocketInbox(capacityBytes, null);
    }

    /**
     * An inbox for messages of peers that are not trusted.
     *
     * @param capacityBytes the longest message
     * @param closer closes the descriptors that were received
     */
    public static SocketInbox of(int capacityBytes, DescriptorCloser closer) {
        return new SocketInbox(capacityBytes, closer);
    }

    private SocketInbox(int capacityBytes, @Nullable DescriptorCloser closer) {
        this.closer = closer;
        Arena arena = Arena.ofAuto();
        bytes = arena.allocate(capacityBytes, Long.BYTES);
        control = NativeMemory.allocate(Cmsghdr.lengthBytes(MAX_DESCRIPTORS));
        header = NativeMemory.allocate(Msghdr.BYTES);
        MemorySegment iovec = arena.allocate(Iovec.BYTES, Long.BYTES);
        Iovec.set(iovec, bytes);
        Msghdr.set(header.segment(), iovec, control.segment());
    }

    /** The bytes of the last message. Valid until the next. */
    public ByteBuffer message() {
        return bytes.asSlice(0, lengthBytes).asByteBuffer();
    }

    /** What came with the last message: a list that the caller may change; each descriptor is closed on exec. */
    public List<Fd> descriptors() {
        return descriptors;
    }

    /** Closes the descriptors of the last message that are still in the list. */
    public void closeDescriptors() {
        descriptors.forEach(Fd::close);
        descriptors.clear();
    }

    /** The header to be filled by {@code recvmsg}, which changes it. */
    MemorySegment prepared() {
        closeDescriptors();
        lengthBytes = 0;
        isIncomplete = false;
        Msghdr.controlLength(header, 0, control.lengthBytes());
        return header.segment();
    }

    /**
     * Takes over what came: each descriptor that the kernel installed for us, whatever the message is.
     *
     * @throws LibcException EMSGSIZE when the message is too long; it is lost, and the caller closes the descriptors
     */
    void arrived(Fd socket, int length) {
        collectDescriptors();
        int flags = Msghdr.flags(header);
        if ((flags & MSG_TRUNC) != 0 || length > bytes.byteSize()) {
            throw tooMuch(socket, "message of " + length + " bytes, room for " + bytes.byteSize());
        }
        isIncomplete = (flags & MSG_CTRUNC) != 0; // there was room for all
        lengthBytes = length;
    }

    /** Whether descriptors of the last message are lost, because this process may open no more. */
    public boolean isIncomplete() {
        return isIncomplete;
    }

    private static LibcException tooMuch(Fd socket, String what) {
        return new LibcException("recvmsg", socket + ", " + what, Errno.EMSGSIZE);
    }

    private void collectDescriptors() {
        long end = Msghdr.controlLength(header);
        for (long at = 0; at + Cmsghdr.BYTES <= end; at = Cmsghdr.next(control, at)) {
            if (Cmsghdr.level(control, at) != SOL_SOCKET || Cmsghdr.type(control, at) != SCM_RIGHTS) {
                continue;
            }
            int count = (int) ((Cmsghdr.length(control, at) - Cmsghdr.BYTES) / Integer.BYTES);
            for (int i = 0; i < count; i++) {
                descriptors.add(Fd.received(Cmsghdr.descriptor(control, at, i), closer));
            }
        }
    }
}
