package io.urma4j.tck;

/** A window that a home has given. */
public interface HomeGrant extends HomeObject {
    /** What opens it, as one line. */
    String key();

    /** Takes it back; whether it is quiet at once. */
    boolean takeBack();

    boolean isQuiet();
}
