import io.urma4j.*;
import java.lang.foreign.*;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

// A cache in one process, read by many others without a call: values lie in remote memory, each behind a version.
//
// Terminal 1:  java --enable-native-access=ALL-UNNAMED -cp urma.jar Cache.java home
// Terminal 2:  java --enable-native-access=ALL-UNNAMED -cp urma.jar Cache.java
static final int SLOTS = 64;
static final int VALUE_BYTES = 240;
static final int SLOT_BYTES = 8 + VALUE_BYTES; // the version, odd while the value changes
static final VarHandle U64 = ValueLayout.JAVA_LONG.varHandle();

void main(String[] args) throws InterruptedException {
    try (var urma = Urma.open(); var context = urma.device().openContext()) {
        if (args.length > 0) {
            home(context);
        } else {
            read(context, 2_000);
        }
    }
}

/** Changes all values again and again, until it is killed. */
void home(UrmaContext context) {
    LocalSegment table = context.register(context.allocate((long) SLOTS * SLOT_BYTES), Access.READ);
    table.publish("cache");
    IO.println("The cache is open");
    byte[] value = new byte[VALUE_BYTES];
    for (int i = 0; ; i++) {
        Arrays.fill(value, (byte) i);
        put(table.memory(), i % SLOTS, value);
    }
}

void put(MemorySegment table, int slot, byte[] value) {
    long at = (long) slot * SLOT_BYTES;
    long version = (long) U64.get(table, at);
    U64.setOpaque(table, at, version + 1);
    VarHandle.storeStoreFence(); // a reader that sees any byte of the new value sees the odd version
    MemorySegment.copy(value, 0, table, ValueLayout.JAVA_BYTE, at + 8, VALUE_BYTES);
    U64.setRelease(table, at, version + 2);
}

/** Reads values of a home that does not notice it, and never sees half a value. */
void read(UrmaContext context, int times) {
    try (RemoteMemory table = context.importMemory("name:cache")) {
        long again = 0;
        byte[] value = new byte[VALUE_BYTES];
        for (int i = 0; i < times; i++) {
            while (!get(table, i % SLOTS, value)) {
                again++;
            }
            for (byte one : value) {
                if (one != value[0]) {
                    throw new IllegalStateException("half a value: " + Arrays.toString(value));
                }
            }
        }
        IO.println("Read " + times + " whole values, " + again + " of them again because they were changing");
    }
}

/** Three reads, one after the other: version, value, version. Between two equal even versions nothing changed. */
boolean get(RemoteMemory table, int slot, byte[] value) {
    long at = (long) slot * SLOT_BYTES;
    long before = table.readLong(at);
    table.read(at + 8, value);
    return before % 2 == 0 && table.readLong(at) == before;
}
