package io.urma4j.socket.peering;

import java.util.concurrent.atomic.AtomicLong;

/** The memory that the rings of this process may take. Safe for any thread. */
final class Budget {
    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    Budget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    long limitBytes() {
        return limitBytes;
    }

    boolean take(long bytes) {
        long used = usedBytes.get();
        while (used + bytes <= limitBytes) {
            if (usedBytes.compareAndSet(used, used + bytes)) {
                return true;
            }
            used = usedBytes.get();
        }
        return false;
    }

    void giveBack(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    @Override
    public String toString() {
        return usedBytes + " of " + limitBytes + " bytes";
    }
}
