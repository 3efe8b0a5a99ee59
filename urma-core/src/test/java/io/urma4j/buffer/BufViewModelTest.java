package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * S14.1 to S14.4: random steps of views against a model that calculates with unbounded integers. {@code -Durma.seed=N} replays a
 * run.
 */
class BufViewModelTest {
    private static final int SIZE = 1000;
    private static final int VIEWS = 8;
    private static final int STEPS = Boolean.getBoolean("urma.full") ? 10_000_000 : 300_000;
    private static final long SEED =
            Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));

    private static final RangeModel WHOLE = RangeModel.whole(SIZE);

    private final SplittableRandom random = new SplittableRandom(SEED);

    /** A view, and what it should be. */
    private static final class Pair {
        final BufView view;

        @Nullable
        RangeModel model;

        Pair(BufView view, @Nullable RangeModel model) {
            this.view = view;
            this.model = model;
        }
    }

    @Test
    void viewsAreWhatUnboundedArithmeticSays() {
        try (Arena arena = Arena.ofShared();
                RdmaBuf buf = RdmaBuf.wrap(arena.allocate(SIZE))) {
            long base = buf.view().address();
            List<Pair> pairs = new ArrayList<>();
            for (int i = 0; i < VIEWS; i++) {
                pairs.add(new Pair(buf.view(), WHOLE));
            }
            for (int step = 0; step < STEPS; step++) {
                int index = random.nextInt(VIEWS);
                Pair pair = pairs.get(index);
                Pair made = step(pair, base);
                check(pair, base, step);
                if (pair.model == null || pair.model.size().signum() == 0) {
                    pairs.set(index, new Pair(buf.view(), WHOLE)); // of no more use
                }
                if (made != null) {
                    check(made, base, step);
                    pairs.set(random.nextInt(VIEWS), made);
                }
            }
        }
    }

    /** Does one step to both; returns the view that it made, if any. */
    private @Nullable Pair step(Pair pair, long base) {
        BufView view = pair.view;
        RangeModel model = pair.model;
        long a = number();
        long b = number();
        BigInteger bigA = BigInteger.valueOf(a);
        switch (random.nextInt(10)) {
            case 0 -> move(pair, view.advance(a), model == null ? null : model.after(bigA));
            case 1 -> move(pair, view.subtract(a), model == null ? null : model.before(bigA));
            case 2 -> {
                return new Pair(view.subrange(a, b), model == null ? null : model.part(bigA, BigInteger.valueOf(b)));
            }
            case 3 -> {
                return new Pair(view.first(a), model == null ? null : model.part(BigInteger.ZERO, bigA));
            }
            case 4 -> {
                return new Pair(view.last(a), model == null ? null : model.last(bigA));
            }
            case 5 -> {
                Pair taken = new Pair(view.takeFirst(a), model == null ? null : model.part(BigInteger.ZERO, bigA));
                pair.model = taken.model == null || model == null ? model : model.after(bigA);
                return taken;
            }
            case 6 -> {
                Pair taken = new Pair(view.takeLast(a), model == null ? null : model.last(bigA));
                pair.model = taken.model == null || model == null ? model : model.before(bigA);
                return taken;
            }
            case 7 -> {
                view.resetRange();
                pair.model = model == null ? null : WHOLE;
            }
            case 8 -> {
                return new Pair(view.copy(), model);
            }
            default -> {
                RangeModel at = model == null ? null : model.part(bigA.subtract(model.begin()), BigInteger.valueOf(b));
                assertThat(view.contains(base + a, b))
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
                ? !pair.view.isValid() && pair.view.size() == 0
                : pair.view.isValid()
                        && pair.view.size() == model.size().longValueExact()
                        && pair.view.address() - base == model.begin().longValueExact();
        if (!right) {
            throw new AssertionError(
                    "step " + step + ": " + pair.view + " instead of " + model + "; replay with -Durma.seed=" + SEED);
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
