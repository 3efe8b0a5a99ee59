package io.urma4j;

/** Where in the address space a segment is mapped (S7.11). */
public enum MapPlace {
    /** Where there is room. */
    ANYWHERE,
    /** At the address that it has at its home; so pointers in it mean the same at both ends (DSVA). */
    SAME_ADDRESS
}
