package io.urma4j.shm.control;

import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.ResourceLimit;
import io.urma4j.libc.ResourceLimit.Bounds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * This process can open nothing while this is open; descriptors that it has stay usable. Only for code that has run before: a class is
 * loaded from a file.
 */
final class NoDescriptors implements AutoCloseable {
    private static final int STANDARD_STREAMS = 3; // poll refuses more descriptors than the limit

    private final Bounds before = ResourceLimit.NOFILE.bounds();
    private final Deque<Fd> fillers = new ArrayDeque<>();

    NoDescriptors() {
        this(STANDARD_STREAMS);
    }

    private NoDescriptors(int limit) {
        System.getLogger(NoDescriptors.class.getName())
                .log(Level.INFO, "no more descriptors"); // opens files, the first time
        ResourceLimit.NOFILE.set(new Bounds(limit, before.hard()));
    }

    /** Few are left. */
    private static NoDescriptors but(int few) {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            int last = open.mapToInt(fd -> Integer.parseInt(fd.getFileName().toString()))
                    .max()
                    .orElseThrow();
            return new NoDescriptors(last + few);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Exactly that many are left. */
    static NoDescriptors allBut(int few, Fd any) {
        NoDescriptors made = but(few);
        try {
            while (true) {
                made.fillers.add(any.duplicate());
            }
        } catch (LibcException e) {
            IntStream.range(0, few).forEach(_ -> made.fillers.remove().close());
        }
        return made;
    }

    @Override
    public void close() {
        fillers.forEach(Fd::close);
        ResourceLimit.NOFILE.set(before);
    }
}
