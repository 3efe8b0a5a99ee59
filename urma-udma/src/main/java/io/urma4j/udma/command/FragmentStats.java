package io.urma4j.udma.command;

/**
 * What a card has counted of fragments: parts of packets on a path whose MTU has shrunk.
 *
 * @param sent to peers
 * @param received from the peers of connections
 */
public record FragmentStats(long sent, long received) {}
