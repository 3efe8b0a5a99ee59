package io.urma4j.shm.control;

import io.urma4j.libc.Dir;
import io.urma4j.libc.LockFile;
import java.io.IOException;
import java.nio.file.Path;

/** The lock of a raw peer's UASID: while it is held, the end of a connection is no proof of the peer's end. */
final class HeldLock implements AutoCloseable {
    private final Dir directory;
    private final LockFile file;

    HeldLock(Path path, PeerId of) throws IOException {
        directory = Dir.open(path);
        file = LockFile.take(directory, "%06x.lock".formatted(RawPeer.UASID)).orElseThrow();
        file.write(of.toLine());
    }

    @Override
    public void close() {
        file.remove();
        directory.close();
    }
}
