package io.urma4j;

/**
 * A current importer of a segment.
 *
 * @param eid the importer's EID
 * @param uasid the importer's context
 * @param number of this import at the home, never reused: two imports of one context are two importers
 */
public record Importer(Eid eid, int uasid, long number) {}
