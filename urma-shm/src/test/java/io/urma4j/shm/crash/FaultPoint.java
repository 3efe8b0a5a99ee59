package io.urma4j.shm.crash;

import static io.urma4j.shm.crash.FaultPoint.Role.HOME;
import static io.urma4j.shm.crash.FaultPoint.Role.INITIATOR;

import io.urma4j.tck.FaultClasses;
import io.urma4j.tck.FaultPlace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A step at which a process may be killed or stopped: the entry of a method, reached by one of the two ends. The
 * library knows nothing of it; {@link FaultClasses} makes copies of its classes that report when they pass a point.
 */
enum FaultPoint {
    GREETING_SENT(INITIATOR, "shm/control/Peers", "greeting"),
    GREETING_HEARD(HOME, "shm/control/Peers", "peerOf"),

    IMPORT_ASKED(INITIATOR, "shm/control/Requests", "ask"),
    IMPORT_REQUESTED(HOME, "shm/control/Exports", "importRequested"),
    IMPORT_ABOUT_TO_BE_GRANTED(HOME, "shm/control/Exports", "grant"),
    IMPORT_GRANTED(INITIATOR, "shm/control/Imports", "granted"),
    IMPORT_CLOSED(INITIATOR, "shm/control/Imports", "close"),
    IMPORT_GIVEN_BACK(HOME, "shm/control/Exports", "released"),

    PATH_ASKED(INITIATOR, "shm/control/Paths", "ask"),
    PATH_REQUESTED(HOME, "shm/control/Paths", "requested"),
    PATH_ANSWERED(INITIATOR, "shm/control/Paths", "answered"),
    PATH_OPENED(INITIATOR, "shm/ShmContext", "pathOpened"),

    BIND_ASKED(INITIATOR, "shm/RcBinding", "bind"),
    BIND_REQUESTED(HOME, "shm/RcBinding", "requested"),
    UNBIND_ASKED(INITIATOR, "shm/RcBinding", "unbind"),
    UNBIND_REQUESTED(HOME, "spi/support/BindRequests", "unrequested"),

    MESSAGE_CHUNK_SENT(INITIATOR, "shm/SendPath", "sendChunk"),
    MESSAGE_ARRIVED(HOME, "shm/Deliveries", "deliver"),
    MESSAGE_CHUNK_LOADED(HOME, "shm/Deliveries", "load"),
    MESSAGE_RECORDED(HOME, "shm/Inbound", "record"),
    MESSAGE_ANSWERED(INITIATOR, "shm/SendWindow", "answered"),

    WRITE_COPIES(INITIATOR, "spi/support/Placement", "copyStep"),
    ATOMIC_EXECUTED(INITIATOR, "spi/support/Placement", "atomic"),

    REVOCATION_BEGUN(HOME, "shm/control/Exports", "revoke"),
    REVOCATION_TOLD(HOME, "shm/control/Grant", "tell"),
    REVOCATION_HEARD(INITIATOR, "shm/control/Imports", "revoked"),
    REVOCATION_FENCES(INITIATOR, "shm/control/Imports", "fence"),

    CLOSE_BEGUN(HOME, "shm/control/Shutdown", "begin"),
    CLOSE_TAKES_BACK(HOME, "shm/control/Shutdown", "takeBack"),
    CLOSE_GIVES_BACK(INITIATOR, "shm/control/Shutdown", "giveBack"),
    CLOSE_SAYS_GOODBYE(INITIATOR, "shm/control/Peers", "sayGoodbye"),
    CLOSE_FINISHES(HOME, "shm/control/Shutdown", "finish");

    /** Which process passes the point. */
    enum Role {
        HOME,
        INITIATOR
    }

    private static final String PACKAGE = "io/urma4j/";

    final Role role;
    final String internalClass;
    private final String method;

    FaultPoint(Role role, String type, String method) {
        this.role = role;
        this.internalClass = PACKAGE + type;
        this.method = method;
    }

    /** Writes copies of the classes that report when they pass a point, for the front of a victim's class path. */
    static void writeClasses(Path directory) throws IOException {
        FaultClasses.write(
                directory,
                Arrays.stream(values())
                        .map(point -> new FaultPlace(point.name(), point.internalClass, point.method))
                        .toList(),
                FaultPoint.class.getClassLoader());
    }

    /** How often it is reached at the least while two ends meet and work. */
    int times() {
        if (isClose() || name().startsWith("GREETING_") || name().startsWith("PATH_")) {
            return 1;
        }
        return name().startsWith("REVOCATION_") ? 3 : 30;
    }

    /** Reached only by a process that closes everything. */
    boolean isClose() {
        return name().startsWith("CLOSE_");
    }
}
