package io.urma4j.internal.message;

import io.urma4j.Completion;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.TargetJetty;
import io.urma4j.UrmaException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The buffers of a {@link MessageSender}: one for each message in flight. Under its lock. */
final class SendBuffers {
    private final LocalSegment memory;
    private final long strideBytes;
    private final Jfs jfs;
    private final TargetJetty target;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final @Nullable Sending[] inFlight; // by buffer

    /** Buffers that are all free. */
    SendBuffers(LocalSegment memory, long strideBytes, int count, Jfs jfs, TargetJetty target) {
        this.memory = memory;
        this.strideBytes = strideBytes;
        this.jfs = jfs;
        this.target = target;
        this.inFlight = new Sending[count];
        for (int buffer = 0; buffer < count; buffer++) {
            free.add(buffer);
        }
    }

    int freeCount() {
        return free.size();
    }

    int inFlightCount() {
        return inFlight.length - free.size();
    }

    /** The messages in flight, by buffer; the caller does not write the array. */
    @Nullable
    Sending[] inFlight() {
        return inFlight;
    }

    /** Copies a message into a free buffer, and posts it; false if there is none, or if the queue has no room. */
    boolean tryPost(Sending sending, MemorySegment payload) {
        Integer buffer = free.peek();
        if (buffer == null) {
            return false;
        }
        MemorySegment.copy(payload, 0, memory.memory(), buffer * strideBytes, sending.lengthBytes);
        if (!post(sending, buffer)) {
            return false;
        }
        free.remove();
        inFlight[buffer] = sending;
        return true;
    }

    /** Posts what a buffer holds, for the first time or again. */
    private boolean post(Sending sending, int buffer) {
        return jfs.send(
                sending.immediate.isPresent() ? Opcode.SEND_IMM : Opcode.SEND,
                target,
                memory,
                buffer * strideBytes,
                sending.lengthBytes,
                sending.immediate.orElse(0),
                buffer,
                PostFlags.DEFAULT);
    }

    /**
     * Returns the drained queue to READY, and posts again the messages that never started.
     *
     * @return the buffers of those that could not be posted, because the peer is gone
     */
    List<Integer> restart() {
        List<Completion> unstarted = jfs.flushAll();
        jfs.modify(QueueState.RESET);
        jfs.modify(QueueState.READY);
        List<Integer> unsent = new ArrayList<>();
        for (Completion completion : unstarted) {
            int buffer = (int) completion.userContext();
            if (!isPostedAgain(buffer)) {
                unsent.add(buffer);
            }
        }
        return unsent;
    }

    private boolean isPostedAgain(int buffer) {
        Sending sending = inFlight[buffer];
        try {
            return sending != null && post(sending, buffer);
        } catch (UrmaException e) {
            return false; // its sender gets the failure
        }
    }

    /** The message in a buffer, which has a result: the buffer is free. Null if it held none. */
    @Nullable
    Sending release(int buffer) {
        Sending sending = inFlight[buffer];
        if (sending != null) {
            inFlight[buffer] = null;
            free.add(buffer);
        }
        return sending;
    }

    @Override
    public String toString() {
        return inFlightCount() + " of " + inFlight.length + " send buffers in flight";
    }
}
