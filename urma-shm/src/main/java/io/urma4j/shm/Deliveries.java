package io.urma4j.shm;

import io.urma4j.CompletionStatus;
import io.urma4j.Opcode;
import io.urma4j.ReceiveState;
import io.urma4j.shm.control.InvalidateResult;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.ring.Answer;
import io.urma4j.shm.ring.RingReceiver;
import io.urma4j.shm.ring.SlotFlags;
import io.urma4j.spi.support.Placement;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Handles the slots that arrive by a path: each is matched with a receive work request, copied, recorded and answered. One
 * thread at a time, under the path's receive lock.
 *
 * <p>A flow is one queue to one target. A message that finds no receive work request is rejected, and its flow is held from
 * then on: later messages of the flow are rejected until the sender restarts with that very message. So messages of a flow
 * are received in order, and no flow waits for another.
 */
final class Deliveries {
    private static final int RETRY_INVALIDATE_MICROS = 200;

    /** In place of an answer: the slot waits for a copy engine. */
    private static final int FILLING = -1;

    private final Receivers receivers;
    private final Peer peer;
    private final RemoteName sender;
    private final Admission admission;
    private final RingReceiver in;
    private final HeldFlows held = new HeldFlows();
    private final Map<Long, Train> trains = new HashMap<>();
    private long laterChunks;
    private volatile @Nullable DeviceFill fill; // of the current slot, which waits for it; volatile: any thread looks

    /** The deliveries of {@code peer} by {@code in}; records name it {@code sender}, {@code invalidation} revokes a token id. */
    Deliveries(
            Receivers receivers,
            Peer peer,
            RemoteName sender,
            IntFunction<InvalidateResult> invalidation,
            RingReceiver in) {
        this.receivers = receivers;
        this.peer = peer;
        this.sender = sender;
        this.admission = new Admission(receivers, peer, invalidation, in);
        this.in = in;
    }

    /** Handles the current slot, and answers it; false if no honest sender would send it. */
    boolean deliver() {
        if (in.has(SlotFlags.DATAGRAM)) {
            return deliverDatagram();
        }
        if (!held.isEmpty() && isHeld()) {
            laterChunks += in.has(SlotFlags.FIRST) ? 0 : 1;
            in.answer(Answer.HELD, 0);
            return true;
        }
        boolean first = in.has(SlotFlags.FIRST);
        if (first && !trains.isEmpty()) {
            abandonTrain(trains.remove(flow())); // the sender gave up what it had begun
        }
        if (in.has(SlotFlags.SHORT) && deliverShort()) {
            return true;
        }
        if (first && in.has(SlotFlags.LAST)) {
            return deliverWhole();
        }
        return first ? beginTrain() : continueTrain();
    }

    /** How many slots have continued a message. Any thread may ask, and gets an answer that may be old. */
    long laterChunks() {
        return laterChunks;
    }

    private long flow() {
        return (long) in.source() << 32 | in.target();
    }

    private boolean isHeld() {
        if (in.has(SlotFlags.FIRST) && in.has(SlotFlags.RESTART)) {
            held.release(flow());
            return false;
        }
        return held.holds(flow(), in.position());
    }

    // ---- datagrams

    /** A datagram that finds no receive work request, or no queue for datagrams, is dropped (S12.1). */
    private boolean deliverDatagram() {
        int opcode = in.opcode();
        boolean whole = in.has(SlotFlags.FIRST) && in.has(SlotFlags.LAST) && in.totalBytes() == in.chunkBytes();
        if (!whole || (opcode != SEND && opcode != SEND_IMM)) {
            return false;
        }
        Inbound inbound = admission.receiver();
        if (inbound != null) { // an unknown number has no counter
            Drop reason = dropped(inbound);
            if (reason != null) {
                inbound.receives().drop(reason);
            }
        }
        if (fill == null) {
            in.answerTakenLater();
        }
        return true;
    }

    /** Delivers the datagram; or returns why not. */
    private @Nullable Drop dropped(Inbound inbound) {
        if (!inbound.takesDatagrams()) {
            return Drop.WRONG_MODE;
        }
        if (inbound.receives().state() != ReceiveState.READY || inbound.admission(peer, in.source()) != Answer.TAKEN) {
            return Drop.WRONG_STATE;
        }
        ReceiveWr wr = inbound.receives().take();
        if (wr == null) {
            return Drop.NO_RECEIVE;
        }
        if (!inbound.jfc().hasRoomForArrival()) {
            inbound.receives().giveBack(wr);
            return Drop.JFC_FULL;
        }
        return fill(inbound, wr, in.totalBytes()) == Answer.NOT_READY ? Drop.JFC_FULL : null;
    }

    // ---- messages of one slot

