package io.urma4j.udma.capture;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a frame of Ethernet carries, behind its tags of VLANs: 802.1Q, and the outer ones of 802.1ad (QinQ).
 *
 * @param type of the payload
 * @param payload from its first byte on
 */
record Ethernet(int type, ByteBuffer payload) {
    static final int IPV4 = 0x0800;
    static final int IPV6 = 0x86DD;
    // of what it carries
    static final int IPV4_BYTES = 20; // without options
    static final int IPV6_BYTES = 40;
    static final int UDP = 17; // number of the protocol

    private static final int TYPE_AT = 12;
    private static final int TYPE_BYTES = 2;
    private static final int TAG_BYTES = 4;
    private static final int TAG = 0x8100;
    private static final int OUTER_TAG = 0x88A8;
    private static final int OUTER_TAG_BEFORE_802_1AD = 0x9100;

    /** The payload of a frame; null when its type was not captured. */
    static @Nullable Ethernet of(ByteBuffer frame) {
        for (int at = TYPE_AT; frame.remaining() >= at + TYPE_BYTES; at += TAG_BYTES) {
            int type = u16(frame, at);
            if (type != TAG && type != OUTER_TAG && type != OUTER_TAG_BEFORE_802_1AD) {
                int from = at + TYPE_BYTES;
                return new Ethernet(type, frame.slice(from, frame.remaining() - from));
            }
        }
        return null;
    }

    static int u8(ByteBuffer bytes, int at) {
        return bytes.get(at) & 0xFF;
    }

    static int u16(ByteBuffer bytes, int at) {
        return bytes.getShort(at) & 0xFFFF;
    }
}
