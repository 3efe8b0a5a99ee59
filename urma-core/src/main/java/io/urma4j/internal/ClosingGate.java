package io.urma4j.internal;

import io.urma4j.spi.support.FieldHandle;
import io.urma4j.spi.support.Pause;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a closing thread out while another thread works. The working thread pays an opaque and a release store; the
 * closing thread pays for both.
 *
 * <p>The working thread enters, then looks whether the object is closed. The closing thread marks the object closed, then
 * {@linkplain #awaitEmpty looks} whether a thread is inside. At least one of the two must see the other, which takes a full
 * fence between store and load on either side. The closing side makes both: by a handshake with all threads of this JVM.
 * A thread answers it at a safepoint, so it is either before its look, which then finds the object closed, or its entry is
 * visible to the closing thread. Closing a shared arena is such a handshake; docs/revocation.md rests on the same one.
 *
 * <p>One thread at a time enters and leaves; one closes.
 */
public final class ClosingGate {
    private static final VarHandle INSIDE = FieldHandle.of(MethodHandles.lookup(), "inside", boolean.class);
    private static final long LOOK_NANOS = 1_000_000; // the leaving thread unparks: a missed one costs this

    @SuppressWarnings("UnusedVariable") // by INSIDE
    private boolean inside;

    private volatile @Nullable Thread closing;

    /** Before the look whether the object is closed; {@link #leave} must follow. */
    public void enter() {
        INSIDE.setOpaque(this, true);
    }

    /** All that the thread did inside is visible to the thread that closes. */
    public void leave() {
        INSIDE.setRelease(this, false);
        Thread waiting = closing;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    /** Once the object is marked closed: returns when no thread is inside, and none will be that has not seen the mark. */
    public void awaitEmpty() {
        closing = Thread.currentThread();
        handshakeWithAllThreads();
        while ((boolean) INSIDE.getAcquire(this)) {
            Pause.nanos(this, LOOK_NANOS);
        }
    }

    private static void handshakeWithAllThreads() {
        Arena.ofShared().close();
    }
}
