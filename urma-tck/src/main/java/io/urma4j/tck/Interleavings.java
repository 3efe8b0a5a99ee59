package io.urma4j.tck;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All interleavings of a few small threads, on a machine with store buffers as those of x86. A store waits in the
 * buffer of its thread, in order, and reaches memory at any later time; its own thread sees it at once, the others only
 * then. A fence and a compare-and-set wait until the buffer is empty.
 *
 * <p>Each reachable state is visited once. A state in which every thread is blocked or finished, and one that must
 * finish has not, is a lost wake-up: the model has no clock that would end the wait.
 *
 * <p>A thread is a list of steps. Each accesses memory at most once, so that the model is never more atomic than the
 * machine.
 */
public final class Interleavings {
    private static final int BUFFERED = 6; // stores of one thread at most; more would be a mistake of the model's
    private static final int REGISTERS = 3;
    private static final int MOST_STATES = 5_000_000;

    private final List<String> variables = new ArrayList<>();
    private final List<Program> programs = new ArrayList<>();

    /** A model without threads yet. */
    public Interleavings() {}

    /**
     * What was found.
     *
     * @param states that were visited
     * @param stuck the first state in which a wake-up was lost, in words; empty when none was
     */
    public record Found(int states, Optional<String> stuck) {}

    /** One step of a thread; returns the index of the next one, or {@link #BLOCKED}. */
    private interface Step {
        int run(Machine machine, int next);
    }

    private static final int BLOCKED = -1;

    /** A variable of memory, by its name; 0 at first. */
    private int variable(String name) {
        int index = variables.indexOf(name);
        if (index < 0) {
            variables.add(name);
            return variables.size() - 1;
        }
        return index;
    }

    /** A thread that need not finish: it serves the others, and may sleep forever. */
    public Program server(String name) {
        return add(new Program(name, false));
    }

    /** A thread that must finish. */
    public Program thread(String name) {
        return add(new Program(name, true));
    }

    private Program add(Program program) {
        programs.add(program);
        return program;
    }

    /** The steps of a thread, in their order. Registers are its own, and 0 at first. */
    public final class Program {
        private final String name;
        private final boolean mustFinish;
        private final List<Step> steps = new ArrayList<>();
        private final BitSet local = new BitSet(); // the steps without effect on other threads
        private final Map<String, Integer> marks = new HashMap<>();

        private Program(String name, boolean mustFinish) {
            this.name = name;
            this.mustFinish = mustFinish;
        }

        private Program step(Step step) {
            steps.add(step);
            return this;
        }

        private Program localStep(Step step) {
            local.set(steps.size());
            return step(step);
        }

        /** Where others jump to. */
        public Program mark(String label) {
            marks.put(label, steps.size());
            return this;
        }

        private int at(String label) {
            Integer index = marks.get(label);
            if (index == null) {
                throw new IllegalStateException("thread " + name + " has no label '" + label + "'");
            }
            return index;
        }

        /** A store that others see later. */
        public Program store(String variable, int value) {
            int to = variable(variable);
            return step((machine, next) -> machine.buffer(to, value, next));
        }

        /** A store of a register and so much more. */
        public Program store(String variable, int register, int more) {
            int to = variable(variable);
            return step((machine, next) -> machine.buffer(to, machine.register(register) + more, next));
        }

        /** A load into a register. */
        public Program load(int register, String variable) {
            int from = variable(variable);
            return step((machine, next) -> machine.set(register, machine.read(from), next));
        }

        /** Sets a register. */
        public Program set(int register, int value) {
            return localStep((machine, next) -> machine.set(register, value, next));
        }

        /** Adds to a register. */
        public Program add(int register, int value) {
            return localStep((machine, next) -> machine.set(register, machine.register(register) + value, next));
        }

        /** {@code VarHandle.fullFence()}. */
        public Program fence() {
            return step((machine, next) -> machine.isDrained() ? next : BLOCKED);
        }

        /** Waits until every store made so far, by any thread, has reached memory. */
        public Program letStoresArrive() {
            return step((machine, next) -> machine.areAllDrained() ? next : BLOCKED);
        }

