package io.urma4j.shm.control;

import io.urma4j.libc.ResourceLimit;
import io.urma4j.libc.ResourceLimit.Bounds;
import java.lang.System.Logger.Level;

/**
 * This process can open nothing while this is open; descriptors that it has stay usable. Only for code that has run before: a class is
 * loaded from a file.
 */
final class NoDescriptors implements AutoCloseable {
    private static final int STANDARD_STREAMS = 3; // poll refuses more descriptors than the limit

    private final Bounds before = ResourceLimit.NOFILE.bounds();

    NoDescriptors() {
        System.getLogger(NoDescriptors.class.getName())
                .log(Level.INFO, "no more descriptors"); // opens files, the first time
        ResourceLimit.NOFILE.set(new Bounds(STANDARD_STREAMS, before.hard()));
    }

    @Override
    public void close() {
        ResourceLimit.NOFILE.set(before);
    }
}
