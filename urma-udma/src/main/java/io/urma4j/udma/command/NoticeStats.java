package io.urma4j.udma.command;

/**
 * What a card has counted of congestion that switches on the way have marked.
 *
 * @param sent CNPs, for what came marked
 * @param handled CNPs of peers, for what they got marked
 */
public record NoticeStats(long sent, long handled) {}
