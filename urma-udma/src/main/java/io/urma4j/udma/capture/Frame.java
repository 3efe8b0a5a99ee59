package io.urma4j.udma.capture;

import java.nio.ByteBuffer;

/**
 * A frame of Ethernet, as it was captured.
 *
 * @param number its number in the file, from 1 on
 * @param timeNanos since 1970
 * @param bytes what was captured of it, from the destination address on
 * @param wireBytes how long it was
 */
public record Frame(long number, long timeNanos, ByteBuffer bytes, long wireBytes) {
    /** Whether the capture holds all of it. */
    public boolean isWhole() {
        return bytes.remaining() >= wireBytes;
    }
}
