package io.urma4j.udma.control;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Refuses the requests of InfiniBand's connection manager, which programs of rdma_cm send to QP 1: no service listens here.
 * Without an answer the sender repeats its request for a minute and more; the refusal ends it at once.
 *
 * <p>Layout of a management datagram of 256 bytes, in network order (IBA volume 1, 13.4.3 and 12.6.7):
 *
 * <pre>
 *    0  base version   u8   1
 *    1  class          u8   7: communication management
 *    2  class version  u8   2
 *    3  method         u8   3: send
 *    8  transaction    u64  as in the request
 *   16  attribute      u16  0x10: REQ, 0x12: REJ
 *   24  local id       u32  of the sender; in a REJ that was never connected 0
 *   28  remote id      u32  of a REJ: the local id of the request
 *   32  rejected       u2   0: the REQ
 *   34  reason         u16  8: the service id is not known
 * </pre>
 */
final class ConnectRequests {
    private static final int MAD_BYTES = 256;
    private static final int FIRST_WORD = 0x01_07_02_03;
    private static final int TRANSACTION_AT = 8;
    private static final int ATTRIBUTE_AT = 16;
    private static final int LOCAL_ID_AT = 24;
    private static final int REMOTE_ID_AT = 28;
    private static final int REASON_AT = 34;
    private static final short REQ = 0x10;
    private static final short REJ = 0x12;
    private static final short INVALID_SERVICE_ID = 8;

    private ConnectRequests() {}

    /** The refusal of a request, of equal length; null for everything else. */
    static @Nullable ByteBuffer refusal(ByteBuffer datagram) {
        ByteBuffer asked = datagram.slice();
        if (asked.remaining() != MAD_BYTES || asked.getInt(0) != FIRST_WORD || asked.getShort(ATTRIBUTE_AT) != REQ) {
            return null;
        }
        return ByteBuffer.allocate(MAD_BYTES)
                .putInt(0, FIRST_WORD)
                .putLong(TRANSACTION_AT, asked.getLong(TRANSACTION_AT))
                .putShort(ATTRIBUTE_AT, REJ)
                .putInt(REMOTE_ID_AT, asked.getInt(LOCAL_ID_AT))
                .putShort(REASON_AT, INVALID_SERVICE_ID);
    }
}
