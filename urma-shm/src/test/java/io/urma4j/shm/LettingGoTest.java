package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.ContextOptions;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaOptions;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.SegmentRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** After the record of a work request, its caller may close at once what the request named. */
class LettingGoTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private final CompletableFuture<Integer> unfinished = new CompletableFuture<>(); // at the moment of the event

    @Test
    @Timeout(60)
    void aMessageHasLetGoOfItsTargetAndItsMemoryWhenItsRecordIsSeen() {
        var options = UrmaOptions.DEFAULT.withRuntimeDirectory(directory.resolve("runtime"));
        var device = new ShmProvider().devices(options).getFirst();
        ProviderContext context = device.openContext(0, ContextOptions.DEFAULT, event -> {});
        try {
            var memory = context.allocate(4096, AllocOptions.DEFAULT);
            var segment = context.register(
                            new SegmentRequest(memory, null, Access.LOCAL_ONLY, TokenPolicy.NONE, Token.of(0)))
                    .join();
            var arrivals = context.createJfc(JfcConfig.DEFAULT, () -> {});
            var receives = context.createReceiveQueue(
                    JfrConfig.builder().policy(TokenPolicy.NONE).build(), arrivals);
            ProviderTarget target =
                    context.importQueue(receives.descriptor(), null, PATIENCE).join();
            var jfc = context.createJfc(
                    JfcConfig.DEFAULT, () -> unfinished.complete(target.unfinished() + segment.unfinished()));
            var sends = context.createSendQueue(JfsConfig.builder().build(), jfc, null, null);

            receives.receive(segment, 64, 64, 1);
            jfc.rearm(false);
            sends.send(Opcode.SEND.value(), target, segment, 0, 8, 0, 2, PostFlags.DEFAULT.bits());
            long[] words = new long[CompletionRecord.WORDS];
            while (jfc.poll(words, 1) == 0) {
                arrivals.poll(words, 1);
            }

            // the thread that made the record, which may be another one, raises the event after it
            assertThat(unfinished).succeedsWithin(PATIENCE).isEqualTo(0);
        } finally {
            context.close(PATIENCE).join();
        }
    }
}
