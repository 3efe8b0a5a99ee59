package io.urma4j.shm.ring;

/** Flags of a slot in a message ring. */
public final class SlotFlags {
    /** First chunk of its message. */
    public static final int FIRST = 1;
    /** Last chunk of its message. */
    public static final int LAST = 2;
    /** The payload lies in the data area. */
    public static final int IN_DATA = 4;
    /** The sender asks for an event at the receiver. */
    public static final int SOLICITED = 8;
    /** The sender starts anew with this message: what the receiver held back of this flow is over. */
    public static final int RESTART = 16;

    /** A datagram: it is taken or dropped, and its sender asks for no answer. */
    public static final int DATAGRAM = 32;

    /**
     * A whole message without an immediate whose payload lies in the slot: the commit word tells its length, and there is
     * nothing else to read. The ring's own: {@link RingSender} sets it where it can.
     */
    public static final int SHORT = 64;

    private SlotFlags() {}
}
