package io.urma4j.shm.crash;

import io.urma4j.SharedJetty;
import io.urma4j.tck.HomeObject;
import java.util.List;

/** A process that is about to be killed. It executes its commands until then. */
interface Victim extends HomeObject {
    /** What becomes of it. */
    enum Fault {
        KILL,
        STOP
    }

    /** What initiators need of a home. */
    record Doors(SharedJetty jetty, SharedJetty connected) {}

    /** Opens a context. */
    void open(String runtimeDirectory);

    /** Is a home. */
    Doors beHome(String name, long revokeEveryMicros);

    /** Is an initiator of the home behind {@code doors}. */
    void troubleHome(String name, Doors doors);

    /** Kills itself, or stops, when it passes a point for the given number of times. */
    void arm(FaultPoint point, Fault fault, int times);

    /** Cancels {@link #arm}. */
    void disarm();

    /** How many results an initiator has had, how many messages a home. */
    long done();

    /** Does something that must fail; why it did. */
    String openAnother(String runtimeDirectory);

    /** Imports the home's Jetty; what came of it. */
    String importOnce(Doors doors);

    /** Allocates pieces of memory until that is refused, and gives all back; why it was refused. */
    String exhaust(long lengthBytes);

    /** Its {@link ProcessLeaks}, in words. */
    String held();

    /** How many work requests of an initiator have failed so far. */
    long failures();

    /** Ends what it does as a home or an initiator, in order, and its context; what went wrong. Opens another context. */
    List<String> end();

    /** Begins to close everything, and returns at once. */
    void beginToClose();
}
