package io.urma4j.udma.device;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Jetties that receive under one number. The home selects the member that receives a message. */
final class Group {
    private static final int HINTS = 256; // they come as 8 bits

    private final boolean byHint;
    private final List<Receiver> members = new ArrayList<>();
    private final int number;
    private int turns;

    Group(int number, boolean byHint) {
        this.number = number;
        this.byHint = byHint;
    }

    int number() {
        return number;
    }

    void add(Receiver member) {
        members.add(member);
    }

    void remove(Receiver member) {
        members.remove(member);
    }

    /** The receiver of a message that begins now; null if there is no member. */
    @Nullable
    Receiver choose(int hint) {
        int count = members.size();
        if (count == 0) {
            return null;
        }
        if (byHint) {
            return members.get(hint * count / HINTS);
        }
        int first = Math.floorMod(turns++, count);
        for (int i = 0; i < count; i++) {
            Receiver next = members.get((first + i) % count);
            if (next.isReady()) {
                return next;
            }
        }
        return members.get(first);
    }
}
