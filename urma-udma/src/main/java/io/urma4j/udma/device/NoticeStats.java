package io.urma4j.udma.device;

import io.urma4j.udma.transport.Traffic;

/**
 * What a card has counted of congestion that switches on the way have marked.
 *
 * @param sent CNPs, for what came marked
 * @param handled CNPs of peers, for what they got marked
 */
public record NoticeStats(long sent, long handled) {
    static final NoticeStats NONE = new NoticeStats(0, 0);

    NoticeStats plus(Traffic traffic) {
        return new NoticeStats(sent + traffic.congestionNoticesSent(), handled + traffic.congestionNotices());
    }
}
