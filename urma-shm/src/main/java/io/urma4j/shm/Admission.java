package io.urma4j.shm;

import io.urma4j.Opcode;
import io.urma4j.shm.control.InvalidateResult;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.ring.Answer;
import io.urma4j.shm.ring.RingReceiver;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Finds the receiver of the message in the current slot, and decides whether it may take it. For the holder of the receive lock. */
final class Admission {
    private final Receivers receivers;
    private final Peer peer;
    private final IntFunction<InvalidateResult> invalidation;
    private final RingReceiver in;

    /** The admission of what {@code peer} sends by {@code in}; {@code invalidation} revokes a token id. */
    Admission(Receivers receivers, Peer peer, IntFunction<InvalidateResult> invalidation, RingReceiver in) {
        this.receivers = receivers;
        this.peer = peer;
        this.invalidation = invalidation;
        this.in = in;
    }

    /** The receiver of the message that begins in the slot; null if the number is unknown. */
    @Nullable
    Inbound receiver() {
        Inbound inbound = receivers.get(in.target());
        return inbound == null ? memberOfGroup() : inbound;
    }

    private @Nullable Inbound memberOfGroup() {
        ShmJettyGroup group = receivers.group(in.target());
        return group == null ? null : group.choose(peer, in.source(), in.hint());
    }

    /** Whether the message may be received, as an answer. */
    int of(@Nullable Inbound inbound) {
        int opcode = in.opcode();
        if (opcode != SEND && opcode != SEND_IMM && opcode != SEND_INVALIDATE && opcode != WRITE_IMM) {
            return Answer.UNSUPPORTED;
        }
        if (inbound == null) {
            return Answer.FAILED; // the number is unused now
        }
        if (inbound.takesDatagrams()) {
            return Answer.UNSUPPORTED; // they alone
        }
        int admission = inbound.admission(peer, in.source());
        if (admission == Answer.TAKEN && opcode == SEND_INVALIDATE) {
            return invalidate(inbound);
        }
        return admission;
    }

    /**
     * The same of a message that has begun, whose receiver may have failed, or been closed, unbound or bound anew since (S5.8,
     * S6.13).
     *
     * @param connection of the receiver when it began
     */
    int ofRest(Inbound inbound, int connection) {
        if (inbound.receives().isClosed() || !inbound.equals(receivers.get(inbound.id()))) {
            return Answer.FAILED;
        }
        int admission = inbound.admission(peer, in.source());
        return admission == Answer.TAKEN && inbound.connection() != connection ? Answer.NOT_READY : admission;
    }

    /** The token id is revoked before the record is visible (S8.11); until then the sender retransmits the message. */
    private int invalidate(Inbound inbound) {
        if (!inbound.receives().allowsInvalidate()) {
            return Answer.REFUSED;
        }
        InvalidateResult result = invalidation.apply((int) in.immediate());
        return switch (result) {
            case DONE -> Answer.TAKEN;
            case IN_PROGRESS -> Answer.LATER;
            case NOT_ALLOWED -> Answer.REFUSED;
        };
    }

    // Opcode.value() as constants
    private static final int SEND = Opcode.SEND.value();
    private static final int SEND_IMM = Opcode.SEND_IMM.value();
    private static final int SEND_INVALIDATE = Opcode.SEND_INVALIDATE.value();
    private static final int WRITE_IMM = Opcode.WRITE_IMM.value();
}
