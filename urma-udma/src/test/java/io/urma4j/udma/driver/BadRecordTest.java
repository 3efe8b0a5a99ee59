package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.IntTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** S10.4: an element of a completion queue that cannot be translated, among others that can. */
class BadRecordTest {
    private static final int BATCH = 8;

    @TempDir
    Path folder;

    private LoneContext lone;
    private ProviderJfc jfc;
    private ProviderSendQueue good;
    private ProviderSendQueue bad;

    @BeforeEach
    void open() {
        lone = new LoneContext(folder, "127.0.72.2", 16);
        jfc = lone.context.createJfc(JfcConfig.DEFAULT, () -> {});
        good = lone.context.createSendQueue(JfsConfig.DEFAULT, jfc, null, null);
        bad = lone.context.createSendQueue(JfsConfig.DEFAULT, jfc, null, null);
        spoilTheRecordsOfTheYoungest();
    }

    @AfterEach
    void close() {
        lone.close();
    }

    private void spoilTheRecordsOfTheYoungest() {
        IntTable<RecordOwner> owners = lone.context.queues().owners();
        int tag = 1;
        while (owners.get(tag + 1) != null) {
            tag++;
        }
        owners.remove(tag);
        owners.put(tag, new Unreadable());
    }

    private static final class Unreadable implements RecordOwner {
        @Override
        public void record(long[] words, int at, NativeMemory ring, long cqe, int word) {
            throw new IllegalStateException("makes no sense");
        }

        @Override
        public void ended(NativeMemory ring, long cqe, int word) {
            // holds nothing
        }
    }

    private static void post(ProviderSendQueue queue, long userContext) {
        WorkRequest nop = new WorkRequest(1);
        nop.opcode = Opcode.NOP.value();
        nop.flags = PostFlags.SIGNALLED_BIT;
        nop.userContext = userContext;
        assertThat(queue.post(nop)).isTrue();
    }

    private List<Long> poll() {
        long[] words = new long[BATCH * CompletionRecord.WORDS];
        int count = jfc.poll(words, BATCH);
        List<Long> polled = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            polled.add(words[i * CompletionRecord.WORDS + CompletionRecord.USER_CONTEXT]);
        }
        return polled;
    }

    @Test
    void thoseBeforeItAndBehindItAreDeliveredOnce() {
        post(good, 1);
        post(good, 2);
        post(bad, 3);
        post(good, 4);

        assertThat(poll()).containsExactly(1L, 2L);
        assertThatIllegalStateException().isThrownBy(this::poll).withMessage("makes no sense");
        assertThat(poll()).containsExactly(4L);
        assertThat(poll()).isEmpty();
        assertThat(jfc.counters().get("records")).isEqualTo(3);
    }
}
