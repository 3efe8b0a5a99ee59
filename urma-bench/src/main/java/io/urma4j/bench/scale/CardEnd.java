package io.urma4j.bench.scale;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.command.ReceiveQueueConfig;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.command.SendQueueConfig.Kind;
import io.urma4j.udma.device.Card;
import io.urma4j.udma.ring.CqRing;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.ReceiveWqe;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WqRing;
import io.urma4j.udma.wire.Packet;
import java.util.ArrayDeque;

/** One of two hosts without sockets, with a queue each way, in the place of its driver. For one thread. */
final class CardEnd {
    private static final int DEPTH = 256;
    private static final int SEND_STRIDE = SendWqe.strideBytes(1, 0);
    private static final int RECEIVE_STRIDE = ReceiveWqe.strideBytes(1);

    private final ArrayDeque<Packet> pool;
    private final SimulatedHost host;
    private final NativeMemory cqRing = NativeMemory.allocate(CqRing.bytes(DEPTH));
    private final NativeMemory sendRing = ring(SEND_STRIDE);
    private final NativeMemory receiveRing = ring(RECEIVE_STRIDE);
    private final int sendQueue;
    private final int receiveNumber;
    private long posted;
    private long receives;
    private long taken;
    private int target;
    private int peerKey;

    CardEnd(int number, ArrayDeque<Packet> pool, boolean predicts) {
        this.pool = pool;
        host = new SimulatedHost(number, pool, CardOptions.DEFAULT.withPrediction(predicts));
        Card card = host.card();
        int cq = card.createCq(cqRing, DEPTH, 1, 0);
        receiveNumber = card.receiveNumber(
                card.createReceiveQueue(ReceiveQueueConfig.builder(receiveRing, DEPTH, RECEIVE_STRIDE, cq)
                        .build()));
        sendQueue = card.createSendQueue(SendQueueConfig.builder(Kind.RM, sendRing, DEPTH, SEND_STRIDE, cq)
                .build());
    }

    private static NativeMemory ring(int strideBytes) {
        return NativeMemory.allocate(WqRing.bytes(DEPTH, strideBytes));
    }

    void connect(CardEnd peer, long nowNanos) {
        int connection = host.connect(peer.host, Way.between(host, peer.host), nowNanos);
        target = host.card().createTarget(connection, peer.receiveNumber);
        peerKey = peer.host.key();
    }

    void postReceive(int bytes) {
        long at = WqRing.at(receives, DEPTH, RECEIVE_STRIDE);
        ReceiveWqe.put(receiveRing, at, 1, receives);
        ReceiveWqe.range(receiveRing, at, 0, host.key(), bytes, 0);
        WqRing.produced(receiveRing, ++receives);
    }

    void postSend(int bytes) {
        post(WorkOpcode.SEND, bytes);
    }

    void postWrite(int bytes) {
        post(WorkOpcode.WRITE, bytes);
    }

    private void post(int opcode, int bytes) {
        long at = WqRing.at(posted, DEPTH, SEND_STRIDE);
        SendWqe.put(sendRing, at, opcode, WorkOpcode.SIGNALLED, 1, target, bytes);
        SendWqe.remote(sendRing, at, peerKey, SimulatedHost.VA);
        SendWqe.range(sendRing, at, 0, host.key(), bytes, 0);
        WqRing.produced(sendRing, ++posted);
    }

    /** What was posted leaves. */
    void ring(long nowNanos) {
        host.card().doorbell(sendQueue);
        host.card().step(nowNanos);
    }

    Card card() {
        return host.card();
    }

    /** What leaves arrives at the peer. */
    void deliver(CardEnd peer, Way there, Way back, long nowNanos) {
        while (host.leaving() > 0) {
            host.nextWay();
            Packet packet = host.nextPacket();
            peer.host.receive(packet, there, back, nowNanos);
            pool.add(packet);
        }
    }

    Way wayTo(CardEnd peer) {
        return Way.between(host, peer.host);
    }

    /** Takes all records; returns how many. */
    int poll() {
        int count = 0;
        long at = CqRing.at(taken, DEPTH);
        int word = Cqe.word(cqRing, at);
        while (Cqe.owner(word) == CqRing.owner(taken, DEPTH)) {
            if (Cqe.status(word) != 0) {
                throw new IllegalStateException("a record has status " + Cqe.status(word));
            }
            CqRing.consumed(cqRing, ++taken);
            count++;
            at = CqRing.at(taken, DEPTH);
            word = Cqe.word(cqRing, at);
        }
        return count;
    }
}
