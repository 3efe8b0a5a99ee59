package io.urma4j.udma.command;

/**
 * What a send queue has counted.
 *
 * @param notReady messages that found no receive work request at their target, each time
 * @param failed work requests that failed, those that were flushed with them not counted
 * @param heldFrom position where begins what a suspension holds: everything before has its record
 * @param draining whether the marker of an error or a suspension is still to come
 * @param isEmpty whether everything has its record
 */
public record SendStats(long notReady, long failed, long heldFrom, boolean draining, boolean isEmpty) {}
