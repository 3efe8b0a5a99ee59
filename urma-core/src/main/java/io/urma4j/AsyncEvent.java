package io.urma4j;

/**
 * Something that happened without a call (SEMANTICS §2).
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
        JETTY_LIMIT,
        JETTY_GRP_ERR,
        PORT_ACTIVE,
        PORT_DOWN,
        DEV_FATAL,
        EID_CHANGE,
        ELR_ERR,
        ELR_DONE,
        /** A segment of this context was revoked, or one that it imported. */
        SEGMENT_REVOKED,
        MEM_INVALIDATED,
        /** A peer died, or its connection broke. */
        PEER_LOST,
        /** Somebody tried to import with a wrong token, id or access. */
        IMPORT_REFUSED
    }
}
