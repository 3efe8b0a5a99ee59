package io.urma4j.simulation;

/** A part of a home's memory under its own key, for one peer, which the home may revoke. */
final class Window {
    static final int BYTES = 4096;

    final Life home;
    final long offset;
    final int key;
    final long va;
    /** The pattern of its second half, which is only read; the first half is written. */
    final int pattern;
    /** The peer that may use it. */
    final Life peer;

    final long owner;
    final int recordId;
    long written; // bytes of the first half that are allocated to operations
    boolean revoked;

    Window(Life home, long offset, int key, long va, int pattern, Life peer, long owner, int recordId) {
        this.home = home;
        this.offset = offset;
        this.key = key;
        this.va = va;
        this.pattern = pattern;
        this.peer = peer;
        this.owner = owner;
        this.recordId = recordId;
        Pattern.fill(home.home.memory, offset + BYTES / 2, BYTES / 2, pattern);
    }

    /** The key is revoked: from now on no peer may read or change this memory. */
    void becomesSecret() {
        revoked = true;
        Pattern.fill(home.home.memory, offset, BYTES, Pattern.SECRET);
    }

    void check() {
        long spoilt = revoked ? -1 : Pattern.mismatch(home.home.memory, offset + BYTES / 2, BYTES / 2, pattern);
        if (spoilt >= 0) {
            throw Violation.of("%s: byte %d of what is only read in %s has changed", home, spoilt, this);
        }
        long wrong = revoked ? Pattern.mismatch(home.home.memory, offset, BYTES, Pattern.SECRET) : -1;
        if (wrong >= 0) {
            throw Violation.of("%s: byte %d of %s has changed after its key was revoked", home, wrong, this);
        }
    }

    @Override
    public String toString() {
        return String.format("window 0x%08x of %s", key, home);
    }
}
