package io.urma4j.buffer;

import io.urma4j.JfsConfig;
import io.urma4j.UrmaException;
import io.urma4j.internal.Checks;
import java.time.Duration;

/**
 * Configuration of {@link Transfers}. Created with {@link #builder}.
 *
 * @param progress which thread sees that requests have ended
 * @param perPost most requests of a post, of which the last one alone makes a record
 * @param maxUnfinished most unfinished requests to one home; others wait
 * @param maxSges most local ranges of a request, if the device allows as many
 * @param maxImports segments of homes that stay imported with each context, unless more are in use
 * @param maxWindows windows that stay open with each context, unless more are in use
 * @param timeout of {@link Transfers#read} and {@link Transfers#write}
 * @param silence after which a silent home fails its requests with ACK_TIMEOUT_ERR (S12.3)
 */
public record TransferOptions(
        TransferProgress progress,
        int perPost,
        int maxUnfinished,
        int maxSges,
        int maxImports,
        int maxWindows,
        Duration timeout,
        Duration silence) {

    private static final String NAME = "TransferOptions";
    private static final int MOST_UNFINISHED = 8191; // with one place more, a depth that the devices have
    private static final int MOST_SGES = 64;
    private static final int MOST_OPEN = 1 << 16;

    /** Threads of its own, 32, 128, 16; 256 imports and 4096 windows; 30 s, and 15 s of silence. */
    public static final TransferOptions DEFAULT = builder().build();

    /**
     * Checks the values.
     *
     * @throws UrmaException EINVAL, naming the value and its limits
     */
    public TransferOptions {
        Checks.inRange(NAME, "maxUnfinished", maxUnfinished, 1, MOST_UNFINISHED);
        Checks.inRange(NAME, "perPost", perPost, 1, maxUnfinished);
        Checks.inRange(NAME, "maxSges", maxSges, 1, MOST_SGES);
        Checks.inRange(NAME, "maxImports", maxImports, 1, MOST_OPEN);
        Checks.inRange(NAME, "maxWindows", maxWindows, 1, MOST_OPEN);
        Checks.positive(NAME, "timeout", timeout);
        Checks.positive(NAME, "silence", silence);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from this configuration. */
    public Builder toBuilder() {
        return new Builder()
                .progress(progress)
                .perPost(perPost)
                .maxUnfinished(maxUnfinished)
                .maxSges(maxSges)
                .maxImports(maxImports)
                .maxWindows(maxWindows)
                .timeout(timeout)
                .silence(silence);
    }

    /** Of the queue to one home, whose posts and polls the queue's lock guards; with a place for the NOP behind a refused post. */
    JfsConfig queueConfig(int sges) {
        return JfsConfig.builder()
                .depth(maxUnfinished + 1)
                .maxSges(sges)
                .timeout(silence)
                .lockFree(true)
                .build();
    }

    /** Collects the values; the defaults are those of {@link #DEFAULT}. */
    public static final class Builder {
        private TransferProgress progress = TransferProgress.BY_THREAD;
        private int perPost = 32;
        private int maxUnfinished = 128;
        private int maxSges = 16;
        private int maxImports = 256;
        private int maxWindows = 4096;
        private Duration timeout = Duration.ofSeconds(30);
        private Duration silence = Duration.ofSeconds(15);

        private Builder() {}

        public Builder progress(TransferProgress thread) {
            this.progress = thread;
            return this;
        }

        public Builder perPost(int requests) {
            this.perPost = requests;
            return this;
        }

        public Builder maxUnfinished(int requests) {
            this.maxUnfinished = requests;
            return this;
        }

        public Builder maxSges(int ranges) {
            this.maxSges = ranges;
            return this;
        }

        public Builder maxImports(int segments) {
            this.maxImports = segments;
            return this;
        }

        public Builder maxWindows(int windows) {
            this.maxWindows = windows;
            return this;
        }

        public Builder timeout(Duration longest) {
            this.timeout = longest;
            return this;
        }

        public Builder silence(Duration longest) {
            this.silence = longest;
            return this;
        }

        /** The configuration; EINVAL as {@link TransferOptions#TransferOptions} has it. */
        public TransferOptions build() {
            return new TransferOptions(
                    progress, perPost, maxUnfinished, maxSges, maxImports, maxWindows, timeout, silence);
        }
    }
}
