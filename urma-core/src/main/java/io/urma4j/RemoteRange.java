package io.urma4j;

/** Remote memory that a work request can name: an imported segment, or a window of one. Offsets count from its start. */
public sealed interface RemoteRange permits RemoteSegment, RemoteWindow {
    long lengthBytes();

    /** The access that the home granted. */
    Access access();

    /** The context that imported it. */
    UrmaContext context();
}
