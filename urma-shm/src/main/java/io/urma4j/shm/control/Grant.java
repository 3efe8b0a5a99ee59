package io.urma4j.shm.control;

/**
 * An import that we granted.
 *
 * @param number never used again in this context
 * @param via the connection on which it was granted, and on which it is taken back: so neither overtakes the other
 */
record Grant(long number, ShmSegment segment, Peer importer, Connection via) {}
