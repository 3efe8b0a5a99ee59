package io.urma4j.bench.compare;

import io.urma4j.bench.Limit;
import io.urma4j.bench.Rounds;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A line of the table: a row beside one peer.
 *
 * @param ours median nanoseconds of urma4j
 * @param theirs median nanoseconds of the peer
 * @param ratio of speeds, ours by theirs; of times where the limit is one of times; the median over rounds
 * @param least smallest ratio of all rounds
 * @param most largest ratio of all rounds
 * @param limit null where nothing is asked
 */
public record Line(
        Row row,
        String peer,
        double ours,
        double theirs,
        double ratio,
        double least,
        double most,
        @Nullable Limit limit) {

    static Line of(Row row, String peer, Series ours, Series theirs) {
        Limit limit = row.target(peer).map(Target::limit).orElse(null);
        double[] ratios = limit instanceof Limit.AtMost
                ? Series.times(ours, theirs, row.metric())
                : Series.speeds(ours, theirs, row.metric());
        return new Line(
                row,
                peer,
                ours.median(row.metric()),
                theirs.median(row.metric()),
                Rounds.median(ratios),
                Rounds.least(ratios),
                Rounds.most(ratios),
                limit);
    }

    private boolean isRatioOfTimes() {
        return limit instanceof Limit.AtMost;
    }

    /** Whether what is asked holds; true where nothing is asked. */
    public boolean isKept() {
        return limit == null || limit.isKeptBy(ratio);
    }

    /** Slower than the peer; where the peer is the limit of the machine, everybody is. */
    boolean isBehind() {
        return isRatioOfTimes() ? ratio > 1 : ratio < 1;
    }

    /** What the table says of it. */
    String verdict() {
        String place = isBehind() ? "behind" : "ahead";
        return limit == null ? place : (isKept() ? "ok, " : "MISSED, ") + place;
    }

    String ratioInWords() {
        return Figures.ratio(ratio) + (isRatioOfTimes() ? " × its time" : " × its speed");
    }

    String limitInWords() {
        return limit == null ? "" : limit + " ×";
    }

    Map<String, Object> json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("row", row.name());
        map.put("what", row.words());
        map.put("perSecond", row.task().perSecond());
        map.put("peer", peer);
        map.put("urma4jNanos", ours);
        map.put("peerNanos", theirs);
        map.put("ratioOf", isRatioOfTimes() ? "times" : "speeds");
        map.put("ratio", ratio);
        map.put("min", least);
        map.put("max", most);
        if (limit != null) {
            map.put("limit", limit.toString());
            map.put("kept", isKept());
        }
        map.put("verdict", verdict());
        return map;
    }
}
