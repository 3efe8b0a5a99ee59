package io.urma4j.udma.device;

/** How many completion queues of a card are armed. */
final class ArmedQueues {
    private int count;
    private volatile boolean isAny; // any thread reads it

    void add(int more) {
        count += more;
        assert count >= 0 : count + " completion queues are armed";
        isAny = count > 0;
    }

    boolean isAny() {
        return isAny;
    }
}
