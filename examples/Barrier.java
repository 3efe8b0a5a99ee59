import io.urma4j.*;

// Processes that go on together: a counter and a barrier in remote memory, by atomics alone.
//
// Terminal 1:  java --enable-native-access=ALL-UNNAMED -cp urma.jar Barrier.java home 3
// Three more:  java --enable-native-access=ALL-UNNAMED -cp urma.jar Barrier.java 3
static final long ARRIVED = 0; // how many have come to the barrier, since the beginning
static final long COUNTER = 8;
static final int ROUNDS = 100;
static final int ADDITIONS = 100; // of each process in each round

void main(String[] args) throws InterruptedException {
    try (var urma = Urma.open(); var context = urma.device().openContext()) {
        if (args.length > 1) {
            home(context, Integer.parseInt(args[1]));
        } else {
            count(context, Integer.parseInt(args[0]));
        }
    }
}

void home(UrmaContext context, int processes) throws InterruptedException {
    LocalSegment memory = context.register(context.allocate(4096), Access.READ_WRITE_ATOMIC);
    memory.publish("barrier");
    IO.println("The barrier is open");
    try (RemoteMemory own = context.importMemory(memory.share())) { // through the same door as everybody
        while (own.readLong(ARRIVED) < (long) processes * ROUNDS * 2) {
            Thread.sleep(10);
        }
        IO.println("Counted to " + own.readLong(COUNTER));
    }
}

/** In each round all add, all wait, all see the same sum, all wait. */
void count(UrmaContext context, int processes) {
    try (RemoteMemory shared = context.importMemory("name:barrier")) {
        for (long round = 1; round <= ROUNDS; round++) {
            for (int i = 0; i < ADDITIONS; i++) {
                shared.fetchAndAdd(COUNTER, 1);
            }
            await(shared, processes);
            long sum = shared.readLong(COUNTER);
            if (sum != round * processes * ADDITIONS) {
                throw new IllegalStateException("round " + round + " came to " + sum);
            }
            await(shared, processes);
        }
        IO.println("Saw every sum");
    }
}

/** Comes to the barrier, and waits until all others of this turn have come. */
void await(RemoteMemory shared, int processes) {
    long before = shared.fetchAndAdd(ARRIVED, 1);
    long complete = (before / processes + 1) * processes;
    while (shared.readLong(ARRIVED) < complete) {
        Thread.onSpinWait();
    }
}
