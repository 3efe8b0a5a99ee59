package io.urma4j.shm.control;

import io.urma4j.libc.Fd;
import java.nio.ByteBuffer;
import java.util.List;

/** A message that waits for space in the socket, with its own duplicates of the descriptors. */
record PendingSend(ByteBuffer bytes, List<Fd> descriptors) {
    void close() {
        descriptors.forEach(Fd::close);
    }
}
