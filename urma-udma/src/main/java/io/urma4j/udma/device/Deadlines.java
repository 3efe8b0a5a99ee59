package io.urma4j.udma.device;

import java.util.Arrays;

/** All objects with a deadline, the earliest first: a binary heap, in which each object knows its position. */
final class Deadlines {
    /** An object with a deadline. */
    abstract static class Timed {
        private int heapIndex = NONE; // its position in the heap
        private long dueNanos; // meaningless outside of the heap

        /** Its deadline has passed; it is no longer in the heap. */
        abstract void due(long nowNanos);
    }

    private static final int NONE = -1;

    private Timed[] heap = new Timed[16];
    private int size;

    /** The earliest deadline; {@code Long.MAX_VALUE} for none. */
    long nextNanos() {
        return size == 0 ? Long.MAX_VALUE : heap[0].dueNanos;
    }

    /** Calls each object whose deadline has passed. */
    void run(long nowNanos) {
        while (size > 0 && heap[0].dueNanos <= nowNanos) {
            Timed first = heap[0];
            cancel(first);
            first.due(nowNanos);
        }
    }

    /** Sets the deadline of an object; {@code Long.MAX_VALUE} for none. */
    void set(Timed timed, long dueNanos) {
        if (dueNanos == Long.MAX_VALUE) {
            cancel(timed);
        } else if (timed.heapIndex == NONE) {
            add(timed, dueNanos);
        } else if (timed.dueNanos != dueNanos) {
            boolean earlier = dueNanos < timed.dueNanos;
            timed.dueNanos = dueNanos;
            if (earlier) {
                up(timed);
            } else {
                down(timed);
            }
        }
    }

    private void add(Timed timed, long dueNanos) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        timed.dueNanos = dueNanos;
        timed.heapIndex = size;
        heap[size++] = timed;
        up(timed);
    }

    void cancel(Timed timed) {
        int index = timed.heapIndex;
        if (index == NONE) {
            return;
        }
        timed.heapIndex = NONE;
        Timed last = heap[--size];
        if (index < size) {
            place(last, index);
            up(last);
            down(last);
        }
    }

    private void place(Timed timed, int index) {
        heap[index] = timed;
        timed.heapIndex = index;
    }

    private void up(Timed timed) {
        int index = timed.heapIndex;
        while (index > 0) {
            int parent = (index - 1) / 2;
            if (heap[parent].dueNanos <= timed.dueNanos) {
                break;
            }
            place(heap[parent], index);
            index = parent;
        }
        place(timed, index);
    }

    private void down(Timed timed) {
        int index = timed.heapIndex;
        while (true) {
            int child = 2 * index + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && heap[child + 1].dueNanos < heap[child].dueNanos) {
                child++;
            }
            if (heap[child].dueNanos >= timed.dueNanos) {
                break;
            }
            place(heap[child], index);
            index = child;
        }
        place(timed, index);
    }
}
