package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Set;
import org.junit.jupiter.api.Test;

class EpollTest {
    private static final int DEADLINE_MILLIS = 10_000;

    @Test
    void signalOfAnotherThreadEndsAWait() throws InterruptedException {
        try (Epoll epoll = Epoll.create(4);
                EventFd event = EventFd.create()) {
            epoll.add(event.fd(), Epoll.IN, 0x1234_5678_9abc_def0L);
            Thread waker = Thread.ofPlatform().start(event::signal);

            assertThat(epoll.await(DEADLINE_MILLIS)).isEqualTo(1);
            assertThat(epoll.tag(0)).isEqualTo(0x1234_5678_9abc_def0L);
            assertThat(epoll.events(0)).isEqualTo(Epoll.IN);
            waker.join();
        }
    }

    @Test
    void severalReadyOnesAreToldApartByTag() {
        try (Epoll epoll = Epoll.create(4);
                EventFd first = EventFd.create();
                EventFd second = EventFd.create()) {
            epoll.add(first.fd(), Epoll.IN, 1);
            epoll.add(second.fd(), Epoll.IN | Epoll.EDGE_TRIGGERED, -2);
            first.signal();
            second.signal();

            assertThat(epoll.await(0)).isEqualTo(2);
            assertThat(Set.of(epoll.tag(0), epoll.tag(1))).containsExactlyInAnyOrder(1L, -2L);
            assertThat(epoll.await(0)).as("the edge is reported once").isEqualTo(1);
            assertThat(epoll.tag(0)).isEqualTo(1);
        }
    }

    @Test
    void shortWaitEndsByItselfOrByASignal() {
        try (Epoll epoll = Epoll.create(1);
                EventFd event = EventFd.create()) {
            epoll.add(event.fd(), Epoll.IN, 7);

            long before = System.nanoTime();
            assertThat(epoll.awaitNanos(50_000)).isZero();
            assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(50_000);

            event.signal();
            assertThat(epoll.awaitNanos(DEADLINE_MILLIS * 1_000_000L + 1)).isEqualTo(1);
            assertThat(epoll.tag(0)).isEqualTo(7);
            assertThat(epoll.awaitNanos(Long.MAX_VALUE)).isEqualTo(1);
        }
    }

    @Test
    void capacityLeavesTheRestForTheNextWait() {
        try (Epoll epoll = Epoll.create(1);
                EventFd first = EventFd.create();
                EventFd second = EventFd.create()) {
            epoll.add(first.fd(), Epoll.IN, 1);
            epoll.add(second.fd(), Epoll.IN, 2);
            first.signal();
            second.signal();

            assertThat(epoll.await(0)).isEqualTo(1);
            long told = epoll.tag(0);
            assertThat(epoll.await(0)).isEqualTo(1);
            assertThat(told + epoll.tag(0)).isEqualTo(3);
        }
    }

    @Test
    void modifiedAndRemovedOnesAreHeeded() {
        try (Epoll epoll = Epoll.create(4);
                EventFd event = EventFd.create()) {
            epoll.add(event.fd(), Epoll.IN, 1);
            event.signal();

            epoll.modify(event.fd(), Epoll.OUT, 9);
            assertThat(epoll.await(0)).isEqualTo(1);
            assertThat(epoll.tag(0)).isEqualTo(9);
            assertThat(epoll.events(0)).isEqualTo(Epoll.OUT);

            epoll.remove(event.fd());
            assertThat(epoll.await(0)).isZero();
        }
    }

    @Test
    void eventBeyondTheReadyOnesIsRefused() {
        try (Epoll epoll = Epoll.create(4)) {
            assertThat(epoll.await(0)).isZero();
            assertThatThrownBy(() -> epoll.tag(0)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void addingTwiceTellsBothDescriptors() {
        try (Epoll epoll = Epoll.create(4);
                EventFd event = EventFd.create()) {
            epoll.add(event.fd(), Epoll.IN, 1);

            var refusal = catchThrowableOfType(LibcException.class, () -> epoll.add(event.fd(), Epoll.IN, 1));

            assertThat(refusal.errno()).isEqualTo(Errno.EEXIST);
            assertThat(refusal).hasMessageContainingAll("epoll_ctl", "(epoll), ADD", "(eventfd)");
        }
    }

    @Test
    void capacityBelowOneIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Epoll.create(0)).withMessage("capacity 0 is below 1");
    }

    @Test
    void pollSeesOneDescriptor() {
        try (EventFd event = EventFd.create()) {
            assertThat(Poll.await(event.fd(), Poll.IN, 0)).isZero();

            event.signal();

            assertThat(Poll.await(event.fd(), Poll.IN, DEADLINE_MILLIS)).isEqualTo(Poll.IN);
        }
    }
}
