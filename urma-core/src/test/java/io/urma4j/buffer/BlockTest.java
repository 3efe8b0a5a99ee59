package io.urma4j.buffer;

import static io.urma4j.buffer.BufViewTest.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** S14.7, S14.8, S14.9: when a lease ends, and when its memory returns. */
class BlockTest {
    private static final int RACES = Boolean.getBoolean("urma.full") ? 100_000 : 5_000;

    private final Arena arena = Arena.ofShared();
    private final AtomicInteger returned = new AtomicInteger();
    private final Block block = new Block(arena.allocate(64, 8), List.of(), _ -> returned.incrementAndGet());

    @AfterEach
    void free() {
        arena.close();
    }

    private RdmaBuf lease() {
        return RdmaBuf.lease(block, 0, 64, LeakDetector.OFF);
    }

    @Test
    void memoryReturnsAfterTheLastHandle() {
        RdmaBuf first = lease();
        RdmaBuf second = first.retain();
        first.close();
        assertThat(first.isClosed()).isTrue();
        assertThat(second.view().size()).isEqualTo(64);
        assertThat(returned).hasValue(0);
        second.close();
        assertThat(returned).hasValue(1);
    }

    @Test
    void closingTwiceReleasesOnce() {
        RdmaBuf first = lease();
        RdmaBuf second = first.retain();
        first.close();
        first.close();
        assertThat(second.view().isValid()).isTrue();
        second.close();
        second.close();
        first.close();
        assertThat(returned).hasValue(1);
    }

    @Test
    void closedHandleIsOfNoUse() {
        RdmaBuf first = lease();
        try (RdmaBuf second = first.retain()) {
            first.close();
            assertInvalid(first::view).withMessageContaining("is closed");
            assertInvalid(first::retain).withMessageContaining("is closed");
            assertThat(second.isClosed()).isFalse();
        }
    }

    @Test
    void viewOfAnEarlierLeaseNeverSeesTheNext() {
        RdmaBuf first = lease();
        BufView stale = first.view();
        first.close();
        try (RdmaBuf next = lease()) {
            next.view().putLong(0, 5);
            assertInvalid(() -> stale.getLong(0)).withMessageContaining("is closed");
            assertInvalid(() -> stale.putLong(0, 6)).withMessageContaining("is closed");
            assertThat(next.view().getLong(0)).isEqualTo(5);
            assertThat(stale).isNotEqualTo(next.view());
        }
    }

    @Test
    void operationHoldsTheMemoryAndNotTheLease() {
        RdmaBuf buf = lease();
        BufView view = buf.view();
        Block held = view.hold();
        view.hold();
        buf.close();
        assertInvalid(view::size);
        assertInvalid(view::hold);
        assertThat(returned).hasValue(0);
        held.unhold();
        assertThat(returned).hasValue(0);
        held.unhold();
        assertThat(returned).hasValue(1);
    }

    @Test
    void limitsAreRefusedAndChangeNothing() {
        List<RdmaBuf> handles = new ArrayList<>();
        handles.add(lease());
        while (handles.size() < Block.MAX_HANDLES) {
            handles.add(handles.getFirst().retain());
        }
        BufView view = handles.getFirst().view();
        for (int i = 0; i < Block.MAX_HOLDS; i++) {
            view.hold();
        }
        assertNoRoom(handles.getFirst()::retain, "limit of 4095 handles");
        assertNoRoom(view::hold, "limit of 65534 unfinished operations");
        handles.forEach(RdmaBuf::close);
        for (int i = 0; i < Block.MAX_HOLDS; i++) {
            assertThat(returned).hasValue(0);
            block.unhold();
        }
        assertThat(returned).hasValue(1);
    }

    private static void assertNoRoom(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message) {
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(call)
                .matches(failure -> failure.status() == UrmaStatus.ENOMEM)
                .withMessageContaining(message);
    }

    /** Each lease fills the memory with a number of its own before it shows its view: a reader finds it, or is refused. */
    @Test
    void readerThatRacesWithTheEndNeverGetsTheNextOwnersBytes() throws InterruptedException {
        record Shown(BufView view, long value) {}
        AtomicReference<@Nullable Shown> shown = new AtomicReference<>();
        AtomicReference<@Nullable String> wrong = new AtomicReference<>();
        AtomicInteger refusals = new AtomicInteger();
        Thread reader = Thread.ofPlatform().start(() -> {
            for (Shown now = shown.get(); now == null || now.value() >= 0; now = shown.get()) {
                for (int i = 0; now != null && i < 20; i++) {
                    try {
                        long value = now.view().getLong(8);
                        if (value != now.value()) {
                            wrong.set(value + " instead of " + now.value());
                        }
                    } catch (UrmaException e) {
                        refusals.incrementAndGet();
                    }
                }
            }
        });
        for (long i = 1; i <= RACES; i++) {
            try (RdmaBuf buf = lease()) {
                buf.view().putLong(8, i);
                shown.set(new Shown(buf.view(), i));
                Thread.onSpinWait();
            }
        }
        shown.set(new Shown(BufView.INVALID, -1));
        reader.join();

        assertThat(wrong.get())
                .as("what a view has read; %s refusals", refusals)
                .isNull();
        assertThat(returned).hasValue(RACES);
    }

    /** Handles and operations that end in several threads return the memory once. */
    @Test
    void usesThatEndAtTheSameTimeReturnTheMemoryOnce() throws InterruptedException {
        for (int i = 1; i <= RACES / 10; i++) {
            RdmaBuf buf = lease();
            Block held = buf.view().hold();
            RdmaBuf other = buf.retain();
            Thread closing = Thread.ofPlatform().start(other::close);
            Thread polling = Thread.ofPlatform().start(held::unhold);
            buf.close();
            closing.join();
            polling.join();
            assertThat(returned).hasValue(i);
        }
    }
}
