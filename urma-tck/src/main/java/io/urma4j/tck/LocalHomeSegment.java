package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.PeerId;
import io.urma4j.Revocation;
import io.urma4j.SharedMemory;
import io.urma4j.SharedSegment;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;

/** A segment of a home in this process. */
final class LocalHomeSegment implements HomeSegment {
    private static final VarHandle WORD = JAVA_LONG.varHandle();

    private final MemorySegment memory;
    private final LocalSegment segment;

    LocalHomeSegment(SharedMemory memory, LocalSegment segment) {
        this.memory = memory.segment();
        this.segment = segment;
    }

    LocalSegment segment() {
        return segment;
    }

    @Override
    public SharedSegment shared() {
        return new SharedSegment(segment.descriptor(), segment.token());
    }

    @Override
    public int tokenId() {
        return segment.tokenId();
    }

    @Override
    public long lengthBytes() {
        return segment.lengthBytes();
    }

    @Override
    public void fill(Payload payload) {
        payload.fill(memory, 0, 0, memory.byteSize());
    }

    @Override
    public void put(long offset, byte[] bytes) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, offset, bytes.length);
    }

    @Override
    public byte[] get(long offset, int lengthBytes) {
        return memory.asSlice(offset, lengthBytes).toArray(JAVA_BYTE);
    }

    @Override
    public long firstDifference(Payload payload, long offset, long from, long lengthBytes) {
        return payload.firstDifference(memory, offset, from, lengthBytes);
    }

    @Override
    public boolean isZero(long offset, long lengthBytes) {
        for (long i = offset; i < offset + lengthBytes; i++) {
            if (memory.get(JAVA_BYTE, i) != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public long word(long offset) {
        return (long) WORD.getAcquire(memory, offset);
    }

    @Override
    public void setWord(long offset, long value) {
        WORD.setRelease(memory, offset, value);
    }

    @Override
    public void awaitWord(long offset, long value) {
        Patience.await("value " + value + " at offset " + offset + " of " + segment, () -> word(offset) == value);
    }

    @Override
    public List<String> importers() {
        return segment.importers();
    }

    @Override
    public HomeGrant grant(int importer, long offset, long lengthBytes, Access access) {
        return new LocalHomeGrant(segment.grant(segment.importing().get(importer), offset, lengthBytes, access));
    }

    @Override
    public HomeGrant grantTo(PeerId peer, long offset, long lengthBytes, Access access) {
        return new LocalHomeGrant(segment.grant(peer, offset, lengthBytes, access));
    }

    @Override
    public void publish(String name) {
        segment.publish(name);
    }

    @Override
    public Revocation unregister(Duration timeout) {
        return segment.unregister(timeout);
    }

    @Override
    public String toString() {
        return segment.toString();
    }
}
