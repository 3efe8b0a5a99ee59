package io.urma4j.udma.driver;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.tck.Patience;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From which memory long packets leave without a copy. */
class PinnedSegmentsTest {
    private static final int BYTES = 1 << 20;

    @TempDir
    private Path folder;

    private Urma homes;
    private Urma peers;
    private UrmaContext home;
    private UrmaContext peer;
    private Jfc jfc;
    private Jfs jfs;

    @BeforeEach
    void open() {
        homes = Urma.open(options("127.0.76.1"));
        peers = Urma.open(options("127.0.76.2"));
        home = homes.device("udma0").openContext();
        peer = peers.device("udma0").openContext();
        jfc = peer.createJfc(JfcConfig.DEFAULT);
        jfs = peer.createJfs(jfc, JfsConfig.DEFAULT);
    }

    @AfterEach
    void close() {
        peers.close();
        homes.close();
    }

    private UrmaOptions options(String address) {
        return UrmaOptions.DEFAULT
                .withRuntimeDirectory(folder)
                .withSetting("urma.udma.addresses", address)
                .withSetting("urma.udma.mtu", "32768");
    }

    private CompletionStatus status() {
        CompletionBatch batch = new CompletionBatch(1);
        Patience.await("a record", () -> jfc.poll(batch) == 1);
        return batch.status(0);
    }

    private static MemorySegment random(MemorySegment memory, long seed) {
        Random random = new Random(seed);
        for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
            memory.set(JAVA_LONG, at, random.nextLong());
        }
        return memory;
    }

    /** Packets of a context's device that left without a copy, as another context sees them. */
    private long gathered(UrmaContext context) {
        UrmaContext looking = context == home ? peer : home;
        Resource shown = looking.inspect(Set.of(Kind.PORT)).stream()
                .filter(view -> view.uasid() == context.uasid())
                .flatMap(view -> view.resources(Kind.PORT).stream())
                .findFirst()
                .orElseThrow();
        return Long.parseLong(shown.field("tx_gathered"));
    }

    private RemoteSegment imported(LocalSegment segment) {
        return peer.importSegment(SharedSegment.parse(segment.share()));
    }

    @Test
    void onlyAllocatedMemoryIsPinned() {
        LocalSegment there = home.register(home.allocate(BYTES), Access.READ_WRITE);
        RemoteSegment remote = imported(there);
        try (Arena arena = Arena.ofShared()) {
            LocalSegment foreign = peer.registerForeign(random(arena.allocate(BYTES, 64), 1), Access.LOCAL_ONLY);
            jfs.write(remote, 0, foreign, 0, BYTES, 1);
            assertThat(status()).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(there.memory().mismatch(foreign.memory())).isEqualTo(-1);
            assertThat(gathered(peer)).isZero();
            foreign.close();
        }

        LocalSegment allocated = peer.register(peer.allocate(BYTES), Access.LOCAL_ONLY);
        random(allocated.memory(), 2);
        jfs.write(remote, 0, allocated, 0, BYTES, 2);
        assertThat(status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(there.memory().mismatch(allocated.memory())).isEqualTo(-1);
        assertThat(gathered(peer)).isGreaterThanOrEqualTo(BYTES / 32_768); // more where a busy machine retransmits

        random(there.memory(), 3);
        jfs.read(remote, 0, allocated, 0, BYTES, 3);
        assertThat(status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(there.memory().mismatch(allocated.memory())).isEqualTo(-1);
        assertThat(gathered(home)).isGreaterThanOrEqualTo(BYTES / 32_768);
    }

    /** The reader sees old words, new words, or an error of the network that is mended by itself; and never stays without. */
    @Test
    void aReadOfMemoryThatChangesAllTheTimeEnds() {
        LocalSegment there = home.register(home.allocate(BYTES), Access.READ_WRITE);
        RemoteSegment remote = imported(there);
        LocalSegment here = peer.register(peer.allocate(BYTES), Access.LOCAL_ONLY);
        whileItChanges(there.memory(), i -> jfs.read(remote, 0, here, 0, BYTES, i));
    }

    /** Its application should not do that, but gets what RDMA gives: old words and new words. */
    @Test
    void aWriteOfMemoryThatChangesAllTheTimeEnds() {
        RemoteSegment remote = imported(home.register(home.allocate(BYTES), Access.READ_WRITE));
        LocalSegment here = peer.register(peer.allocate(BYTES), Access.LOCAL_ONLY);
        whileItChanges(here.memory(), i -> jfs.write(remote, 0, here, 0, BYTES, i));
    }

    private void whileItChanges(MemorySegment memory, LongConsumer post) {
        AtomicBoolean isOver = new AtomicBoolean();
        Thread writer = Thread.ofPlatform().start(() -> {
            for (long value = 1; !isOver.get(); value++) {
                for (long at = 0; at < BYTES; at += 4096) {
                    memory.set(JAVA_LONG, at, value);
                }
                Thread.onSpinWait();
            }
        });
        try {
            for (int i = 0; i < 50; i++) {
                post.accept(i);
                assertThat(status()).isEqualTo(CompletionStatus.SUCCESS);
            }
        } finally {
            isOver.set(true);
            Patience.await("the writer's end", () -> !writer.isAlive());
        }
    }

    /** EAGAIN, and no crash: a packet may refer to it as long as it is registered. */
    @Test
    void pinnedMemoryIsNotClosedWhileItIsRegistered() {
        var memory = peer.allocate(BYTES);
        LocalSegment segment = peer.register(memory, Access.LOCAL_ONLY);
        RemoteSegment remote = imported(home.register(home.allocate(BYTES), Access.READ_WRITE));
        for (int i = 0; i < 20; i++) {
            jfs.write(remote, 0, segment, 0, BYTES, i);
        }
        assertThatExceptionOfType(UrmaException.class).isThrownBy(memory::close).withMessageContaining("EAGAIN");
        for (int i = 0; i < 20; i++) {
            assertThat(status()).isEqualTo(CompletionStatus.SUCCESS);
        }
        segment.close();
        memory.close();
    }
}
