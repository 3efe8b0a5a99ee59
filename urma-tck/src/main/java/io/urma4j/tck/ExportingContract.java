package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.QueueState;
import io.urma4j.UrmaContext;
import io.urma4j.buffer.BufQueue;
import io.urma4j.buffer.Peer;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.PoolStats;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.RemoteBuf;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** What tests of exported buffers begin with. The pool is the initiator's, and the home is the peer. */
abstract class ExportingContract extends Contract {
    static final int SIZE = 4096;

    ExportingContract(String device) {
        super(device);
    }

    final UrmaContext context() {
        return pair.initiator().context();
    }

    final RegisteredBufferPool pool(int count) {
        return RegisteredBufferPool.open(PoolConfig.fixed(SIZE, count), context());
    }

    static RdmaBuf acquire(RegisteredBufferPool pool) {
        return pool.acquire(SIZE, Duration.ZERO);
    }

    static RdmaBuf filled(RegisteredBufferPool pool, int payload) {
        RdmaBuf buf = acquire(pool);
        new Payload(payload).fill(buf.view().segment(), 0, 0, SIZE);
        return buf;
    }

    final Peer peer() {
        return Peer.parse(pair.home().peerLine());
    }

    final RemoteBuf exported(RdmaBuf buf, Access access) {
        return buf.exportTo(peer(), buf.view(), access);
    }

    final HomeRemoteBuf opened(RemoteBuf exported) {
        return pair.home().remoteBuf(exported.toText());
    }

    static void assertHolds(RdmaBuf buf, int payload) {
        MemorySegment bytes = buf.view().segment();
        assertThat(new Payload(payload).firstDifference(bytes, 0, 0, SIZE)).isEqualTo(-1);
    }

    static byte[] bytes(int payload, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        new Payload(payload).fill(MemorySegment.ofArray(bytes), 0, 0, lengthBytes);
        return bytes;
    }

    static CompletionBatch suspend(BufQueue queue) {
        CompletionBatch batch = new CompletionBatch(1);
        queue.modify(QueueState.SUSPENDED);
        Patience.await("the suspension", () -> queue.poll(batch) == 1);
        return batch;
    }

    static void assertIdle(RegisteredBufferPool pool) {
        PoolStats stats = pool.stats();
        assertThat(stats.leases()).as(stats.toString()).isZero();
        assertThat(stats.quarantined()).as(stats.toString()).isZero();
        assertThat(stats.idleBytes()).as(stats.toString()).isEqualTo(stats.registeredBytes());
    }
}
