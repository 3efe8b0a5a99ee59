package io.urma4j.socket;

import static io.urma4j.socket.FaultStep.Role.CLIENT;
import static io.urma4j.socket.FaultStep.Role.SERVER;

import io.urma4j.tck.FaultClasses;
import io.urma4j.tck.FaultPlace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A step of a connection over rings at which {@link FaultsIT} kills or stops the process of one end. */
enum FaultStep {
    GREETED(SERVER, "peering/Server", "greeted"),
    SETS_MEMORY_ASIDE(SERVER, "peering/Server", "pairing"),
    LOOKS_FOR_AN_OFFER(SERVER, "peering/Server", "accepted"),
    FINDS_AN_OFFER(SERVER, "peering/Server", "take"),
    DECIDES(SERVER, "peering/OfferTable", "take"),
    HAS_TAKEN(SERVER, "peering/Pairing", "connection"),
    VERIFIES_THE_CLIENT(SERVER, "ring/Doorbell", "verify"),
    SERVER_READS(SERVER, "ring/RingReader", "read"),
    SERVER_GIVES_CREDIT(SERVER, "ring/RingReader", "credit"),
    SERVER_WRITES(SERVER, "ring/RingWriter", "write"),
    SERVER_PUBLISHES(SERVER, "ring/RingWriter", "publish"),
    SERVER_RINGS(SERVER, "ring/Ringer", "ring"),
    SERVER_SLEEPS(SERVER, "ring/RingReader", "wantData"),
    SERVER_DECIDES_BY_NETWORK(SERVER, "peering/RemoteOffers", "take"),
    SERVER_POSTS(SERVER, "peering/Link", "post"),
    SERVER_FLUSHES(SERVER, "peering/Link", "flush"),
    SERVER_GETS_A_NOTICE(SERVER, "peering/NetworkPairing", "noticed"),
    SERVER_CLOSES(SERVER, "ring/RingConnection", "close"),
    SERVER_ENDS_TCP(SERVER, "ring/RingConnection", "closeTcp"),

    HAS_FOUND_A_LISTENER(CLIENT, "peering/Client", "open"),
    GREETS(CLIENT, "peering/Client", "greet"),
    IMPORTS(CLIENT, "peering/Client", "sharedBy"),
    OFFERS(CLIENT, "peering/OfferTable", "make"),
    AWAITS_THE_DECISION(CLIENT, "peering/Attempt", "decide"),
    SEES_THE_DECISION(CLIENT, "peering/Attempt", "taken"),
    SENDS_ITS_PROOF(CLIENT, "peering/Pairing", "connection"),
    VERIFIES_THE_SERVER(CLIENT, "ring/Doorbell", "verify"),
    CLIENT_WRITES(CLIENT, "ring/RingWriter", "write"),
    CLIENT_PUBLISHES(CLIENT, "ring/RingWriter", "publish"),
    CLIENT_RINGS(CLIENT, "ring/Ringer", "ring"),
    CLIENT_SLEEPS(CLIENT, "ring/RingReader", "wantData"),
    CLIENT_GIVES_CREDIT(CLIENT, "ring/RingReader", "credit"),
    CLIENT_POSTS(CLIENT, "peering/Link", "post"),
    CLIENT_FLUSHES(CLIENT, "peering/Link", "flush"),
    CLIENT_GETS_A_NOTICE(CLIENT, "peering/NetworkPairing", "noticed"),
    CLIENT_CLOSES(CLIENT, "ring/RingConnection", "close"),
    CLIENT_ENDS_TCP(CLIENT, "ring/RingConnection", "closeTcp");

    /** Which end passes the step. */
    enum Role {
        SERVER,
        CLIENT
    }

    private static final String PACKAGE = "io/urma4j/socket/";

    final Role role;
    private final String internalClass;
    private final String method;

    FaultStep(Role role, String type, String method) {
        this.role = role;
        this.internalClass = PACKAGE + type;
        this.method = method;
    }

    /** Whether connections pass it, of shared memory or of a network. */
    boolean isOf(boolean network) {
        return switch (this) {
            case DECIDES, SERVER_RINGS, CLIENT_RINGS -> !network;
            case SERVER_DECIDES_BY_NETWORK,
                    SERVER_POSTS,
                    SERVER_FLUSHES,
                    SERVER_GETS_A_NOTICE,
                    CLIENT_POSTS,
                    CLIENT_FLUSHES,
                    CLIENT_GETS_A_NOTICE -> network;
            default -> true;
        };
    }

    /** Whether each connection passes it, and not only the first one of two processes. */
    boolean isOfEachConnection() {
        return switch (this) {
            case GREETED, SETS_MEMORY_ASIDE, HAS_FOUND_A_LISTENER, GREETS, IMPORTS -> false;
            default -> true;
        };
    }

    /** Writes copies of the classes that report when they pass a step of a role, for the front of a victim's class path. */
    static void writeClasses(Path directory, Role role) throws IOException {
        List<FaultPlace> places = Arrays.stream(values())
                .filter(step -> step.role == role)
                .map(step -> new FaultPlace(step.name(), step.internalClass, step.method))
                .toList();
        FaultClasses.write(directory, places, FaultStep.class.getClassLoader());
    }
}
