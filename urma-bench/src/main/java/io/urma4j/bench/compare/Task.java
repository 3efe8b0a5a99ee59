package io.urma4j.bench.compare;

import java.util.List;

/**
 * One piece of work, the same for every peer.
 *
 * @param bytes of an operation or message
 * @param perSecond operations a second for {@link Work#AT_RATE}; 0 for all else
 */
public record Task(Work work, Reach reach, int bytes, int perSecond) {
    /** A rate that all take part at, which must be found first. */
    static final int COMMON_RATE = -1;

    /** As fast as it goes. */
    public static Task of(Work work, Reach reach, int bytes) {
        return new Task(work, reach, bytes, 0);
    }

    /** Bytes of one process to another on its host: what shared memory can do, too. */
    public boolean isStreamOfSockets() {
        return reach == Reach.SOCKETS && work == Work.SEND_RATE;
    }

    boolean isAtCommonRate() {
        return perSecond == COMMON_RATE;
    }

    Task at(int rate) {
        return new Task(work, reach, bytes, rate);
    }

    /** As a line between processes. */
    public String encode() {
        return work + " " + reach + " " + bytes + " " + perSecond;
    }

    /** Out of the words of such a line. */
    public static Task decode(List<String> words) {
        return new Task(
                Work.valueOf(words.get(0)),
                Reach.valueOf(words.get(1)),
                Integer.parseInt(words.get(2)),
                Integer.parseInt(words.get(3)));
    }

    /** The size for people. */
    String size() {
        return bytes >= 1 << 20 ? (bytes >> 20) + " MiB" : bytes >= 1 << 10 ? (bytes >> 10) + " KiB" : bytes + " B";
    }

    /** What is done, for people. */
    public String words() {
        return reach.words() + ": " + work.words(size()) + (perSecond > 0 ? ", " + perSecond + "/s" : "");
    }
}
