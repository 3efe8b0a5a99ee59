package io.urma4j;

import java.util.Optional;

/**
 * Something that happened without a call (SEMANTICS §2).
 *
 * <p>Types keep URMA's names also where neither software device has the cause: such a type says so, and is there for
 * devices that have it.
 *
 * @param source what it happened to: the {@link Jfc}, {@link Jfs}, {@link Jfr}, {@link Jetty}, {@link JettyGroup}, {@link
 *     LocalSegment} or {@link RemoteSegment} of this context; a text where the context has no object for it, such as a peer,
 *     or has closed it already. An event that waits to be taken keeps its source reachable.
 * @param detail the reason, in words
 * @param status of the work request that failed first, where that is the reason for JFS_ERR or JETTY_ERR
 */
public record AsyncEvent(Type type, Object source, String detail, Optional<CompletionStatus> status) {
    /** One without a status. */
    public AsyncEvent(Type type, Object source, String detail) {
        this(type, source, detail, Optional.empty());
    }

    /** What it happened to, in words: the {@code toString} of {@link #source}. */
    public String object() {
        return source.toString();
    }

    public enum Type {
        JFC_ERR,
        JFS_ERR,
        JFR_ERR,
        JFR_LIMIT,
        JETTY_ERR,
        /** Not raised by the software devices: receives belong to a JFR, also a Jetty's, and raise {@link #JFR_LIMIT}. */
        JETTY_LIMIT,
        JETTY_GRP_ERR,
        PORT_ACTIVE,
        PORT_DOWN,
        /** Not raised by the software devices: they fail with their process, or not at all. */
        DEV_FATAL,
        /** Not raised by the software devices: a context keeps the EIDs that its device had when it was opened. */
        EID_CHANGE,
        /** Not raised by the software devices: they have no entities that are reset by themselves. */
        ELR_ERR,
        /** Not raised by the software devices, as {@link #ELR_ERR}. */
        ELR_DONE,
        /** A segment of this context was revoked, or one that it imported. */
        SEGMENT_REVOKED,
        /** Not raised by the software devices: memory that goes away is revoked, which is {@link #SEGMENT_REVOKED}. */
        MEM_INVALIDATED,
        /** A peer died, or the connection with it broke, as that of an RC Jetty whose peer asked for what is refused. */
        PEER_LOST,
        /** Somebody tried to import with a wrong token, id or access. */
        IMPORT_REFUSED
    }
}
