package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.MapPlace;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedJetty;
import io.urma4j.UrmaContext;
import io.urma4j.WindowKey;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** An import of a home in this process, with a queue of its own. */
final class LocalHomeImport implements HomeImport {
    private final UrmaContext context;
    private final RemoteSegment remote;
    private final SendSide queue;

    LocalHomeImport(UrmaContext context, RemoteSegment remote) {
        this.context = context;
        this.remote = remote;
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        this.queue = new SendSide(context, jfc, context.createJfs(jfc, JfsConfig.DEFAULT));
    }

    @Override
    public Outcome write(long offset, byte[] bytes) {
        try (var memory = context.allocate(bytes.length);
                var source = context.register(memory, Access.LOCAL_ONLY)) {
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory.segment(), 0, bytes.length);
            return queue.write(remote, offset, source, 0, bytes.length);
        }
    }

    @Override
    public void addOnes(long offset, int times) {
        for (int i = 0; i < times; i++) {
            queue.atomic(Opcode.FADD, remote, offset, 8, 1, 0);
        }
    }

    @Override
    public long mappedWord(long offset) {
        return remote.map().get(JAVA_LONG, offset);
    }

    @Override
    public void setMappedWord(long offset, long value) {
        remote.map().set(JAVA_LONG, offset, value);
    }

    @Override
    public void holdWindow(String key, SharedJetty unready) {
        var window = remote.importWindow(WindowKey.parse(key));
        queue.jfs().send(context.importJetty(unready), queue.scratch(), 0, 8, 1);
        window.write(queue.jfs(), 0, queue.scratch(), 0, 8, 2, PostFlags.DEFAULT); // keeps the order
    }

    @Override
    public long mapAtHomeAddress() {
        return remote.map(MapPlace.SAME_ADDRESS).address();
    }

    @Override
    public List<AtomicStep> strike(long first, int words, int sizeBytes, long seed, int count) {
        return AtomicHammer.strike(queue, remote, first, words, sizeBytes, seed, count);
    }

    @Override
    public boolean isRevoked() {
        return remote.isRevoked();
    }

    @Override
    public void close() {
        remote.close();
    }
}
