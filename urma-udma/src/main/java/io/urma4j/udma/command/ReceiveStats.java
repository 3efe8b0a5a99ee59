package io.urma4j.udma.command;

/**
 * The counters of a receive queue.
 *
 * @param received messages
 * @param waiting free receive work requests
 * @param notReady messages that found none
 * @param dropped datagrams that found none
 */
public record ReceiveStats(long received, long receivedBytes, long waiting, long notReady, long dropped) {}
