package io.urma4j.udma.device;

import io.urma4j.udma.transport.Traffic;

/**
 * The congestion counters of a card.
 *
 * @param sent CNPs, for marked packets received
 * @param handled CNPs of peers, for marked packets sent
 */
public record NoticeStats(long sent, long handled) {
    static final NoticeStats NONE = new NoticeStats(0, 0);

    NoticeStats plus(Traffic traffic) {
        return new NoticeStats(sent + traffic.congestionNoticesSent(), handled + traffic.congestionNotices());
    }
}
