package io.urma4j.shm.crash;

import io.urma4j.SharedJetty;
import io.urma4j.tck.HomeObject;

/** A process that is about to be killed. What it is told to do goes on until then. */
interface Victim extends HomeObject {
    /** What initiators need of a home. */
    record Doors(SharedJetty jetty, SharedJetty connected) {}

    /** Opens a context. */
    void open(String runtimeDirectory);

    /** Is a home. */
    Doors beHome(String name, long revokeEveryMicros);

    /** Is an initiator of the home behind {@code doors}. */
    void troubleHome(String name, Doors doors);

    /** Begins to close everything, and returns at once. */
    void beginToClose();
}
