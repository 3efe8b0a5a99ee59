package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.Importer;
import io.urma4j.spi.control.ExportedSegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An import that this home granted, and the windows of its importer (S7.10). Only the engine's thread ends it; any thread
 * may add and remove windows, under its lock, which is acquired before the card's lock.
 */
final class Grant implements ExportedSegment.Granted {
    private final int key;
    private final UdmaSegment segment;
    private final Path importer;
    private final Access access;
    private final Set<CardKey> windows = new HashSet<>(); // which never come again; guarded by this
    private boolean ended; // guarded by this

    /**
     * An import.
     *
     * @param key by which the card knows it, which is also its number
     */
    Grant(int key, UdmaSegment segment, Path importer, Access access) {
        this.key = key;
        this.segment = segment;
        this.importer = importer;
        this.access = access;
    }

    int key() {
        return key;
    }

    /** Its number in messages and for importers. */
    @Override
    public long number() {
        return Integer.toUnsignedLong(key);
    }

    UdmaSegment segment() {
        return segment;
    }

    Path importer() {
        return importer;
    }

    @Override
    public Access access() {
        return access;
    }

    @Override
    public Importer importing() {
        return new Importer(importer.peer().eid(), importer.peer().uasid(), number());
    }

    @Override
    public String holder() {
        return importer.peer().toString();
    }

    @Override
    public void shut() {
        segment.exports().windows().shut(this);
    }

    @Override
    public void tell() {
        segment.exports().tell(this);
    }

    @Override
    public void endByHome() {
        segment.exports().end(this);
    }

    /** Adds a window with a key that {@code made} creates; null if the grant has ended. Any thread. */
    synchronized @Nullable CardKey addWindow(Supplier<CardKey> made) {
        if (ended) {
            return null;
        }
        CardKey window = made.get();
        windows.add(window);
        return window;
    }

    /** Revokes the key of a window; true if it was not revoked before. Any thread. */
    synchronized boolean removeWindow(CardKey window, Consumer<List<Integer>> revoke) {
        if (!windows.remove(window)) {
            return false;
        }
        revoke.accept(List.of(window.number()));
        return true;
    }

    /** Forgets windows whose keys are revoked; returns how many there were. */
    synchronized int forgetWindows(Predicate<CardKey> isRevoked) {
        int before = windows.size();
        windows.removeIf(isRevoked);
        return before - windows.size();
    }

    /** Revokes its key and those of its windows; returns how many windows there were. Idempotent. */
    synchronized int revokeKeys(Consumer<List<Integer>> revoke) {
        if (ended) {
            return 0;
        }
        ended = true;
        List<Integer> keys = new ArrayList<>();
        windows.forEach(window -> keys.add(window.number()));
        keys.add(key);
        int count = windows.size();
        windows.clear();
        revoke.accept(keys);
        return count;
    }
}
