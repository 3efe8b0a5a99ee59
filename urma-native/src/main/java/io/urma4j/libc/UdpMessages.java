package io.urma4j.libc;

import io.urma4j.libc.Layouts.Cmsghdr;
import io.urma4j.libc.Layouts.Iovec;
import io.urma4j.libc.Layouts.Mmsghdr;
import io.urma4j.libc.Layouts.Msghdr;
import io.urma4j.libc.Layouts.SockaddrIn;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Several UDP datagrams for one system call, to be sent or received: a table of buffers, and a table of messages, each of
 * which names a run of buffers and a peer. Filled again and again, without allocation. For one thread at a time.
 */
public final class UdpMessages {
    /** So many times that nothing has come, the kernel is asked once why. */
    static final int LOOKS_PER_QUESTION = 1024;

    private static final int MSG_TRUNC = 0x20;
    private static final long NAME_STRIDE = 32; // an address of either kind
    private static final long CONTROL_STRIDE = 2 * Cmsghdr.SMALL_BYTES; // where to cut it, and its traffic class
    private static final long NONE = -1;
    private static final int MANY = -1;

    private final int capacity;
    private final NativeMemory headers;
    private final NativeMemory names;
    private final NativeMemory controls;
    private final NativeMemory iovecs;
    private final int firstPiece; // of the iovecs: those behind the buffers' own
    private final MemorySegment[] buffers;
    private final MemorySegment[] addresses; // one for each message
    private final int[] singles; // by message: its buffer, when that and its address are all that it has; else MANY
    private final MemorySegment[] heads; // where each message begins, for a call that begins there
    private int looks; // that found nothing
    private int prepared; // messages that are ready to receive, from the first on
    private int pieces; // of gathered messages, in use

    /**
     * Space for this number of messages and buffers.
     *
     * @param buffers in the order in which they are numbered from 0 on; native memory
     */
    public UdpMessages(int messages, MemorySegment... buffers) {
        this(messages, 0, buffers);
    }

    /** The same, with space for that number of pieces of messages that are {@linkplain #gather gathered}. */
    public UdpMessages(int messages, int pieces, MemorySegment... buffers) {
        capacity = messages;
        headers = NativeMemory.allocate(messages * Mmsghdr.BYTES);
        names = NativeMemory.allocate(messages * NAME_STRIDE);
        controls = NativeMemory.allocate(messages * CONTROL_STRIDE);
        firstPiece = buffers.length;
        iovecs = NativeMemory.allocate((buffers.length + pieces) * Iovec.BYTES);
        this.buffers = buffers.clone();
        addresses = new MemorySegment[messages];
        singles = new int[messages];
        Arrays.fill(singles, MANY);
        heads = new MemorySegment[messages];
        for (int i = 0; i < messages; i++) {
            heads[i] = headers.segment().asSlice(i * Mmsghdr.BYTES);
            addresses[i] = names.segment().asSlice(i * NAME_STRIDE, NAME_STRIDE);
            Msghdr.set(
                    headers,
                    i * Mmsghdr.BYTES,
                    addresses[i],
                    controls.segment().asSlice(i * CONTROL_STRIDE, CONTROL_STRIDE));
        }
        for (int i = 0; i < buffers.length; i++) {
            Iovec.set(iovecs, i * Iovec.BYTES, buffers[i]);
        }
    }

    /** How many messages there is room for. */
    public int capacity() {
        return capacity;
    }

    /** Puts another buffer of the same length in the place of one, for what is received next. */
    public void replaceBuffer(int buffer, MemorySegment by) {
        if (!by.isNative() || by.byteSize() != buffers[buffer].byteSize()) {
            throw new IllegalArgumentException(
                    "buffer must be native memory of " + buffers[buffer].byteSize() + " bytes: " + by);
        }
        buffers[buffer] = by;
        Iovec.set(iovecs, buffer * Iovec.BYTES, by);
    }

