package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.UrmaContext;
import io.urma4j.WindowKey;
import io.urma4j.buffer.BatchOp;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.TransferOptions;
import io.urma4j.buffer.TransferProgress;
import io.urma4j.buffer.TransferResult;
import io.urma4j.buffer.Transfers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;

/** What tests of transfers begin with. The memory that is read and written is the home's. */
abstract class TransferringContract extends Contract {
    static final int SIZE = 4096;
    static final TransferOptions POLLED =
            TransferOptions.builder().progress(TransferProgress.BY_CALLER).build();

    TransferringContract(String device) {
        super(device);
    }

    @BeforeEach
    void needsTheCapability() {
        assumeTrue(pair.device().attributes().capabilities().windows(), "the device has no windows");
    }

    final UrmaContext context() {
        return pair.initiator().context();
    }

    final Transfers open(TransferOptions options) {
        return Transfers.open(options, context());
    }

    final RdmaBuf allocate(long lengthBytes) {
        return RdmaBuf.allocate(context(), lengthBytes);
    }

    /** Memory of a home, with a window of all of it. */
    record Exported(HomeSegment memory, HomeGrant grant, RemoteBuf buf) {}

    final Exported exported(long lengthBytes) {
        return exported(pair.home(), lengthBytes, Access.READ_WRITE);
    }

    final Exported exported(Home home, long lengthBytes, Access access) {
        HomeSegment memory = home.windowsOnlySegment(lengthBytes, Access.READ_WRITE_ATOMIC);
        HomeGrant grant = memory.grantTo(context().peerId(), 0, lengthBytes, access);
        return new Exported(memory, grant, bufOf(memory, grant));
    }

    static RemoteBuf bufOf(HomeSegment memory, HomeGrant grant) {
        return RemoteBuf.of(List.of(new RemoteBuf.Window(0, 0, memory.descriptor(), WindowKey.parse(grant.key()))));
    }

    /** Fills a view with bytes of a payload, from that position of it on. */
    static void fill(BufView view, int payload, long from) {
        new Payload(payload).fill(view.segment(), 0, from, view.size());
    }

    static void assertHas(BufView view, int payload, long from) {
        assertThat(new Payload(payload).firstDifference(view.segment(), 0, from, view.size()))
                .isEqualTo(-1);
    }

    /** The result of a batch, whichever thread makes progress. */
    static TransferResult result(Transfers transfers, BatchOp batch) {
        return result(transfers, batch.post(Patience.LIMIT));
    }

    static TransferResult result(Transfers transfers, CompletableFuture<TransferResult> future) {
        Patience.await("the result of a transfer", () -> {
            transfers.poll();
            return future.isDone();
        });
        return future.join();
    }

    static void assertSucceeds(Transfers transfers, BatchOp batch) {
        assertThat(result(transfers, batch).orThrow()).isEqualTo(batch.result());
    }

    static void awaitIdle(Transfers transfers, BatchOp batch) {
        Patience.await("the end of " + batch, () -> {
            transfers.poll();
            return batch.isIdle();
        });
    }

    static final Duration SHORT = Patience.stretched(Duration.ofMillis(50));
}
