package io.urma4j.buffer;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** A range in unbounded integers, or null where it does not fit: what ranges of buffers are compared with. */
record RangeModel(BigInteger begin, BigInteger size) {
    /** All of a buffer. */
    static RangeModel whole(long size) {
        return new RangeModel(BigInteger.ZERO, BigInteger.valueOf(size));
    }

    @Nullable
    RangeModel part(BigInteger offset, BigInteger length) {
        boolean inside = offset.signum() >= 0
                && length.signum() >= 0
                && offset.add(length).compareTo(size) <= 0;
        return inside ? new RangeModel(begin.add(offset), length) : null;
    }

    /** Without its first bytes. */
    @Nullable
    RangeModel after(BigInteger bytes) {
        return bytes.signum() < 0 ? null : part(bytes, size.subtract(bytes));
    }

    /** Without its last bytes. */
    @Nullable
    RangeModel before(BigInteger bytes) {
        return bytes.signum() < 0 ? null : part(BigInteger.ZERO, size.subtract(bytes));
    }

    @Nullable
    RangeModel last(BigInteger bytes) {
        return part(size.subtract(bytes), bytes);
    }
}
