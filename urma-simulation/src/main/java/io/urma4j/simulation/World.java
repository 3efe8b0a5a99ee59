package io.urma4j.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The state that all parts of one simulated run share. */
final class World {
    final Scenario scenario;
    final VirtualTime time;
    final Trace trace;
    final SplittableRandom random;
    final Network network;
    final Digest digest = new Digest();

    /** Whether connections use header prediction. */
    final boolean predicts;

    final List<Machine> machines = new ArrayList<>();

    /** Whether the test injects packets that no machine sends. */
    boolean hasStrangers;

    private final List<Operation> operations = new ArrayList<>();
    private final Map<Long, Operation> messages = new HashMap<>(); // by the first eight bytes of their payload
    private int lastNumber = 10_000; // the cards allocate the numbers below

    World(Scenario scenario, VirtualTime time, Trace trace, SplittableRandom random, boolean predicts) {
        this.scenario = scenario;
        this.time = time;
        this.trace = trace;
        this.random = random;
        this.predicts = predicts;
        this.network = new Network(time, trace, scenario, random.split(), digest);
    }

    /** The number of the next operation, from 1; it determines the payload. */
    int nextOperation() {
        return operations.size() + 1;
    }

    void add(Operation operation) {
        operations.add(operation);
        if (operation.isMessage() && operation.lengthBytes >= Long.BYTES) {
            messages.put(Pattern.wordAt(operation.id, 0), operation);
        }
    }

    List<Operation> operations() {
        return operations;
    }

    /** The operation that the immediate of a message names; null for none. */
    @Nullable
    Operation operation(long immediate) {
        long id = immediate & 0xFFFF_FFFFL;
        Operation one = id >= 1 && id <= operations.size() ? operations.get((int) id - 1) : null;
        return one != null && one.immediate == immediate ? one : null;
    }

    /** The message that begins with these bytes. */
    @Nullable
    Operation message(long firstBytes) {
        return messages.get(firstBytes);
    }

    /** A number for a queue or connection, unique over all lives of all machines. */
    int newNumber() {
        lastNumber += 1 + random.nextInt(1000);
        return lastNumber;
    }

    /** First PSN of a connection. */
    int newPsn() {
        return scenario.nearWrap() ? 0xFF_FFFF - random.nextInt(64) : random.nextInt(1 << 24);
    }
}
