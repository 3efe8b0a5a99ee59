package io.urma4j.udma.command;

/**
 * The counters and the state of a send queue.
 *
 * @param notReady messages that found no receive work request at their target, each time
 * @param failed work requests that failed, without those that were flushed with them
 * @param heldFrom first position that a suspension holds: every request before it has its record
 * @param draining whether the marker of an error or a suspension is still to come
 * @param isEmpty whether every request has its record
 */
public record SendStats(long notReady, long failed, long heldFrom, boolean draining, boolean isEmpty) {}
