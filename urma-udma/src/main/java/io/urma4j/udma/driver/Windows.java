package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.Importer;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.control.ExportedSegment;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The windows that this home has granted to importers of its segments. Each is a key of the card for a part of the segment,
 * bound to the peer like the key of the import. A revocation invalidates the key. The card checks the key of every packet,
 * so the window is quiet at once. Any thread.
 */
final class Windows {
    /** Maximum concurrent windows of a context. */
    private static final int MAX_WINDOWS = 4096;

    private static final int GENERATION_BITS = 8; // of a key of the card
    private static final int MAX_SLOT = (1 << Integer.SIZE - GENERATION_BITS) - 1;

    private final Object home;
    private final Keys keys;
    private final Consumer<List<Integer>> revoke;
    private final AtomicInteger out = new AtomicInteger();

    /** The card's keys. */
    @FunctionalInterface
    interface Keys {
        /** A key for a part of the segment that one peer has imported. */
        int make(Grant of, long offset, long lengthBytes, Access access);
    }

    Windows(Object home, Keys keys, Consumer<List<Integer>> revoke) {
        this.home = home;
        this.keys = keys;
        this.revoke = revoke;
    }

    /** Grants an importer a window, of a range that was checked. */
    ProviderGrant grant(UdmaSegment segment, Importer importer, long offset, long lengthBytes, Access access) {
        ExportedSegment<Grant> exported = segment.exported();
        Grant to = exported.forWindow(
                importer, access, "is isolated, so it has no windows: not every device can enforce them");
        if (out.incrementAndGet() > MAX_WINDOWS) {
            out.decrementAndGet();
            throw new UrmaException(UrmaStatus.ENOMEM, home, "limit of " + MAX_WINDOWS + " concurrent windows reached");
        }
        boolean isMade = false;
        try {
            OptionalInt key = to.addWindow(() -> keys.make(to, offset, lengthBytes, access));
            isMade = key.isPresent();
            return new Given(
                    to,
                    key.orElseThrow(() -> exported.notImported(importer)),
                    new WindowKey(
                            to.number(),
                            slot(key.getAsInt()),
                            generation(key.getAsInt()),
                            offset,
                            lengthBytes,
                            access));
        } finally {
            if (!isMade) {
                out.decrementAndGet();
            }
        }
    }

    /** Ends a grant: its key and those of its windows are invalid. */
    void shut(Grant grant) {
        out.addAndGet(-grant.revokeKeys(revoke));
    }

    // ---- the card's key of a window, in two words

    private static int slot(int key) {
        return key >>> GENERATION_BITS;
    }

    private static int generation(int key) {
        return key & (1 << GENERATION_BITS) - 1;
    }

    /** The card's key; 0, which is invalid, for an impossible one. */
    static int key(WindowKey key) {
        boolean isOne = key.slot() > 0
                && key.slot() <= MAX_SLOT
                && key.generation() >= 0
                && key.generation() < 1 << GENERATION_BITS;
        return isOne ? key.slot() << GENERATION_BITS | (int) key.generation() : 0;
    }

    /** A granted window. */
    private final class Given implements ProviderGrant {
        private final Grant of;
        private final int cardKey;
        private final WindowKey key;
        private volatile boolean takenBack;

        Given(Grant of, int cardKey, WindowKey key) {
            this.of = of;
            this.cardKey = cardKey;
            this.key = key;
        }

        @Override
        public WindowKey key() {
            return key;
        }

        @Override
        public void takeBack() {
            if (of.removeWindow(cardKey, revoke)) {
                out.decrementAndGet();
            }
            takenBack = true; // after the key: a thread that sees it can reuse the bytes
        }

        @Override
        public boolean isQuiet() {
            return takenBack;
        }
    }
}