    private boolean deliverWhole() {
        long payload = payloadBytes();
        if (payload != in.chunkBytes()) {
            return false; // a record would promise bytes that were not sent
        }
        Inbound inbound = admission.receiver();
        int admitted = admission.of(inbound);
        if (inbound == null || admitted != Answer.TAKEN) {
            turnAway(admitted, inbound);
            return true;
        }
        ReceiveWr wr = takeReceive(inbound);
        if (wr == null) {
            turnAway(Answer.NOT_READY, inbound);
            return true;
        }
        int answer = fill(inbound, wr, payload);
        if (answer != FILLING) {
            answer(answer, inbound);
        }
        return true;
    }

    private void answer(int answer, Inbound inbound) {
        if (answer == Answer.TAKEN) {
            in.answerTakenLater();
        } else {
            turnAway(answer, inbound);
        }
    }

    /** The fast path: short, and with a receive work request. False otherwise; then nothing has happened. */
    private boolean deliverShort() {
        int opcode = in.opcode();
        Inbound inbound = receivers.get(in.target());
        if ((opcode != SEND && opcode != SEND_IMM)
                || inbound == null
                || inbound.takesDatagrams()
                || inbound.jfc() != inbound.receives().jfc()
                || inbound.admission(peer, in.source()) != Answer.TAKEN) {
            return false;
        }
        try {
            if (!inbound.receives().takeShort(in, inbound.header(in, CompletionStatus.SUCCESS), sender)) {
                return false;
            }
        } catch (IllegalStateException | WrongThreadException e) {
            Placement.forgetFence(e);
            return false; // a memory was closed: the general path finds out which, and reports it
        }
        in.answerTakenLater();
        return true;
    }

    /** Copies the message into its buffers and writes its record; returns the answer, or {@link #FILLING}. */
    private int fill(Inbound inbound, ReceiveWr wr, long payload) {
        if (payload > wr.capacityBytes) {
            return recorded(inbound, wr, payload, CompletionStatus.LOC_LEN_ERR);
        }
        if (wr.buffers.isOnDevice() && payload > 0) {
            fill = new DeviceFill(inbound, wr, null, in, 0);
            return FILLING;
        }
        return recorded(inbound, wr, payload, scatter(wr, 0));
    }

    private int recorded(Inbound inbound, ReceiveWr wr, long payload, CompletionStatus status) {
        inbound.receives().free(wr);
        if (!inbound.record(in, wr, status, in.totalBytes(), sender)) {
            inbound.receives().giveBack(wr); // its JFC is full: the message is not consumed
            return Answer.NOT_READY;
        }
        emptied(inbound, wr, payload);
        return status == CompletionStatus.SUCCESS ? Answer.TAKEN : Answer.FAILED;
    }

    /** The oldest receive work request, provided that its record will find space in the JFC (S10.5). */
    private @Nullable ReceiveWr takeReceive(Inbound inbound) {
        ReceiveWr wr = inbound.receives().take();
        if (wr != null && !inbound.jfc().hasRoomForArrival()) { // without a buffer no record is due: no overflow
            inbound.receives().giveBack(wr);
            return null;
        }
        return wr;
    }

    /** The message has its record. */
    private void emptied(Inbound inbound, ReceiveWr wr, long lengthBytes) {
        inbound.receives().emptied(wr);
        inbound.receives().count(lengthBytes);
    }

    /** Bytes of the message that need a buffer: those of a WRITE_IMM are already in place. */
    private long payloadBytes() {
        return in.opcode() == WRITE_IMM ? 0 : in.totalBytes();
    }

    private CompletionStatus scatter(ReceiveWr wr, long at) {
        try {
            wr.buffers.scatter(in.memory(), in.payloadAt(), at, in.chunkBytes());
            return CompletionStatus.SUCCESS;
        } catch (IllegalStateException | WrongThreadException e) {
            if (!in.memory().scope().isAlive()) {
                throw e; // not the buffer went away but the ring
            }
            Placement.forgetFence(e);
            return CompletionStatus.LOC_ACCESS_ERR;
        }
    }

    private void turnAway(int answer, @Nullable Inbound inbound) {
        int argument = 0;
        if (answer == Answer.NOT_READY || answer == Answer.LATER) {
            held.hold(flow(), in.position());
            argument = answer == Answer.LATER || inbound == null
                    ? RETRY_INVALIDATE_MICROS
                    : inbound.receives().rnrMicros();
        }
        in.answer(answer, argument);
    }

    // ---- messages of several slots

    private boolean beginTrain() {
        if (in.opcode() == WRITE_IMM) {
            return false; // has no payload here, so one slot is enough
        }
        Inbound inbound = admission.receiver();
        int admitted = admission.of(inbound);
        if (inbound == null || admitted != Answer.TAKEN) {
            turnAway(admitted, inbound);
            if (admitted != Answer.NOT_READY && admitted != Answer.LATER) {
                held.hold(flow(), in.position()); // the rest of it is turned away as well
            }
            return true;
        }
        ReceiveWr wr = takeReceive(inbound);
        if (wr == null) {
            turnAway(Answer.NOT_READY, inbound);
            return true;
        }
        Train train = new Train(inbound, wr, in);
        if (in.totalBytes() > wr.capacityBytes) {
            train.status = CompletionStatus.LOC_LEN_ERR;
        }
        trains.put(flow(), train);
        return load(train);
    }

