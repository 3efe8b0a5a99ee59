package io.urma4j.socket.ring;

import java.nio.ByteBuffer;

/** Parts of arrays of buffers. */
final class Buffers {
    private Buffers() {}

    static boolean haveRemaining(ByteBuffer[] buffers, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (buffers[i].hasRemaining()) {
                return true;
            }
        }
        return false;
    }
}
