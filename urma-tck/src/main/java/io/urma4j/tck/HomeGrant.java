package io.urma4j.tck;

/** A window that a home has given. */
public interface HomeGrant extends HomeObject {
    /** The key that opens it, as one line. */
    String key();

    /** Revokes it; returns whether it is quiet at once. */
    boolean takeBack();

    boolean isQuiet();
}
