package io.urma4j.buffer;

import java.util.concurrent.atomic.LongAdder;

/** What {@link Transfers} count. Safe for any thread. */
final class TransferCounters {
    final LongAdder succeeded = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder timedOut = new LongAdder();
    final LongAdder readBytes = new LongAdder();
    final LongAdder writtenBytes = new LongAdder();
    final LongAdder recoveries = new LongAdder();

    void succeeded(boolean isRead, long bytes) {
        succeeded.increment();
        (isRead ? readBytes : writtenBytes).add(bytes);
    }

    void failed(TransferStatus how) {
        failed.increment();
        if (how == TransferStatus.TIMED_OUT) {
            timedOut.increment();
        }
    }
}
