package io.urma4j.tools.demo;

import io.urma4j.Access;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Operations on a remote segment, one at a time, through a registered buffer: what is written is made in it, so
 * that no byte is copied more often than it must be. For one thread; its context closes what it made.
 */
final class OneSided {
    private final RemoteSegment remote;
    private final LocalSegment buffer;
    private final Completions completions;
    private final Jfs jfs;

    /** Imports nothing: {@code remote} is the caller's. */
    OneSided(UrmaContext context, RemoteSegment remote, long bufferBytes) {
        this.remote = remote;
        this.buffer = context.register(context.allocate(bufferBytes), Access.LOCAL_ONLY);
        this.completions = new Completions(context);
        this.jfs = context.createJfs(
                completions.jfc(), JfsConfig.builder().lockFree(true).build());
    }

    /** What is written from, and read into: always from its start. */
    MemorySegment buffer() {
        return buffer.memory();
    }

    RemoteSegment remote() {
        return remote;
    }

    /** Copies the first bytes of the buffer to the remote segment. */
    void write(long remoteOffset, long lengthBytes) throws InterruptedException {
        accepted(jfs.write(remote, remoteOffset, buffer, 0, lengthBytes, 0));
        completions.awaitSuccess("the write of " + lengthBytes + " bytes at offset " + remoteOffset);
    }

    /** Copies bytes of the remote segment to the start of the buffer. */
    void read(long remoteOffset, long lengthBytes) throws InterruptedException {
        accepted(jfs.read(remote, remoteOffset, buffer, 0, lengthBytes, 0));
        completions.awaitSuccess("the read of " + lengthBytes + " bytes at offset " + remoteOffset);
    }

    /** Adds to the 8 bytes at an offset, and returns what they were before. */
    long fetchAndAdd(long remoteOffset, long delta) throws InterruptedException {
        accepted(jfs.fetchAndAdd(remote, remoteOffset, buffer, 0, delta, 0));
        completions.awaitSuccess("the addition at offset " + remoteOffset);
        return buffer.memory().get(ValueLayout.JAVA_LONG, 0);
    }

    private static void accepted(boolean accepted) {
        if (!accepted) { // one at a time never fills a queue
            throw new IllegalStateException("the queue is full, though nothing is unfinished");
        }
    }
}
