package io.urma4j.udma.device;

import io.urma4j.udma.command.CardState;
import io.urma4j.udma.command.SendWait;
import io.urma4j.udma.command.SendWait.Reason;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says of each unfinished work request of a send queue what it waits for, like ones together. */
final class SendWaits {
    /** More than a person reads. */
    private static final int MAX_LINES = 64;

    private final SendQueue queue;
    private final Slots slots;
    private final List<SendWait> lines = new ArrayList<>();

    private SendWaits(SendQueue queue, Slots slots) {
        this.queue = queue;
        this.slots = slots;
    }

    static List<SendWait> of(SendQueue queue, Slots slots) {
        SendWaits waits = new SendWaits(queue, slots);
        for (long position = queue.head(); position < queue.end(); position++) {
            byte stage = slots.stage(position);
            if (stage == Slots.WAITING || stage == Slots.STARTED) {
                waits.add(position, stage);
            }
        }
        return waits.lines;
    }

    private void add(long position, byte stage) {
        Flow flow = slots.flow(position);
        CardConnection link = flow == null ? null : flow.target.link();
        SendWait one = new SendWait(
                link == null ? 0 : link.peer().number(),
                flow == null ? 0 : flow.target.remoteQueue(),
                reason(position, stage, flow),
                1);
        for (int i = 0; i < lines.size(); i++) {
            SendWait line = lines.get(i);
            if (isLike(line, one)) {
                lines.set(i, new SendWait(line.peer(), line.remoteQueue(), line.reason(), line.count() + 1));
                return;
            }
        }
        if (lines.size() < MAX_LINES) {
            lines.add(one);
        }
    }

    private static boolean isLike(SendWait line, SendWait other) {
        return line.peer() == other.peer()
                && line.remoteQueue() == other.remoteQueue()
                && line.reason() == other.reason();
    }

    private Reason reason(long position, byte stage, @Nullable Flow flow) {
        if (queue.state() != CardState.READY) {
            return Reason.STATE;
        }
        boolean isMessage = WorkOpcode.isMessage(SendWqe.opcode(queue.config().ring(), queue.at(position)));
        if (flow != null && flow.probing && isMessage) {
            return Reason.RECEIVER;
        }
        if (stage == Slots.STARTED) {
            return Reason.ANSWER;
        }
        boolean mayFollow = flow == null || flow.peer == null || (isMessage && flow.peer.sentFetches == 0);
        return mayFollow ? Reason.TURN : Reason.ORDER;
    }
}
