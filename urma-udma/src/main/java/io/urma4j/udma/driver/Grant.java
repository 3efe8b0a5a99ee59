package io.urma4j.udma.driver;

import io.urma4j.Access;

/**
 * An import that we granted. The engine's thread, but what is final.
 *
 * @param key that the card knows it by, and its number
 */
record Grant(int key, UdmaSegment segment, Path importer, Access access) {
    /** As messages and importers name it. */
    long number() {
        return Integer.toUnsignedLong(key);
    }
}
