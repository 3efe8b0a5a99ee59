package io.urma4j.udma.command;

/**
 * The counters of a completion queue.
 *
 * @param end the position of the next record
 * @param overflows records that found no place
 */
public record CqStats(long end, long overflows) {}
