package io.urma4j;

import io.urma4j.spi.ProviderGrant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Grants of no device, for tests outside of this package. */
public final class FakeGrants {
    private FakeGrants() {}

    /** What a context has granted, in that order. */
    public static List<Fake> of(UrmaContext context) {
        return FakeContext.of(context).grants;
    }

    /** Refuses the next grant of a context. */
    public static void refuseNext(UrmaContext context, UrmaException refusal) {
        FakeContext.of(context).grantRefusals.add(refusal);
    }

    /** A grant that a test looks at. */
    public static final class Fake implements ProviderGrant {
        private final WindowKey key;
        private final AtomicBoolean takenBack = new AtomicBoolean();

        /** Whether a peer's operation is in progress. */
        public volatile boolean isBusy;

        /** The one thread that finds it quiet; null if each does. */
        public volatile @Nullable Thread observer;

        /** A grant with a key of this slot. */
        public Fake(int slot) {
            this(new WindowKey(-1, slot, 1, 0, 64, Access.READ));
        }

        Fake(WindowKey key) {
            this.key = key;
        }

        /** What a home has of it. */
        public WindowGrant grant() {
            return new WindowGrant(this);
        }

        public boolean isTakenBack() {
            return takenBack.get();
        }

        @Override
        public WindowKey key() {
            return key;
        }

        @Override
        public void takeBack() {
            takenBack.set(true);
        }

        @Override
        public boolean isQuiet() {
            Thread only = observer;
            return takenBack.get() && !isBusy && (only == null || only.equals(Thread.currentThread()));
        }
    }
}