        /** {@code compareAndSet}; goes to {@code otherwise} when the value is another one. */
        public Program compareAndSet(String variable, int expected, int value, String otherwise) {
            int at = variable(variable);
            return step((machine, next) -> {
                if (!machine.isDrained()) {
                    return BLOCKED;
                }
                return machine.swap(at, expected, value) ? next : at(otherwise);
            });
        }

        /** {@code addAndGet}. */
        public Program getAndAdd(String variable, int value) {
            int at = variable(variable);
            return step((machine, next) -> {
                if (!machine.isDrained()) {
                    return BLOCKED;
                }
                machine.poke(at, machine.read(at) + value);
                return next;
            });
        }

        /** {@code Claim.acquire()}. */
        public Program acquire(String claim) {
            int at = variable(claim);
            return step((machine, next) -> machine.isDrained() && machine.swap(at, 0, 1) ? next : BLOCKED);
        }

        /** {@code Claim.tryAcquire()}. */
        public Program tryAcquire(String claim, String otherwise) {
            return compareAndSet(claim, 0, 1, otherwise);
        }

        /** {@code Claim.release()}: a store like any other. */
        public Program release(String claim) {
            return store(claim, 0);
        }

        /**
         * Wakes the thread that awaits the event, now or later. The model does not assume that a system call drains the
         * buffer.
         */
        public Program signal(String event) {
            int at = variable(event);
            return step((machine, next) -> {
                machine.poke(at, 1);
                return next;
            });
        }

        /** Sleeps until there was a signal, and takes it. */
        public Program await(String event) {
            int at = variable(event);
            return step((machine, next) -> machine.swap(at, 1, 0) ? next : BLOCKED);
        }

        /** Goes on at another step. */
        public Program jump(String label) {
            return localStep((machine, next) -> at(label));
        }

        /** Goes on at another step if the register has this value. */
        public Program jumpIf(int register, int value, String label) {
            return localStep((machine, next) -> machine.register(register) == value ? at(label) : next);
        }

        /** Goes on at another step if both registers have the same value. */
        public Program jumpIfSame(int register, int other, String label) {
            return localStep(
                    (machine, next) -> machine.register(register) == machine.register(other) ? at(label) : next);
        }

        /** The registers for looks mean nothing from here on: states that differ in them alone are one. */
        public Program forget(int... registers) {
            for (int register : registers) {
                set(register, 0);
            }
            return this;
        }

        /** Goes on, or to {@code label}: both are tried. */
        public Program either(String label) {
            return step((machine, next) -> machine.fork(at(label), next));
        }
    }

    /** One thread's view of a state while it makes a step. The words: memory, then what each thread has. */
    private final class Machine {
        private final char[] words;
        private final int thread;
        private int forkedTo = BLOCKED;

        Machine(char[] words, int thread) {
            this.words = words;
            this.thread = thread;
        }

        private int base() {
            return baseOf(thread);
        }

        private int depth() {
            return words[base() + 1 + REGISTERS];
        }

        private int entry(int index) {
            return base() + 2 + REGISTERS + 2 * index;
        }

        boolean isDrained() {
            return depth() == 0;
        }

        boolean areAllDrained() {
            for (int other = 0; other < programs.size(); other++) {
                if (words[baseOf(other) + 1 + REGISTERS] > 0) {
                    return false;
                }
            }
            return true;
        }

        int buffer(int variable, int value, int next) {
            int depth = depth();
            if (depth == BUFFERED) {
                return BLOCKED; // until one has left, as in a processor
            }
            words[entry(depth)] = (char) variable;
            words[entry(depth) + 1] = (char) value;
            words[base() + 1 + REGISTERS]++;
            return next;
        }

        int read(int variable) {
            for (int i = depth() - 1; i >= 0; i--) {
                if (words[entry(i)] == variable) {
                    return words[entry(i) + 1];
                }
            }
            return words[variable];
        }

        void poke(int variable, int value) {
            words[variable] = (char) value;
        }

        boolean swap(int variable, int expected, int value) {
            if (words[variable] != expected) {
                return false;
            }
            words[variable] = (char) value;
            return true;
        }

        int register(int register) {
            return words[base() + 1 + register];
        }

