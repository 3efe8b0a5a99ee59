package io.urma4j.shm.control;

import io.urma4j.WindowKey;
import io.urma4j.spi.ProviderGrant;
import java.lang.foreign.MemorySegment;

/** A window that an importer may use. Safe for any thread; never waits. */
final class ShmGrant implements ProviderGrant {
    private enum State {
        GIVEN,
        TAKEN_BACK,
        QUIET
    }

    private final GrantBoard board;
    private final Grant importing;
    private final WindowKey key;
    private State state = State.GIVEN; // guarded by the board, as its slot is

    ShmGrant(GrantBoard board, Grant importing, WindowKey key) {
        this.board = board;
        this.importing = importing;
        this.key = key;
    }

    @Override
    public WindowKey key() {
        return key;
    }

    @Override
    public void takeBack() {
        synchronized (board) {
            if (state == State.GIVEN) {
                state = State.TAKEN_BACK;
                board.takeBack(this);
            }
        }
    }

    @Override
    public boolean isQuiet() {
        synchronized (board) {
            if (state == State.TAKEN_BACK && !isBusy()) {
                state = State.QUIET;
                board.quiet(this);
            }
            return state == State.QUIET;
        }
    }

    private boolean isBusy() {
        if (importing.hasEnded()) {
            return false; // the segment is not accessed by that import
        }
        MemorySegment operations = importing.importer().operations;
        if (operations == null) {
            return false; // an importer that has not opened windows has started no operation, and will see the new
            // generation
        }
        try {
            return WindowTable.isBusy(operations, key.slot());
        } catch (IllegalStateException e) {
            return !importing.hasEnded(); // the memory goes when the peer is proven gone
        }
    }
}
