package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.Importer;
import io.urma4j.PeerId;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.ProviderRoceGrant;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ExportedSegment;
import io.urma4j.spi.control.PeerWindows;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The windows that this home has granted to importers of its segments. Each is a key of the card for a part of the segment,
 * bound to the peer like the key of the import. A revocation invalidates the key. The card checks the key of every packet,
 * so the window is quiet at once. Any thread.
 */
final class Windows {
    /** Maximum concurrent windows of a context. */
    private static final int MAX_WINDOWS = 65_536;

    private static final String WHY_ISOLATED = "is isolated, so it has no windows: not every device can enforce them";

    private final Object home;
    private final PeerNumbers numbers;
    private final SegmentKeys keys;
    private final AtomicInteger out = new AtomicInteger();

    Windows(Object home, PeerNumbers numbers, SegmentKeys keys) {
        this.home = home;
        this.numbers = numbers;
        this.keys = keys;
    }

    /** Grants an importer a window, of a range that was checked. */
    ProviderGrant grant(UdmaSegment segment, Importer importer, long offset, long lengthBytes, Access access) {
        ExportedSegment<Grant> exported = segment.exported();
        Grant to = exported.forWindow(importer, access, WHY_ISOLATED);
        boolean anyVa = (to.importer().peer().features() & ControlCodec.FEATURE_MANY_WINDOWS) != 0;
        count();
        boolean isMade = false;
        try {
            CardKey key = to.addWindow(
                    () -> keys.ofWindow(segment, to.importer().number(), offset, lengthBytes, access, anyVa));
            if (key == null) {
                throw exported.notImported(importer);
            }
            isMade = true;
            return new Given(
                    to, key, new WindowKey(to.number(), key.slot(), key.generation(), offset, lengthBytes, access));
        } finally {
            if (!isMade) {
                out.decrementAndGet();
            }
        }
    }

    private void count() {
        if (out.incrementAndGet() > MAX_WINDOWS) {
            out.decrementAndGet();
            throw new UrmaException(UrmaStatus.ENOMEM, home, "limit of " + MAX_WINDOWS + " concurrent windows reached");
        }
    }

    /**
     * Grants a peer a window, of a range that was checked, whether or not it imports the segment (S14.32).
     *
     * @param importNumber in the key
     */
    Named grant(UdmaSegment segment, PeerId peer, long importNumber, long offset, long lengthBytes, Access access) {
        count();
        boolean isMade = false;
        int number = numbers.retain(peer);
        try {
            ExportedSegment<Grant> exported = segment.exported();
            Named given = exported.grant(peer, WHY_ISOLATED, () -> {
                CardKey key = keys.ofWindow(segment, number, offset, lengthBytes, access, true);
                return new Named(
                        exported.peerWindows(),
                        peer,
                        key,
                        new WindowKey(importNumber, key.slot(), key.generation(), offset, lengthBytes, access));
            });
            isMade = true;
            return given;
        } finally {
            if (!isMade) {
                ended(peer);
            }
        }
    }

    private void ended(PeerId peer) {
        out.decrementAndGet();
        numbers.release(peer);
    }

    /** A window that was granted to a peer by its identity. */
    final class Named extends PeerWindows.Window implements ProviderGrant, ProviderRoceGrant {
        private final PeerWindows all;
        private final PeerId peer;
        private final CardKey cardKey;
        private final WindowKey key;
        private volatile boolean isRevoked;

        private Named(PeerWindows all, PeerId peer, CardKey cardKey, WindowKey key) {
            this.all = all;
            this.peer = peer;
            this.cardKey = cardKey;
            this.key = key;
        }

        @Override
        public WindowKey key() {
            return key;
        }

        @Override
        public int rkey() {
            return cardKey.number();
        }

        @Override
        public long address() {
            return cardKey.vaBase();
        }

        @Override
        public void revoke() {
            keys.revoke(List.of(cardKey.number()));
            isRevoked = true; // after the key: a thread that sees it can reuse the bytes
            ended(peer);
        }

        @Override
        public void takeBack() {
            all.end(peer, this);
        }

        @Override
        public boolean isQuiet() {
            return isRevoked;
        }
    }

    /** Ends a grant: its key and those of its windows are invalid. */
    void shut(Grant grant) {
        out.addAndGet(-grant.revokeKeys(keys::revoke));
    }

    /** Ends the windows of a segment whose keys a message of their peer has revoked; later ones stay. */
    void endRevoked(UdmaSegment segment, int peer) {
        numbers.identityOf(peer)
                .ifPresent(identity -> segment.exported().peerWindows().endOf(identity, this::isRevoked));
    }

    /** The same of windows that its imports have. */
    void endRevoked(UdmaSegment segment, Path peer) {
        for (Grant grant : peer.grants.values()) {
            if (grant.segment().equals(segment)) {
                out.addAndGet(-grant.forgetWindows(key -> !keys.isValid(key)));
            }
        }
    }

    private boolean isRevoked(PeerWindows.Window window) {
        return window instanceof Named named && !keys.isValid(named.cardKey);
    }

    /** A granted window. */
    private final class Given implements ProviderGrant {
        private final Grant of;
        private final CardKey cardKey;
        private final WindowKey key;
        private volatile boolean takenBack;

        Given(Grant of, CardKey cardKey, WindowKey key) {
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
            if (of.removeWindow(cardKey, keys::revoke)) {
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