        int set(int register, int value, int next) {
            words[base() + 1 + register] = (char) value;
            return next;
        }

        int fork(int other, int next) {
            forkedTo = other;
            return next;
        }

        /** The oldest store reaches memory. */
        void drainOne() {
            words[words[entry(0)]] = words[entry(0) + 1];
            int depth = depth();
            System.arraycopy(words, entry(1), words, entry(0), 2 * (depth - 1));
            words[entry(depth - 1)] = 0;
            words[entry(depth - 1) + 1] = 0;
            words[base() + 1 + REGISTERS]--;
        }
    }

    private int baseOf(int thread) {
        return variables.size() + thread * (2 + REGISTERS + 2 * BUFFERED);
    }

    /** Visits all states, or those up to the first with a lost wake-up. */
    public Found explore() {
        Set<String> seen = new HashSet<>();
        Deque<char[]> open = new ArrayDeque<>();
        char[] first = new char[baseOf(programs.size())];
        for (int thread = 0; thread < programs.size(); thread++) {
            settle(first, thread, 0);
        }
        visit(first, seen, open);
        while (!open.isEmpty()) {
            char[] state = open.pop();
            boolean moved = false;
            for (int thread = 0; thread < programs.size(); thread++) {
                moved |= drain(state, thread, seen, open);
                moved |= step(state, thread, seen, open);
            }
            if (!moved && !haveFinished(state)) {
                return new Found(seen.size(), Optional.of(describe(state)));
            }
            if (seen.size() > MOST_STATES) {
                throw new AssertionError("more than " + MOST_STATES + " states: the model has no end");
            }
        }
        return new Found(seen.size(), Optional.empty());
    }

    private boolean drain(char[] state, int thread, Set<String> seen, Deque<char[]> open) {
        char[] next = state.clone();
        Machine machine = new Machine(next, thread);
        if (machine.isDrained()) {
            return false;
        }
        machine.drainOne();
        visit(next, seen, open);
        return true;
    }

    private boolean step(char[] state, int thread, Set<String> seen, Deque<char[]> open) {
        Program program = programs.get(thread);
        int at = state[baseOf(thread)];
        if (at == program.steps.size()) {
            return false;
        }
        char[] words = state.clone();
        Machine machine = new Machine(words, thread);
        int next = program.steps.get(at).run(machine, at + 1);
        if (next == BLOCKED) {
            return false;
        }
        if (machine.forkedTo != BLOCKED) {
            char[] other = words.clone();
            settle(other, thread, machine.forkedTo);
            visit(other, seen, open);
        }
        settle(words, thread, next);
        visit(words, seen, open);
        return true;
    }

    /** The thread continues until its next step has an effect on other threads. */
    private void settle(char[] words, int thread, int from) {
        Program program = programs.get(thread);
        Machine machine = new Machine(words, thread);
        int next = from;
        while (program.local.get(next)) {
            next = program.steps.get(next).run(machine, next + 1);
        }
        words[baseOf(thread)] = (char) next;
    }

    private static void visit(char[] state, Set<String> seen, Deque<char[]> open) {
        if (seen.add(new String(state))) {
            open.push(state);
        }
    }

    private boolean haveFinished(char[] state) {
        for (int thread = 0; thread < programs.size(); thread++) {
            Program program = programs.get(thread);
            if (program.mustFinish && state[baseOf(thread)] != program.steps.size()) {
                return false;
            }
        }
        return true;
    }

    private String describe(char[] state) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < variables.size(); i++) {
            text.append(variables.get(i)).append('=').append((int) state[i]).append(' ');
        }
        for (int thread = 0; thread < programs.size(); thread++) {
            int base = baseOf(thread);
            text.append(programs.get(thread).name)
                    .append(" at step ")
                    .append((int) state[base])
                    .append(' ')
                    .append(Arrays.toString(registers(state, base)))
                    .append(' ');
        }
        return text.toString().strip();
    }

    private static int[] registers(char[] state, int base) {
        int[] values = new int[REGISTERS];
        for (int i = 0; i < REGISTERS; i++) {
            values[i] = state[base + 1 + i];
        }
        return values;
    }
}
