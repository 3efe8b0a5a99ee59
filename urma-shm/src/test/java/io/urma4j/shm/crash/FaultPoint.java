package io.urma4j.shm.crash;

import static io.urma4j.shm.crash.FaultPoint.Role.HOME;
import static io.urma4j.shm.crash.FaultPoint.Role.INITIATOR;

/**
 * A step at which a process may be killed or stopped: the entry of a method, reached by one of the two ends. The
 * library knows nothing of it; {@link FaultClasses} makes copies of its classes that say when they come by.
 */
enum FaultPoint {
    GREETING_SENT(INITIATOR, "control/Peers", "greeting"),
    GREETING_HEARD(HOME, "control/Peers", "peerOf"),

    IMPORT_ASKED(INITIATOR, "control/Requests", "ask"),
    IMPORT_REQUESTED(HOME, "control/Exports", "importRequested"),
    IMPORT_ABOUT_TO_BE_GRANTED(HOME, "control/Exports", "grant"),
    IMPORT_GRANTED(INITIATOR, "control/Imports", "granted"),
    IMPORT_CLOSED(INITIATOR, "control/Imports", "close"),
    IMPORT_GIVEN_BACK(HOME, "control/Exports", "released"),

    PATH_ASKED(INITIATOR, "control/Paths", "ask"),
    PATH_REQUESTED(HOME, "control/Paths", "requested"),
    PATH_ANSWERED(INITIATOR, "control/Paths", "answered"),
    PATH_OPENED(INITIATOR, "ShmContext", "pathOpened"),

    BIND_ASKED(INITIATOR, "RcBond", "bind"),
    BIND_REQUESTED(HOME, "RcBond", "requested"),
    UNBIND_ASKED(INITIATOR, "RcBond", "unbind"),
    UNBIND_REQUESTED(HOME, "RcBond", "unrequested"),

    MESSAGE_CHUNK_SENT(INITIATOR, "MessagePath", "sendChunk"),
    MESSAGE_ARRIVED(HOME, "Deliveries", "deliver"),
    MESSAGE_CHUNK_LOADED(HOME, "Deliveries", "load"),
    MESSAGE_RECORDED(HOME, "Deliveries", "record"),
    MESSAGE_ANSWERED(INITIATOR, "SendWindow", "answered"),

    WRITE_COPIES(INITIATOR, "Placement", "copyStep"),
    ATOMIC_EXECUTED(INITIATOR, "Placement", "atomic"),

    REVOCATION_BEGUN(HOME, "control/Exports", "revoke"),
    REVOCATION_TOLD(HOME, "control/Grant", "tell"),
    REVOCATION_HEARD(INITIATOR, "control/Imports", "revoked"),
    REVOCATION_FENCES(INITIATOR, "control/Imports", "fence"),

    CLOSE_BEGUN(HOME, "control/Shutdown", "begin"),
    CLOSE_TAKES_BACK(HOME, "control/Shutdown", "takeBack"),
    CLOSE_GIVES_BACK(INITIATOR, "control/Shutdown", "giveBack"),
    CLOSE_SAYS_GOODBYE(INITIATOR, "control/Peers", "sayGoodbye"),
    CLOSE_FINISHES(HOME, "control/Shutdown", "finish");

    /** Who comes by. */
    enum Role {
        HOME,
        INITIATOR
    }

    private static final String PACKAGE = "io/urma4j/shm/";

    final Role role;
    final String internalClass;
    final String method;

    FaultPoint(Role role, String type, String method) {
        this.role = role;
        this.internalClass = PACKAGE + type;
        this.method = method;
    }

    /** How often it is reached at the least while two ends meet and work. */
    int times() {
        if (isClose() || name().startsWith("GREETING_") || name().startsWith("PATH_")) {
            return 1;
        }
        return name().startsWith("REVOCATION_") ? 3 : 30;
    }

    /** Reached only by who closes everything. */
    boolean isClose() {
        return name().startsWith("CLOSE_");
    }
}
