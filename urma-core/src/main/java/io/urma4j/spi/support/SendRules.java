package io.urma4j.spi.support;

/**
 * What one send queue was configured to do.
 *
 * @param keepsOrder whether work requests to one peer wait for each other (S8.9); not where they are datagrams, or where the
 *     connection keeps their order
 * @param suspends whether silence and receivers that are not ready suspend the queue (S6.10)
 * @param failsByTarget whether a failure ends only work requests to the same target (S6.12)
 * @param startsPerScan how many work requests are started before other queues have their turn
 */
public record SendRules(boolean keepsOrder, boolean suspends, boolean failsByTarget, int startsPerScan) {}
