package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.KeyConfig.DeviceBytes;
import io.urma4j.udma.ring.KeyAccess;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the card for the segments of a context: one for its own work requests, one for every peer if a segment is open to
 * all, and one for each import and window. Any thread.
 */
final class SegmentKeys {
    private final LocalContext local;
    private final Adapter adapter;
    private final Map<Integer, Long> owners = new ConcurrentHashMap<>(); // on the card, of the keys under a token id

    SegmentKeys(LocalContext local) {
        this.local = local;
        this.adapter = local.adapter();
    }

    // ---- owners

    /** The keys of all segments under one token id have one owner, so that one SEND_INVALIDATE revokes them together. */
    void addOwner(int tokenId, Adapter.Invalidated invalidated) {
        owners.put(tokenId, adapter.newOwner(invalidated));
    }

    void removeOwner(int tokenId) {
        Long owner = owners.remove(tokenId);
        if (owner != null) {
            adapter.forgetOwner(owner);
        }
    }

    // ---- keys

    /**
     * A key of this machine's own work requests.
     *
     * @throws UrmaException ENOMEM if no key is left
     */
    int own(KeyConfig own) {
        return newKey(own);
    }

    /** A key for every peer; a failure revokes the own one. */
    int open(KeyConfig own, Access access, int tokenId, int ownKey) {
        KeyConfig open = new KeyConfig(own.memory(), own.address(), bits(access), 0, 0, tokenId);
        DeviceBytes device = own.device();
        try {
            return newKey(device == null ? open.withPin(ownKey) : open.onDevice(device));
        } catch (UrmaException e) {
            revoke(List.of(ownKey)); // or the last key would leak
            throw e;
        }
    }

    /** A key of an import. */
    int ofImport(UdmaSegment segment, int peer, long lengthBytes, Access access) {
        return newKey(peersKey(segment, peer, 0, lengthBytes, access, false));
    }

    private int newKey(KeyConfig config) {
        return checked(adapter.eventLoop().call(card -> card.registerKey(config)));
    }

    private int checked(int key) {
        if (key == 0) {
            throw new UrmaException(UrmaStatus.ENOMEM, local, "all keys of the device are in use");
        }
        return key;
    }

    /** A key for a part of a segment that only one peer may use. */
    private KeyConfig peersKey(
            UdmaSegment segment, int peer, long offset, long lengthBytes, Access access, boolean anyVa) {
        KeyConfig key = new KeyConfig(
                MemorySegment.NULL,
                segment.vaBase() + offset,
                anyVa,
                bits(access),
                peer,
                owners.getOrDefault(segment.tokenId(), 0L),
                segment.tokenId(),
                segment.values().tag(),
                segment.localKey(),
                segment.exported().isWindowsOnly(),
                null);
        return segment.part(key, offset, lengthBytes);
    }

    private static int bits(Access access) {
        return switch (access) {
            case LOCAL_ONLY -> 0;
            case READ -> KeyAccess.READ;
            case READ_WRITE -> KeyAccess.READ | KeyAccess.WRITE;
            case READ_WRITE_ATOMIC -> KeyAccess.READ | KeyAccess.WRITE | KeyAccess.ATOMIC;
        };
    }

    /** What was allocated here is not closed while it is registered; other memory may be at any time. */
    static int pin(@Nullable MemoryUse use) {
        return use == null ? KeyConfig.NOT_PINNED : KeyConfig.PINNED;
    }

    // ---- windows

    /**
     * A key for a part of the segment that one peer may use.
     *
     * @param peer its number on the card
     * @param anyVa whether its version knows keys of any VA
     */
    CardKey ofWindow(UdmaSegment segment, int peer, long offset, long lengthBytes, Access access, boolean anyVa) {
        KeyConfig config = peersKey(segment, peer, offset, lengthBytes, access, anyVa);
        return adapter.eventLoop().call(card -> {
            int key = checked(card.registerKey(config));
            return new CardKey(key, card.vaBase(key));
        });
    }

    /** Whether it opens anything. */
    boolean isValid(CardKey key) {
        return adapter.eventLoop().call(card -> card.vaBase(key.number())) == key.vaBase();
    }

    void revoke(List<Integer> keys) {
        adapter.eventLoop().run(card -> keys.forEach(card::revokeKey));
    }
}