    /** So much of the buffer is to be sent. */
    public void bufferLength(int buffer, int lengthBytes) {
        Iovec.length(iovecs, buffer * Iovec.BYTES, lengthBytes);
    }

    /** What the message consists of, in one piece; it keeps the address that it had. */
    public void put(int message, int firstBuffer, int buffers) {
        if (buffers == 1 && singles[message] == firstBuffer) {
            return; // the same as before
        }
        long at = message * Mmsghdr.BYTES;
        Msghdr.iovecs(headers, at, iovecs.address() + firstBuffer * Iovec.BYTES, buffers);
        Msghdr.controlLength(headers, at, 0);
        singles[message] = buffers == 1 ? firstBuffer : MANY;
        prepared = 0;
    }

    /** No piece is in use: the messages that are gathered next may have all of them. */
    public void clearPieces() {
        pieces = 0;
    }

    /**
     * The message consists of pieces of any memory, which are {@linkplain #addPiece added} next. The memory must stay mapped
     * until the message was sent.
     */
    public void gather(int message) {
        long at = message * Mmsghdr.BYTES;
        Msghdr.iovecs(headers, at, iovecs.address() + (firstPiece + pieces) * Iovec.BYTES, 0);
        Msghdr.controlLength(headers, at, 0);
        singles[message] = MANY;
        prepared = 0;
    }

