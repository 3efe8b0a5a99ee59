package io.urma4j.spi;

/**
 * Layout of a completion record: eight {@code long}s, wherever records lie side by side in a {@code long[]}.
 *
 * <pre>
 *  word 0   bits  0…7   status, {@code CompletionStatus.value()}
 *           bits  8…15  opcode, {@code Opcode.value()}
 *           bits 16…31  flags, below
 *           bits 32…55  id of the local queue
 *  word 1   user context
 *  word 2   length in bytes
 *  word 3   immediate, or the revoked token id
 *  word 4   bits  0…23  id of the remote queue
 *           bits 24…47  UASID of the remote queue
 *           bits 48…63  number of the transport path, 0 when there is none
 *  word 5,6 EID of the remote queue, high and low half
 *  word 7   the provider's own; means nothing in a batch
 * </pre>
 *
 * <p>Words 4 to 6 are filled for records of the receive side only.
 */
public final class CompletionRecord {
    /** Number of {@code long}s of a record. */
    public static final int WORDS = 8;

    public static final int USER_CONTEXT = 1;
    public static final int LENGTH = 2;
    public static final int IMMEDIATE = 3;
    public static final int REMOTE = 4;
    public static final int REMOTE_EID_HIGH = 5;
    public static final int REMOTE_EID_LOW = 6;
    public static final int PROVIDER = 7;

    /** A message arrived; else a work request of the send side ended. */
    public static final int RECEIVE = 1 << 16;
    /** The local queue is a Jetty or belongs to one. */
    public static final int JETTY = 1 << 17;

    public static final int HAS_IMMEDIATE = 1 << 18;
    /** Word 3 is a token id that the message revoked. */
    public static final int HAS_INVALIDATED = 1 << 19;
    /** This is the last record of an error drain. */
    public static final int FLUSH_ERR_DONE = 1 << 20;
    /** This is the last record of a suspension. */
    public static final int SUSPEND_DONE = 1 << 21;
    /** The sender asked for an event. */
    public static final int SOLICITED = 1 << 22;

    private static final long UASID_SHIFT = 24;
    private static final long PATH_SHIFT = 48;
    private static final long ID_MASK = 0xFF_FFFF;

    private CompletionRecord() {}

    /** Word 0. */
    public static long header(int status, int opcode, int flags, int localId) {
        return (status | opcode << 8 | flags) & 0xFFFF_FFFFL | (long) localId << 32;
    }

    public static int status(long header) {
        return (int) header & 0xFF;
    }

    public static int opcode(long header) {
        return (int) header >>> 8 & 0xFF;
    }

    public static boolean has(long header, int flag) {
        return ((int) header & flag) != 0;
    }

    public static int localId(long header) {
        return (int) (header >>> 32 & ID_MASK);
    }

    /** Word 4. */
    public static long remote(int id, int uasid, int path) {
        return id | (long) uasid << UASID_SHIFT | (long) path << PATH_SHIFT;
    }

    public static int remoteId(long remote) {
        return (int) (remote & ID_MASK);
    }

    public static int remoteUasid(long remote) {
        return (int) (remote >>> UASID_SHIFT & ID_MASK);
    }

    public static int path(long remote) {
        return (int) (remote >>> PATH_SHIFT);
    }
}
