package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.ContextOptions;
import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.UrmaOptions;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderDevice;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.UrmaProvider;
import io.urma4j.spi.WorkRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * S10.4: the polling thread also drives work that other threads wait for. When that throws, no record is lost. The test
 * works below the API, whose own events do not throw; a subclass names its provider.
 */
@SuppressWarnings("NullAway.Init") // everything is opened before each test
@Timeout(60)
public abstract class FailingPollContract {
    private static final int RECORDS = 200; // more polls than lie between two drives
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private Path runtime;

    private final UrmaProvider provider;
    private final UrmaOptions options;
    private ProviderDevice device;
    private ProviderContext context;

    protected FailingPollContract(UrmaProvider provider, UrmaOptions options) {
        this.provider = provider;
        this.options = options;
    }

    @BeforeEach
    void open() {
        device = provider.devices(options.withRuntimeDirectory(runtime)).getFirst();
        context = device.openContext(0, ContextOptions.DEFAULT, event -> {});
    }

    @AfterEach
    void close() {
        context.close(PATIENCE).join();
        device.close();
    }

    @ParameterizedTest(name = "lockFree={0}")
    @ValueSource(booleans = {true, false})
    void recordsAreThereWhenAnEventOfAnotherQueueThrows(boolean lockFree) {
        ProviderJfc jfc = context.createJfc(new JfcConfig(1024, lockFree), () -> {});
        ProviderSendQueue queue = queue(jfc, lockFree);
        for (int i = 0; i < RECORDS; i++) {
            assertThat(queue.post(nop(i))).isTrue();
        }
        ProviderJfc other = context.createJfc(JfcConfig.DEFAULT.withDepth(2), () -> {
            throw new IllegalStateException("the event fails");
        });
        ProviderSendQueue owing = owesAMarker(other);

        int failures = 0;
        List<Long> seen = new ArrayList<>();
        long[] words = new long[CompletionRecord.WORDS];
        for (int poll = 0; poll < 4 * RECORDS && seen.size() < RECORDS; poll++) {
            try {
                if (jfc.poll(words, 1) == 1) {
                    seen.add(words[CompletionRecord.USER_CONTEXT]);
                }
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("the event fails");
                failures++;
            }
        }

        assertThat(failures).as("polls that threw").isPositive();
        assertThat(seen)
                .containsExactlyElementsOf(LongStream.range(0, RECORDS).boxed().toList());
        queue.close();
        jfc.close();
        owing.close();
        other.close();
    }

    /** A queue whose next step makes a marker, and so fires the event of {@code jfc}. */
    private ProviderSendQueue owesAMarker(ProviderJfc jfc) {
        ProviderSendQueue queue = queue(jfc, false);
        jfc.rearm(true); // successes of its own are no event, a marker is
        for (int i = 0; i < jfc.depth(); i++) {
            queue.post(nop(i));
        }
        queue.modify(QueueState.SUSPENDED); // for whose marker there is no room
        long[] words = new long[2 * CompletionRecord.WORDS];
        assertThat(jfc.poll(words, 2)).isEqualTo(2);
        return queue;
    }

    private ProviderSendQueue queue(ProviderJfc jfc, boolean lockFree) {
        return context.createSendQueue(
                JfsConfig.builder().depth(jfc.depth()).lockFree(lockFree).build(), jfc, null, null);
    }

    private static WorkRequest nop(long userContext) {
        WorkRequest request = new WorkRequest(1);
        request.opcode = Opcode.NOP.value();
        request.flags = PostFlags.SIGNALLED_BIT;
        request.userContext = userContext;
        return request;
    }
}
