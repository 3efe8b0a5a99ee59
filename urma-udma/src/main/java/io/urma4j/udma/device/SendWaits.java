package io.urma4j.udma.device;

import io.urma4j.QueueState;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.SendEntry.Stage;
import io.urma4j.udma.command.SendWait;
import io.urma4j.udma.command.SendWait.Reason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Describes what each unfinished work request of a send queue waits for, grouped. */
final class SendWaits {
    /** Maximum entries; a person does not read more. */
    private static final int MAX_LINES = 64;

    private final QueueState state;
    private final List<SendWait> lines = new ArrayList<>();

    private SendWaits(QueueState state) {
        this.state = state;
    }

    static List<SendWait> of(QueueState state, OrderWindow<SendSlot, PeerFlow> window) {
        SendWaits waits = new SendWaits(state);
        for (long position = window.head(); position < window.end(); position++) {
            SendSlot slot = window.at(position);
            if (!slot.isSettled()) {
                waits.add(slot);
            }
        }
        return waits.lines;
    }

    private void add(SendSlot slot) {
        Flow flow = slot.flow;
        CardConnection link = flow == null ? null : flow.target.link();
        SendWait one = new SendWait(
                link == null ? 0 : link.peer().number(),
                flow == null ? 0 : flow.target.remoteQueue(),
                reason(slot, flow),
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

    private Reason reason(SendSlot slot, @Nullable Flow flow) {
        if (state != QueueState.READY) {
            return Reason.STATE;
        }
        if (slot.awaitsEvent()) {
            return Reason.EVENT;
        }
        if (flow != null && flow.probing && slot.isMessage()) {
            return Reason.RECEIVER;
        }
        if (slot.stage == Stage.STARTED || slot.stage == Stage.COPYING) {
            return Reason.ANSWER;
        }
        boolean mayFollow = flow == null || flow.peer == null || (slot.isMessage() && flow.peer.sentFetches == 0);
        return mayFollow ? Reason.TURN : Reason.ORDER;
    }
}
