package io.urma4j;

/**
 * Something that happened without a call (SEMANTICS §2).
 *
 * <p>Types keep URMA's names also where neither software device has the cause: such a type says so, and is there for
 * devices that have it.
 *
 * @param object what it happened to, as its {@code toString} says
 * @param detail the reason, in words
 */
public record AsyncEvent(Type type, String object, String detail) {
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
        /** A peer died, or its connection broke. */
        PEER_LOST,
        /** Somebody tried to import with a wrong token, id or access. */
        IMPORT_REFUSED
    }
}
