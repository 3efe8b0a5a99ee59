package io.urma4j.simulation;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.ring.CqRing;
import io.urma4j.udma.ring.Cqe;

/** Reads the records of a process, which has one CQ for all its sends and one for all its receives. */
final class CompletionReader {
    private static final int DEPTH = 1 << 12;

    private final Life life;
    private final Ring sent;
    private final Ring arrived;

    CompletionReader(Life life) {
        this.life = life;
        this.sent = new Ring(life);
        this.arrived = new Ring(life);
    }

    int sendCq() {
        return sent.cq;
    }

    int receiveCq() {
        return arrived.cq;
    }

    /** Polls both queues until they are empty. Receives come first: a send record may report one of these messages. */
    void read() {
        while (arrived.has()) {
            receive(arrived);
        }
        while (sent.has()) {
            send(sent);
        }
    }

    private void receive(Ring ring) {
        long at = ring.at();
        int word = ring.word();
        int tag = Cqe.tag(ring.memory, at);
        if ((Cqe.flags(word) & Cqe.RECEIVE) == 0 || tag >= life.receives.size()) {
            throw Violation.of("%s: a record of tag %d, flags 0x%x in the CQ of receives", life, tag, Cqe.flags(word));
        }
        ReceiveSide side = life.receives.get(tag);
        long position = Cqe.position(ring.memory, at);
        long length = Cqe.lengthBytes(ring.memory, at);
        long immediate = Cqe.immediate(ring.memory, at);
        note(word, tag, position);
        note(0, length, immediate);
        ring.taken();
        side.recorded(position, Cqe.status(word), Cqe.opcode(word), length, immediate);
    }

    private void send(Ring ring) {
        long at = ring.at();
        int word = ring.word();
        int tag = Cqe.tag(ring.memory, at);
        if ((Cqe.flags(word) & Cqe.RECEIVE) != 0 || tag >= life.sends.size()) {
            throw Violation.of("%s: a record of tag %d, flags 0x%x in the CQ of sends", life, tag, Cqe.flags(word));
        }
        long position = Cqe.position(ring.memory, at);
        note(word, tag, position);
        ring.taken();
        life.sends.get(tag).recorded(position, Cqe.status(word), Cqe.flags(word));
    }

    private void note(int word, long one, long other) {
        life.world.digest.add(word);
        life.world.digest.add(one);
        life.world.digest.add(other);
    }

    private static final class Ring {
        private final NativeMemory memory = NativeMemory.allocate(CqRing.bytes(DEPTH));
        private final int cq;
        private long position;

        Ring(Life life) {
            cq = life.card.createCq(memory, DEPTH, 1, 0);
        }

        long at() {
            return CqRing.at(position, DEPTH);
        }

        int word() {
            return Cqe.word(memory, at());
        }

        boolean has() {
            return Cqe.owner(word()) == CqRing.owner(position, DEPTH);
        }

        void taken() {
            CqRing.consumed(memory, ++position);
        }
    }
}
