package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.SegmentRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer that is heard but acknowledges nothing: the connection is given up, and the next import greets anew. */
class StuckPeerTest {
    private static final Token TOKEN = Token.of(7);

    @TempDir
    java.nio.file.Path folder;

    private final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);

    @Test
    void connectionIsMadeAnewWithOtherNumbers() {
        try (LoneContext home = new LoneContext(folder, "127.0.72.2", 100);
                LoneContext user = new LoneContext(folder, "127.0.72.3", 100)) {
            SegmentDescriptor descriptor = home.context
                    .exports()
                    .register(new SegmentRequest(null, memory, Access.READ, TokenPolicy.PLAIN_TEXT, TOKEN))
                    .descriptor();
            UdmaImport first = importOf(user, descriptor);
            Path path = Objects.requireNonNull(first.path());

            user.adapter.peerStuck(path.connection());
            user.adapter
                    .engine()
                    .ask(() -> CompletableFuture.completedFuture(true))
                    .join(); // it has been dealt with

            assertThat(first.isRevoked()).as("whether the import ended").isTrue();
            assertThat(user.events)
                    .filteredOn(event -> event.type() == AsyncEvent.Type.PEER_LOST)
                    .singleElement()
                    .satisfies(event ->
                            assertThat(event.detail()).contains("its packets arrive, but it acknowledges nothing"));

            UdmaImport second = importOf(user, descriptor);

            assertThat(second.isRevoked()).isFalse();
            assertThat(Objects.requireNonNull(second.path()).peer().own().number())
                    .as("number of the new connection")
                    .isNotEqualTo(path.peer().own().number());
        }
    }

    private static UdmaImport importOf(LoneContext user, SegmentDescriptor descriptor) {
        ImportRequest request = new ImportRequest(descriptor, TOKEN, Access.READ, Duration.ofSeconds(10));
        return (UdmaImport) user.context.importSegment(request).join();
    }
}
