package io.urma4j.internal.message;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.RemoteMemory;
import io.urma4j.SharedJetty;
import io.urma4j.SharedMemory;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.PublishedNames;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * The line of a queue under a name: a small segment that holds it, published for processes of this user. It is visible until it
 * is closed. Safe for any thread.
 *
 * <pre>
 *   0  format         i64
 *   8  length         i32, of the line in bytes
 *  16  line           ASCII, as share() wrote it
 * </pre>
 */
public final class PublishedAddress implements AutoCloseable {
    private static final long FORMAT = 0x5552_4D41_5155_4531L; // URMAQUE1
    private static final int FORMAT_AT = 0;
    private static final int LENGTH_AT = 8;
    private static final int LINE_AT = 16;
    private static final int SIZE_BYTES = 4096;

    private final ClosingOrder parts = new ClosingOrder(this);
    private final String name;

    /**
     * Publishes a line.
     *
     * @throws UrmaException EINVAL when it is no name; EEXIST when something else has it
     */
    public PublishedAddress(UrmaContext context, String name, String line) {
        this.name = PublishedNames.checked(context, name);
        byte[] text = line.getBytes(StandardCharsets.US_ASCII);
        Checks.inRange(context, "length of the address", text.length, 1, SIZE_BYTES - LINE_AT);
        try {
            SharedMemory memory = parts.add(context.allocate(SIZE_BYTES), 1);
            MemorySegment bytes = memory.segment();
            bytes.set(JAVA_LONG, FORMAT_AT, FORMAT);
            bytes.set(JAVA_INT, LENGTH_AT, text.length);
            MemorySegment.copy(MemorySegment.ofArray(text), 0, bytes, LINE_AT, text.length);
            parts.add(context.register(memory, Access.READ), 0).publish(name);
        } catch (UrmaException e) {
            parts.closeAll();
            throw e;
        }
    }

    /** The queue of a line, or of the line that is published under {@code name:NAME}. */
    public static SharedJetty find(UrmaContext context, String lineOrName) {
        String text = lineOrName.strip();
        String provider = ApiAccess.api().attributesOf(context).provider();
        boolean isName = text.startsWith(PublishedNames.ANY_KIND) || text.startsWith(provider + ":");
        return SharedJetty.parse(isName ? read(context, PublishedNames.in(text, context, provider)) : text);
    }

    /**
     * The line that is published under a name. What another process wrote there is not believed, but parsed like any line.
     *
     * @throws UrmaException EINVAL when nothing has the name, or what has it is no queue
     */
    private static String read(UrmaContext context, String name) {
        try (RemoteMemory memory = context.importMemory(PublishedNames.ANY_KIND + name)) {
            if (memory.lengthBytes() != SIZE_BYTES) {
                throw notOne(context, name);
            }
            MemorySegment bytes = MemorySegment.ofArray(memory.read(0, SIZE_BYTES));
            int length = bytes.get(JAVA_INT.withByteAlignment(1), LENGTH_AT);
            boolean isOne = bytes.get(JAVA_LONG.withByteAlignment(1), FORMAT_AT) == FORMAT;
            if (!isOne || length < 1 || length > SIZE_BYTES - LINE_AT) {
                throw notOne(context, name);
            }
            byte[] line = bytes.asSlice(LINE_AT, length).toArray(JAVA_BYTE);
            return new String(line, StandardCharsets.US_ASCII);
        }
    }

    private static UrmaException notOne(UrmaContext context, String name) {
        return Checks.invalid(
                context, "'" + name + "' is the name of a segment, not of a channel, JFR or Jetty; use importMemory");
    }

    /** Takes the name back. Idempotent. */
    @Override
    public void close() {
        ClosingOrder.throwIfFailed(parts.closeAll());
    }

    @Override
    public String toString() {
        return "address published as '" + name + "'";
    }
}
