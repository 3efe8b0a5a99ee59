package io.urma4j.buffer;

import org.jspecify.annotations.Nullable;

/** A request in the queue. It is settled once, under the allocator's lock: with a grant, or because the pool was closed. */
final class Waiter {
    private final Request request;
    private final Runnable onSettled;
    private final long begunNanos = System.nanoTime();
    private long arrival; // its place in the order of all; guarded by the allocator's lock
    private @Nullable Grant grant; // written before isSettled
    private volatile boolean isSettled;

    /** @param onSettled runs once it is settled, without the lock, on any thread */
    Waiter(Request request, Runnable onSettled) {
        this.request = request;
        this.onSettled = onSettled;
    }

    Request request() {
        return request;
    }

    /** It was the {@code place}th to arrive. */
    void arrived(long place) {
        arrival = place;
    }

    boolean isBefore(Waiter other) {
        return arrival < other.arrival;
    }

    long ageNanos() {
        return System.nanoTime() - begunNanos;
    }

    /** Settles it; null if the pool was closed. {@link #wake} must follow, without the lock. */
    void settle(@Nullable Grant given) {
        assert !isSettled : request;
        grant = given;
        isSettled = true;
    }

    boolean isSettled() {
        return isSettled;
    }

    /** Of a settled waiter: its grant; null if the pool was closed. */
    @Nullable
    Grant grant() {
        return grant;
    }

    void wake() {
        onSettled.run();
    }
}
