package io.urma4j.shm.control;

import io.urma4j.WindowKey;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderWindow;
import io.urma4j.spi.support.Placement;
import java.lang.foreign.MemorySegment;

/** A window of an import. Safe for any thread. */
final class ShmWindow implements ProviderWindow {
    private final WindowKey key;
    private final MemorySegment operations; // ours, which the home reads
    private final MemorySegment generations; // the home's
    private final ShmImport live;
    private final ShmImport dead;

    ShmWindow(ShmImport of, WindowKey key, MemorySegment operations, MemorySegment generations) {
        this.key = key;
        this.operations = operations;
        this.generations = generations;
        this.live = of.window(key, this);
        this.dead = of.deadWindow();
    }

    @Override
    public ProviderImport begin() {
        announce();
        return isTakenBack() ? dead : live;
    }

    /** Announces an operation on it. */
    void announce() {
        try {
            WindowTable.begin(operations, key.slot());
        } catch (IllegalStateException e) {
            Placement.forgetFence(e); // the home is gone, and with it the target of the operation
        }
    }

    @Override
    public void end() {
        try {
            WindowTable.end(operations, key.slot());
        } catch (IllegalStateException e) {
            Placement.forgetFence(e); // as above
        }
    }

    @Override
    public boolean isTakenBack() {
        try {
            return WindowTable.generation(generations, key.slot()) != key.generation();
        } catch (IllegalStateException e) {
            Placement.forgetFence(e);
            return true; // the home is gone
        }
    }

    @Override
    public int unfinished() {
        return live.unfinished() + dead.unfinished();
    }
}
