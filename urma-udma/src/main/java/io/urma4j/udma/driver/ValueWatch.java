package io.urma4j.udma.driver;

import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The one action that runs after each value that a peer stores in a segment by WRITE_NOTIFY. */
final class ValueWatch {
    private final int tag;
    private volatile @Nullable Runnable onValue;

    /** @param tag that keys of the segment carry */
    ValueWatch(int tag) {
        this.tag = tag;
    }

    int tag() {
        return tag;
    }

    /** Runs {@code action} after each value, on the thread that drives the card. */
    void watch(Runnable action) {
        onValue = action;
    }

    /** A peer's WRITE_NOTIFY has stored a value. On whatever thread drives the card. */
    void stored() {
        Runnable action = onValue;
        if (action != null) {
            // full fence: the value, then the look for a sleeping reader: ReaderSleep.arm is the other side
            VarHandle.fullFence();
            action.run();
        }
    }
}
