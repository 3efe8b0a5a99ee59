package io.urma4j.udma.command;

/**
 * What a receive queue has counted.
 *
 * @param received messages
 * @param waiting receive work requests that wait for one
 * @param notReady messages that found none
 * @param dropped datagrams that found none
 */
public record ReceiveStats(long received, long receivedBytes, long waiting, long notReady, long dropped) {}
