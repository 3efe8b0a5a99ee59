package io.urma4j;

/**
 * Somebody who has imported a segment now.
 *
 * @param eid where he is
 * @param uasid which context of his
 * @param number of this import at the home, never used again: who imports twice is two importers
 */
public record Importer(Eid eid, int uasid, long number) {}