    /** Adds a piece to the message that was last begun by {@link #gather}; native memory. */
    public void addPiece(int message, MemorySegment memory, long offset, int lengthBytes) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("memory must be native: the kernel finds no heap array");
        }
        Iovec.set(iovecs, (firstPiece + pieces) * Iovec.BYTES, memory.address() + offset, lengthBytes);
        pieces++;
        Msghdr.addIovec(headers, message * Mmsghdr.BYTES);
    }

    /** Where it is to go. */
    public void toIpv4(int message, int address, int port) {
        SockaddrIn.set(names, message * NAME_STRIDE, address, port);
        Msghdr.nameLength(headers, message * Mmsghdr.BYTES, SockaddrIn.BYTES);
    }

    /**
     * Where it is to go.
     *
     * @param scope number of the interface, for a link-local address; else 0
     */
    public void toIpv6(int message, long high, long low, int scope, int port) {
        SockaddrIn.set(names, message * NAME_STRIDE, high, low, scope, port);
        Msghdr.nameLength(headers, message * Mmsghdr.BYTES, SockaddrIn.BYTES_6);
    }

    /** Has the kernel cut the message into datagrams of that length; the last may be shorter. */
    public void segment(int message, int segmentBytes) {
        UdpOption kind = UdpOption.SEGMENT;
        Cmsghdr.setU16(controls, message * CONTROL_STRIDE, kind.level(), kind.number(), segmentBytes);
        Msghdr.controlLength(headers, message * Mmsghdr.BYTES, Cmsghdr.SMALL_BYTES);
        singles[message] = MANY;
    }

    /** Sends the message with that traffic class, whatever the socket's is; after its address and its {@link #segment}. */
    public void trafficClass(int message, int bits) {
        long at = message * Mmsghdr.BYTES;
        long used = Msghdr.controlLength(headers, at);
        UdpOption kind = kindOfTrafficClass(message);
        Cmsghdr.setInt(controls, message * CONTROL_STRIDE + used, kind.level(), kind.number(), bits);
        Msghdr.controlLength(headers, at, used + Cmsghdr.SMALL_BYTES);
        singles[message] = MANY;
    }

    /** Makes the first messages ready to receive into the buffers of their numbers. A call that finds none leaves them so. */
    void prepare(int count) {
        for (int i = prepared; i < count; i++) {
            long at = i * Mmsghdr.BYTES;
            Msghdr.nameLength(headers, at, (int) NAME_STRIDE);
            Msghdr.iovecs(headers, at, iovecs.address() + i * Iovec.BYTES, 1);
            Msghdr.controlLength(headers, at, CONTROL_STRIDE);
            singles[i] = MANY;
        }
        prepared = Math.max(prepared, count);
    }

    /** Some messages were received: the kernel has written into their headers. */
    void received() {
        prepared = 0;
    }

    /** Nothing has come: whether it is time to ask for the reason. */
    boolean isTimeToAsk() {
        boolean isTime = ++looks % LOOKS_PER_QUESTION == 0;
        prepared = isTime ? 0 : prepared; // the question may receive some
        return isTime;
    }

    /** Whether the message is one buffer and an address, and nothing else. */
    boolean isSingle(int message) {
        return singles[message] != MANY;
    }

    /** All of the buffer of a single message, of which {@link #singleBytes} are to be sent. */
    MemorySegment single(int message) {
        return buffers[singles[message]];
    }

    long singleBytes(int message) {
        return Iovec.length(iovecs, singles[message] * Iovec.BYTES);
    }

    MemorySegment address(int message) {
        return addresses[message];
    }

    int addressBytes(int message) {
        return Msghdr.nameLength(headers, message * Mmsghdr.BYTES);
    }

    MemorySegment from(int message) {
        return heads[message];
    }

    // ---- what was received

    /** The first message was received, by a call that says its length and does not note it. */
    void receivedSingle(int lengthBytes) {
        Mmsghdr.length(headers, 0, lengthBytes);
    }

    public int receivedBytes(int message) {
        return Mmsghdr.length(headers, message * Mmsghdr.BYTES);
    }

    /** Length of each datagram but the last in what was received; all of it, when it is but one. */
    public int receivedSegmentBytes(int message) {
        long control = control(message, UdpOption.COALESCE);
        int segmentBytes = control == NONE ? 0 : Cmsghdr.descriptor(controls, control, 0);
        return segmentBytes > 0 ? segmentBytes : receivedBytes(message);
    }

    /**
     * Traffic class of what was received: of all its datagrams, since the kernel puts together none that differ in it. 0
     * unless the socket was to {@linkplain UdpOption#IPV4_TELL_TRAFFIC_CLASS tell} it.
     */
    public int trafficClass(int message) {
        long control = control(message, kindOfTrafficClass(message));
        return control == NONE ? 0 : Cmsghdr.u8(controls, control);
    }

    private UdpOption kindOfTrafficClass(int message) {
        return isFromIpv4(message) ? UdpOption.IPV4_TRAFFIC_CLASS : UdpOption.IPV6_TRAFFIC_CLASS;
    }

    /** Where the control message lies that has the numbers of that option, whatever is before it; {@link #NONE}. */
    private long control(int message, UdpOption kind) {
        long at = message * CONTROL_STRIDE;
        long end = at + Msghdr.controlLength(headers, message * Mmsghdr.BYTES);
        while (at + Cmsghdr.BYTES <= end) {
            if (Cmsghdr.level(controls, at) == kind.level() && Cmsghdr.type(controls, at) == kind.number()) {
                return at;
            }
            at = Cmsghdr.next(controls, at);
        }
        return NONE;
    }

    /** Whether the buffer was too short, and the rest is lost. */
    public boolean isTruncated(int message) {
        return (Msghdr.flags(headers, message * Mmsghdr.BYTES) & MSG_TRUNC) != 0;
    }

    public boolean isFromIpv4(int message) {
        return SockaddrIn.family(names, message * NAME_STRIDE) == SockaddrIn.AF_INET;
    }

    public int fromIpv4(int message) {
        return SockaddrIn.ipv4(names, message * NAME_STRIDE);
    }

    public long fromIpv6High(int message) {
        return SockaddrIn.ipv6High(names, message * NAME_STRIDE);
    }

    public long fromIpv6Low(int message) {
        return SockaddrIn.ipv6Low(names, message * NAME_STRIDE);
    }

    public int fromPort(int message) {
        return SockaddrIn.port(names, message * NAME_STRIDE);
    }

    @Override
    public String toString() {
        return "room for " + capacity + " datagrams";
    }
}