    private boolean continueTrain() {
        laterChunks++;
        Train train = trains.get(flow());
        return train != null && load(train); // an honest sender begins with the first chunk
    }

    private boolean load(Train train) {
        ReceiveWr wr = train.wr;
        if (!train.goesOnWith(in)) {
            return false; // it has changed between chunks
        }
        int admitted = admission.ofRest(train.inbound, train.connection);
        if (admitted != Answer.TAKEN) {
            trains.remove(flow());
            breakOff(admitted, train.inbound, wr);
            return true;
        }
        if (train.status == CompletionStatus.SUCCESS && wr.buffers.isOnDevice() && in.chunkBytes() > 0) {
            fill = new DeviceFill(train.inbound, wr, train, in, train.received);
            return true;
        }
        if (train.status == CompletionStatus.SUCCESS) {
            train.status = scatter(wr, train.received);
        }
        return loaded(train);
    }

    /** The bytes of the current slot are where they belong. */
    private boolean loaded(Train train) {
        ReceiveWr wr = train.wr;
        train.received += in.chunkBytes();
        if (!in.has(SlotFlags.LAST)) {
            in.answer(Answer.TAKEN, 0);
            return true;
        }
        trains.remove(flow());
        int answer = recorded(train.inbound, wr, train.received, train.status);
        if (answer == Answer.TAKEN) {
            in.answer(Answer.TAKEN, 0);
        } else {
            turnAway(answer, train.inbound);
        }
        return true;
    }

    /** The receiver takes the rest of the message no more: it is not consumed. */
    private void breakOff(int answer, Inbound inbound, ReceiveWr wr) {
        inbound.receives().giveBack(wr);
        if (!in.has(SlotFlags.LAST)) {
            held.hold(flow(), in.position()); // the rest of it is turned away as well
        }
        turnAway(answer, inbound);
    }

    private static void abandonTrain(@Nullable Train train) {
        if (train != null) {
            train.inbound.receives().giveBack(train.wr);
        }
    }

    // ---- buffers in device memory

    /** Whether the current slot waits for a copy engine: no later one is taken meanwhile. Any thread may ask. */
    boolean isFilling() {
        return fill != null;
    }

    /** The copy of the current slot, for {@link DeviceFill#run} without the lock, and then {@link #filled}. */
    @Nullable
    DeviceFill fill() {
        return fill;
    }

    /** The copy of the current slot has ended so: its message goes on. */
    void filled(DeviceFill done, CompletionStatus status) {
        fill = null;
        Train train = done.train;
        if (done.isAbandoned) {
            done.inbound.receives().giveBack(done.wr);
            return;
        }
        int admitted = admission.ofRest(done.inbound, done.connection);
        if (in.has(SlotFlags.DATAGRAM)) {
            filledDatagram(done, status, admitted);
        } else if (admitted != Answer.TAKEN) {
            trains.values().remove(train);
            breakOff(admitted, done.inbound, done.wr);
        } else if (train != null) {
            train.status = status;
            loaded(train);
        } else {
            answer(recorded(done.inbound, done.wr, payloadBytes(), status), done.inbound);
        }
    }

    private void filledDatagram(DeviceFill done, CompletionStatus status, int admitted) {
        ShmReceiveQueue receives = done.inbound.receives();
        if (admitted != Answer.TAKEN) {
            receives.giveBack(done.wr);
            receives.drop(Drop.WRONG_STATE);
        } else if (recorded(done.inbound, done.wr, in.totalBytes(), status) == Answer.NOT_READY) {
            receives.drop(Drop.JFC_FULL);
        }
        in.answerTakenLater();
    }

    /** Whether the current slot waits for a copy engine that fills a buffer of such a receiver. */
    boolean isFilling(Predicate<Inbound> receiver) {
        DeviceFill current = fill;
        return current != null && receiver.test(current.inbound);
    }

    /** A receiver is closed. No copy of its is in progress. The rest of the messages that it had begun to receive is rejected. */
    void abandon(Predicate<Inbound> closed) {
        trains.entrySet().removeIf(entry -> {
            boolean its = closed.test(entry.getValue().inbound);
            if (its) {
                abandonTrain(entry.getValue());
                held.hold(entry.getKey(), in.position());
            }
            return its;
        });
    }

    /** The peer is gone: its partial messages end, and their buffers are free again. */
    void abandon() {
        DeviceFill current = fill;
        if (current != null) {
            current.isAbandoned = true; // its end gives the buffers back
            trains.values().remove(current.train);
        }
        trains.values().forEach(Deliveries::abandonTrain);
        trains.clear();
        held.clear();
    }

    // Opcode.value() as constants
    private static final int SEND = Opcode.SEND.value();
    private static final int SEND_IMM = Opcode.SEND_IMM.value();
    private static final int WRITE_IMM = Opcode.WRITE_IMM.value();
}
