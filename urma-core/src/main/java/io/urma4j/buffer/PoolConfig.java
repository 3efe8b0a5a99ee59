package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.UrmaException;
import io.urma4j.internal.Checks;
import java.time.Duration;

/**
 * Configuration of a {@link RegisteredBufferPool}. Created with {@link #builder} or {@link #fixed}.
 *
 * @param name in messages and tools, at most 64 characters; if empty, the pool gets a number for a name
 * @param maxBytes hard limit of registered bytes, a multiple of 4 KiB
 * @param softBytes idle memory above it is freed after {@code idleTrim}
 * @param reserveBytes the part of {@code maxBytes} for {@link AcquireOptions#control} alone, a multiple of 4 KiB
 * @param slabBytes of a registration, if the budget has room and the buffers are not larger
 * @param fixedBytes length of each buffer; 0 for classes from 4 KiB to 64 MiB
 * @param idleTrim after one to two of which an idle slab above {@code softBytes} is freed
 * @param alloc how slabs are allocated
 * @param exports the most access that a buffer can be exported with; LOCAL_ONLY if none is exported
 * @param checked whether each lease has an arena of its own, so that no segment of it outlives the lease; for tests, since the end
 *     of a lease takes some 50 µs then
 * @param leaks finds lost handles
 */
public record PoolConfig(
        String name,
        long maxBytes,
        long softBytes,
        long reserveBytes,
        long slabBytes,
        long fixedBytes,
        Duration idleTrim,
        AllocOptions alloc,
        Scrub scrub,
        Access exports,
        boolean checked,
        LeakDetector leaks) {

    private static final String NAME = "PoolConfig";
    private static final int LONGEST_NAME = 64;
    private static final long PAGE = SizeClasses.PAGE_BYTES;
    private static final long MOST_BYTES = 1L << 46;
    private static final Duration LONGEST_TRIM = Duration.ofDays(1);
    private static final int LEAST_SLABS = 16; // of a budget with classes, so that a few leases do not pin all of it

    /**
     * Checks the values.
     *
     * @throws UrmaException EINVAL, naming the value and its limits
     */
    public PoolConfig {
        if (name.length() > LONGEST_NAME || name.chars().anyMatch(Character::isISOControl)) {
            throw Checks.invalid(NAME, "name must have at most " + LONGEST_NAME + " characters, none of control");
        }
        Checks.inRange(NAME, "maxBytes", maxBytes, PAGE, MOST_BYTES);
        Checks.inRange(NAME, "softBytes", softBytes, 0, maxBytes);
        Checks.inRange(NAME, "reserveBytes", reserveBytes, 0, maxBytes - PAGE);
        Checks.inRange(NAME, "slabBytes", slabBytes, PAGE, MOST_BYTES);
        Checks.inRange(NAME, "fixedBytes", fixedBytes, 0, maxBytes - reserveBytes);
        if (((maxBytes | reserveBytes) & (PAGE - 1)) != 0) {
            throw Checks.invalid(
                    NAME,
                    "maxBytes " + maxBytes + " and reserveBytes " + reserveBytes + " must be multiples of " + PAGE);
        }
        if (idleTrim.isNegative() || idleTrim.isZero() || idleTrim.compareTo(LONGEST_TRIM) > 0) {
            throw Checks.invalid(NAME, "idleTrim is " + idleTrim + ", must lie in 1 ns…" + LONGEST_TRIM);
        }
    }

    /** A pool of classes with at most that many registered bytes. */
    public static Builder builder(long maxBytes) {
        return new Builder(maxBytes);
    }

    /**
     * {@code count} buffers of at most {@code lengthBytes} each, which are registered as they are needed.
     *
     * @throws UrmaException EINVAL for less than 1 of either, or more than 64 TiB together
     */
    public static PoolConfig fixed(long lengthBytes, int count) {
        Checks.inRange(NAME, "lengthBytes", lengthBytes, 1, MOST_BYTES);
        long blockBytes = SizeClasses.roundUpToPage(lengthBytes);
        Checks.inRange(NAME, "count", count, 1, (int) Math.min(Integer.MAX_VALUE, MOST_BYTES / blockBytes));
        Builder builder = builder(count * blockBytes);
        builder.fixedBytes = lengthBytes;
        return builder.build();
    }

    /** A builder that starts from this configuration. */
    public Builder toBuilder() {
        Builder builder = new Builder(maxBytes)
                .name(name)
                .softBytes(softBytes)
                .reserveBytes(reserveBytes)
                .slabBytes(slabBytes)
                .idleTrim(idleTrim)
                .alloc(alloc)
                .scrub(scrub)
                .exports(exports)
                .checked(checked)
                .leaks(leaks);
        builder.fixedBytes = fixedBytes;
        return builder;
    }

    long ordinaryBytes() {
        return maxBytes - reserveBytes;
    }

    SizeClasses classes() {
        return fixedBytes == 0
                ? SizeClasses.powersOfTwo(ordinaryBytes())
                : SizeClasses.single(SizeClasses.roundUpToPage(fixedBytes));
    }

    long effectiveSlabBytes() {
        return fixedBytes == 0 ? Math.min(slabBytes, ordinaryBytes() / LEAST_SLABS) : slabBytes;
    }

    /** The longest buffer that a request can get. */
    long longestBytes(boolean isControl) {
        return fixedBytes != 0 ? fixedBytes : isControl ? Math.max(ordinaryBytes(), reserveBytes) : ordinaryBytes();
    }

    /** Collects the values. Defaults: no soft limit, no reserve, slabs of 4 MiB, 10 s, no scrubbing, exports with all access, no leak detection. */
    public static final class Builder {
        private final long maxBytes;
        private String name = "";
        private long softBytes;
        private long reserveBytes;
        private long slabBytes = 4 << 20;
        private long fixedBytes;
        private Duration idleTrim = Duration.ofSeconds(10);
        private AllocOptions alloc = AllocOptions.DEFAULT;
        private Scrub scrub = Scrub.NONE;
        private Access exports = Access.READ_WRITE_ATOMIC;
        private boolean checked;
        private LeakDetector leaks = LeakDetector.OFF;

        private Builder(long maxBytes) {
            this.maxBytes = maxBytes;
            this.softBytes = maxBytes;
        }

        public Builder name(String text) {
            this.name = text;
            return this;
        }

        public Builder softBytes(long bytes) {
            this.softBytes = bytes;
            return this;
        }

        public Builder reserveBytes(long bytes) {
            this.reserveBytes = bytes;
            return this;
        }

        public Builder slabBytes(long bytes) {
            this.slabBytes = bytes;
            return this;
        }

        public Builder idleTrim(Duration after) {
            this.idleTrim = after;
            return this;
        }

        public Builder alloc(AllocOptions options) {
            this.alloc = options;
            return this;
        }

        public Builder scrub(Scrub when) {
            this.scrub = when;
            return this;
        }

        public Builder exports(Access most) {
            this.exports = most;
            return this;
        }

        public Builder checked(boolean wanted) {
            this.checked = wanted;
            return this;
        }

        public Builder leaks(LeakDetector detector) {
            this.leaks = detector;
            return this;
        }

        /** The configuration; EINVAL as {@link PoolConfig#PoolConfig} has it. */
        public PoolConfig build() {
            return new PoolConfig(
                    name,
                    maxBytes,
                    softBytes,
                    reserveBytes,
                    slabBytes,
                    fixedBytes,
                    idleTrim,
                    alloc,
                    scrub,
                    exports,
                    checked,
                    leaks);
        }
    }
}
