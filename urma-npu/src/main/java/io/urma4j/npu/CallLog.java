package io.urma4j.npu;

import java.util.ArrayList;
import java.util.List;

/** What the simulated driver was asked for, in order. Safe for any thread. */
public final class CallLog {
    private static final int MAX_CALLS = 10_000;

    private final List<Call> calls = new ArrayList<>(); // guarded by this

    /**
     * One call.
     *
     * @param name such as {@code getPages}
     * @param registration number of the registration, from 1; 0 for none
     * @param thread that made it
     */
    public record Call(String name, int registration, String thread) {
        @Override
        public String toString() {
            return name + "#" + registration;
        }
    }

    CallLog() {}

    void add(String name, int registration) {
        Call call = new Call(name, registration, Thread.currentThread().getName());
        synchronized (this) {
            if (calls.size() < MAX_CALLS) {
                calls.add(call);
            }
        }
    }

    /** The first 10,000 calls since {@link #clear}. */
    public synchronized List<Call> calls() {
        return List.copyOf(calls);
    }

    /** The calls of one registration, by name. */
    public List<String> of(int registration) {
        return calls().stream()
                .filter(call -> call.registration() == registration)
                .map(Call::name)
                .toList();
    }

    public synchronized void clear() {
        calls.clear();
    }
}
