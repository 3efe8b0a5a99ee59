package io.urma4j.udma.driver;

import io.urma4j.Access;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * An import that we granted, and the windows that its importer was given (S7.10). The engine's thread ends it; windows
 * come and go by any thread, under its lock, which is taken before the card's lock.
 */
final class Grant {
    private final int key;
    private final UdmaSegment segment;
    private final Path importer;
    private final Access access;
    private final Set<Integer> windows = new HashSet<>(); // their keys, which never come again; guarded by this
    private boolean ended; // guarded by this

    /**
     * An import.
     *
     * @param key that the card knows it by, and its number
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

    /** As messages and importers name it. */
    long number() {
        return Integer.toUnsignedLong(key);
    }

    UdmaSegment segment() {
        return segment;
    }

    Path importer() {
        return importer;
    }

    Access access() {
        return access;
    }

    /** Adds a window with a key that {@code made} makes; empty when the grant has ended. Any thread. */
    synchronized OptionalInt addWindow(IntSupplier made) {
        if (ended) {
            return OptionalInt.empty();
        }
        int window = made.getAsInt();
        windows.add(window);
        return OptionalInt.of(window);
    }

    /** Has the key of a window revoked, unless it was; true when that was now. Any thread. */
    synchronized boolean removeWindow(int window, Consumer<List<Integer>> revoke) {
        if (!windows.remove(window)) {
            return false;
        }
        revoke.accept(List.of(window));
        return true;
    }

    /** Has its key revoked, and those of its windows; returns how many windows there were. Idempotent. */
    synchronized int shut(Consumer<List<Integer>> revoke) {
        if (ended) {
            return 0;
        }
        ended = true;
        List<Integer> keys = new ArrayList<>(windows);
        keys.add(key);
        int count = windows.size();
        windows.clear();
        revoke.accept(keys);
        return count;
    }
}
