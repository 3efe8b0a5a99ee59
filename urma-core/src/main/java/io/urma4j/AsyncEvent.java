package io.urma4j;

import java.util.Optional;

/**
 * An asynchronous event of a context (SEMANTICS §2).
 *
 * <p>Types keep URMA's names. A type that the software devices never raise says so, and exists for other devices.
 *
 * @param source the {@link Jfc}, {@link Jfs}, {@link Jfr}, {@link Jetty}, {@link JettyGroup}, {@link LocalSegment} or
 *     {@link RemoteSegment} of this context that the event is about. It is a text if the context has no such object, for
 *     example for a peer, or has already closed it. A pending event keeps its source reachable.
 * @param detail the reason, as text
 * @param status of the work request that failed first, if that is the reason for JFS_ERR or JETTY_ERR
 */
public record AsyncEvent(Type type, Object source, String detail, Optional<CompletionStatus> status) {
    /** An event without a status. */
    public AsyncEvent(Type type, Object source, String detail) {
        this(type, source, detail, Optional.empty());
    }

    /** The {@code toString} of {@link #source}. */
    public String object() {
        return source.toString();
    }

    public enum Type {
        JFC_ERR,
        JFS_ERR,
        JFR_ERR,
        JFR_LIMIT,
        JETTY_ERR,
        /**
         * Not raised by the software devices: receives belong to a JFR, even those of a Jetty, and raise {@link
         * #JFR_LIMIT}.
         */
        JETTY_LIMIT,
        JETTY_GRP_ERR,
        PORT_ACTIVE,
        PORT_DOWN,
        /** Not raised by the software devices: they fail only with their process. */
        DEV_FATAL,
        /** Not raised by the software devices: a context keeps the EIDs that its device had when the context was opened. */
        EID_CHANGE,
        /** Not raised by the software devices: none of their entities resets by itself. */
        ELR_ERR,
        /** Not raised by the software devices, like {@link #ELR_ERR}. */
        ELR_DONE,
        /** A segment of this context, or one that it imported, was revoked. */
        SEGMENT_REVOKED,
        /** The device memory of a segment of this context was freed, or its device was reset or lost. */
        MEM_INVALIDATED,
        /** A peer died, or its connection failed, for example because an RC Jetty's peer sent a request that was refused. */
        PEER_LOST,
        /** A peer tried to import with a wrong token, id or access. */
        IMPORT_REFUSED
    }
}
