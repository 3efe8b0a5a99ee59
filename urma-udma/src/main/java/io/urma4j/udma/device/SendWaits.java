package io.urma4j.udma.device;

import io.urma4j.QueueState;
import io.urma4j.spi.support.OrderWindow;
import io.urma4j.spi.support.SendEntry.Stage;
import io.urma4j.udma.command.SendWait;
import io.urma4j.udma.command.SendWait.Reason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Describes what each unfinished work request of a send queue waits for, grouped. */
final class SendWaits {
    /** Maximum entries; a person does not read more. */
    private static final int MAX_LINES = 64;

    private SendWaits() {}

    static List<SendWait> of(QueueState state, OrderWindow<SendSlot, PeerFlow> window) {
        Map<SendWait, Integer> counts = new LinkedHashMap<>();
        for (long position = window.head(); position < window.end(); position++) {
            SendSlot slot = window.at(position);
            if (!slot.isSettled()) {
                counts.merge(one(state, slot), 1, Integer::sum);
            }
        }
        return counts.entrySet().stream()
                .limit(MAX_LINES)
                .map(line -> new SendWait(
                        line.getKey().peer(),
                        line.getKey().remoteQueue(),
                        line.getKey().reason(),
                        line.getValue()))
                .toList();
    }

    private static SendWait one(QueueState state, SendSlot slot) {
        Flow flow = slot.flow;
        CardConnection link = flow == null ? null : flow.target.link();
        return new SendWait(
                link == null ? 0 : link.peer().number(),
                flow == null ? 0 : flow.target.remoteQueue(),
                reason(state, slot, flow),
                1);
    }

    private static Reason reason(QueueState state, SendSlot slot, @Nullable Flow flow) {
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
