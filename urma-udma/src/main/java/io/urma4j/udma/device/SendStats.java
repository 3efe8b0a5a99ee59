package io.urma4j.udma.device;

/**
 * What a send queue has counted.
 *
 * @param notReady messages that found no receive work request at their target, each time
 * @param failed work requests that failed, those that were flushed with them not counted
 * @param dropped datagrams that were lost on this side
 * @param heldFrom position where begins what a suspension holds: everything before has its record
 * @param draining whether the marker of an error or a suspension is still to come
 * @param isEmpty whether everything has its record
 */
public record SendStats(long notReady, long failed, long dropped, long heldFrom, boolean draining, boolean isEmpty) {}
