package io.urma4j.shm.bounce;

import io.urma4j.spi.support.StagedRegion;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Imported device memory, which its home serves. The calls block as long as the home's device takes, so no lock may be held. Safe for
 * any thread.
 *
 * @param client asks the home
 * @param grant number of the import at the home
 * @param base where the memory begins in the segment
 * @param isGone whether the import was revoked
 * @param opened the same segment where this process has opened it; the home serves what that cannot
 */
public record ServedMemory(
        BounceClient client,
        long grant,
        long base,
        BooleanSupplier isGone,
        @Nullable OpenedMemory opened) {
    /** The memory from that byte on. */
    public ServedMemory from(long offset) {
        return new ServedMemory(client, grant, base + offset, isGone, opened);
    }

    /**
     * Copies it to memory that other threads read.
     *
     * @throws RemoteFailure if the home could not or did not; some bytes may have been copied
     * @throws IllegalStateException if {@code to} was closed meanwhile
     */
    public void read(long offset, MemorySegment to, long toOffset, long length) {
        checkOpen();
        if (opened == null || !opened.tryRead(base + offset, to, toOffset, length)) {
            client.read(this, offset, to, toOffset, length);
        }
    }

    /** Its whole segment where this process has opened it; null where its home must move the bytes. */
    public @Nullable StagedRegion opened(boolean forWrite) {
        checkOpen();
        return opened == null ? null : opened.usable(forWrite);
    }

    /** Copies memory that other threads write to it; fails as {@link #read}. */
    public void write(long offset, MemorySegment from, long fromOffset, long length) {
        checkOpen();
        if (opened == null || !opened.tryWrite(base + offset, from, fromOffset, length)) {
            client.write(this, offset, from, fromOffset, length);
        }
    }

    /** Executes an atomic on it; returns the old value. Fails as {@link #read}. */
    public long atomic(int opcode, long offset, int sizeBytes, long operand, long expected) {
        return client.atomic(this, opcode, offset, sizeBytes, operand, expected);
    }

    /** Checks that the import is valid. */
    public void checkOpen() {
        if (isGone.getAsBoolean()) {
            throw BounceLane.gone();
        }
    }
}
