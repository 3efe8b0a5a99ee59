package io.urma4j;

/** Address at which a segment is mapped (S7.11). */
public enum MapPlace {
    /** Any free address. */
    ANYWHERE,
    /** The address of the segment at its home, so that pointers in it are valid at both ends (DSVA). */
    SAME_ADDRESS
}
