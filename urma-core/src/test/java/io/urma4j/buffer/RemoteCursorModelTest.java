package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * S14.1 to S14.4 and S14.29: random steps of cursors against a model that calculates with unbounded integers. {@code
 * -Durma.seed=N} replays a run.
 */
class RemoteCursorModelTest {
    private static final int SIZE = 1000;
    private static final int CURSORS = 8;
    private static final int STEPS = Boolean.getBoolean("urma.full") ? 10_000_000 : 300_000;
    private static final long SEED =
            Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));

    private static final RangeModel WHOLE = RangeModel.whole(SIZE);

    private final SplittableRandom random = new SplittableRandom(SEED);

    /** A cursor, and what it should be. */
    private static final class Pair {
        final RemoteCursor cursor;

        @Nullable
        RangeModel model;

        Pair(RemoteCursor cursor, @Nullable RangeModel model) {
            this.cursor = cursor;
            this.model = model;
        }
    }

    @Test
    void cursorsAreWhatUnboundedArithmeticSays() {
        // a part of a window: the bytes around it are out of reach
        RemoteBuf buf = RemoteBufs.two(4096, SIZE + 200).subrange(100, SIZE);
        long base = buf.address();
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < CURSORS; i++) {
            pairs.add(new Pair(buf.cursor(), WHOLE));
        }
        for (int step = 0; step < STEPS; step++) {
            int index = random.nextInt(CURSORS);
            Pair pair = pairs.get(index);
            Pair made = step(pair, base);
            check(pair, base, step);
            if (pair.model == null || pair.model.size().signum() == 0) {
                pairs.set(index, new Pair(buf.cursor(), WHOLE)); // of no more use
            }
            if (made != null) {
                check(made, base, step);
                pairs.set(random.nextInt(CURSORS), made);
            }
        }
    }

    /** Does one step to both; returns the cursor that it made, if any. */
    private @Nullable Pair step(Pair pair, long base) {
        RemoteCursor cursor = pair.cursor;
        RangeModel model = pair.model;
        long a = number();
        long b = number();
        BigInteger bigA = BigInteger.valueOf(a);
        switch (random.nextInt(10)) {
            case 0 -> move(pair, cursor.advance(a), model == null ? null : model.after(bigA));
            case 1 -> move(pair, cursor.subtract(a), model == null ? null : model.before(bigA));
            case 2 -> {
                return new Pair(cursor.subrange(a, b), model == null ? null : model.part(bigA, BigInteger.valueOf(b)));
            }
            case 3 -> {
                return new Pair(cursor.first(a), model == null ? null : model.part(BigInteger.ZERO, bigA));
            }
            case 4 -> {
                return new Pair(cursor.last(a), model == null ? null : model.last(bigA));
            }
            case 5 -> {
                Pair taken = new Pair(cursor.takeFirst(a), model == null ? null : model.part(BigInteger.ZERO, bigA));
                pair.model = taken.model == null || model == null ? model : model.after(bigA);
                return taken;
            }
            case 6 -> {
                Pair taken = new Pair(cursor.takeLast(a), model == null ? null : model.last(bigA));
                pair.model = taken.model == null || model == null ? model : model.before(bigA);
                return taken;
            }
            case 7 -> {
                cursor.resetRange();
                pair.model = model == null ? null : WHOLE;
            }
            case 8 -> {
                return new Pair(cursor.copy(), model);
            }
            default -> {
                RangeModel at = model == null ? null : model.part(bigA.subtract(model.begin()), BigInteger.valueOf(b));
                assertThat(cursor.contains(base + a, b))
                        .as("contains, seed %s", SEED)
                        .isEqualTo(at != null);
            }
        }
        return null;
    }

    private static void move(Pair pair, boolean moved, @Nullable RangeModel next) {
        assertThat(moved).as("moved, seed %s", SEED).isEqualTo(next != null);
        pair.model = next == null ? pair.model : next;
    }

    private static void check(Pair pair, long base, int step) {
        RangeModel model = pair.model;
        boolean right = model == null
                ? !pair.cursor.isValid() && pair.cursor.size() == 0
                : pair.cursor.isValid()
                        && pair.cursor.size() == model.size().longValueExact()
                        && pair.cursor.address() - base == model.begin().longValueExact()
                        && pair.cursor.buf().address() == pair.cursor.address()
                        && pair.cursor.buf().size() == pair.cursor.size();
        if (!right) {
            throw new AssertionError(
                    "step " + step + ": " + pair.cursor + " instead of " + model + "; replay with -Durma.seed=" + SEED);
        }
    }

    /** Mostly small, sometimes at the edges of a long. */
    private long number() {
        return switch (random.nextInt(8)) {
            case 0 -> random.nextLong();
            case 1 -> Long.MAX_VALUE - random.nextInt(SIZE);
            case 2 -> Long.MIN_VALUE + random.nextInt(SIZE);
            case 3 -> -random.nextInt(3);
            case 4 -> random.nextInt(SIZE + 2);
            default -> random.nextInt(40);
        };
    }
}
