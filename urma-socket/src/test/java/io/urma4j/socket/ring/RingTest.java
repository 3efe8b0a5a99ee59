package io.urma4j.socket.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.tck.Seed;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RingTest {
    private static final int CAPACITY = 1024;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(RingLayout.lengthBytes(CAPACITY), 64);
    private final RingReader reader = new RingReader(memory);
    private final RingWriter writer = new RingWriter(memory);

    @AfterEach
    void free() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private static ByteBuffer bytes(int length, int first) {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        for (int i = 0; i < length; i++) {
            bytes.put(i, (byte) (first + i));
        }
        return bytes;
    }

    @Test
    void bytesArriveInOrderAroundTheEndOfTheMemory() throws IOException {
        int sent = 0;
        int received = 0;
        ByteBuffer target = ByteBuffer.allocate(300);
        for (int i = 0; i < 100; i++) {
            sent += writer.write(bytes(257, sent));
            writer.publish();
            reader.read(target.clear());
            reader.credit();
            for (target.flip(); target.hasRemaining(); received++) {
                assertThat(target.get()).isEqualTo((byte) received);
            }
        }
        assertThat(received).isEqualTo(sent).isGreaterThan(10 * CAPACITY);
    }

    private int usedBytes() {
        byte[] all = memory.asSlice(RingLayout.BYTES).toArray(ValueLayout.JAVA_BYTE);
        int used = all.length;
        while (used > 0 && all[used - 1] == 0) {
            used--;
        }
        return used;
    }

    /** A ring of 64 KiB through which messages go one after the other takes the pages of the first quarter alone. */
    @Test
    void bytesBeginAtTheFrontAgainOnceAllWasRead() throws IOException {
        ByteBuffer message = ByteBuffer.allocate(100);
        for (int i = 0; i < 1000; i++) {
            for (int at = 0; at < message.capacity(); at++) {
                message.put(at, (byte) (1 + (i + at) % 100));
            }
            assertThat(writer.write(message.clear())).isEqualTo(100);
            writer.publish();
            ByteBuffer received = ByteBuffer.allocate(100);
            assertThat(reader.read(received)).isEqualTo(100);
            assertThat(received.flip()).isEqualTo(message.flip());
            reader.credit();
        }
        assertThat(usedBytes()).isBetween(CAPACITY / 4, CAPACITY / 2);
    }

    @Test
    void bytesThatAreUnreadKeepTheirPlace() throws IOException {
        writer.write(bytes(CAPACITY / 2, 0));
        writer.publish();
        reader.read(ByteBuffer.allocate(CAPACITY / 2 - 1));
        reader.credit();
        writer.write(bytes(CAPACITY / 2, CAPACITY / 2));
        writer.publish();

        ByteBuffer received = ByteBuffer.allocate(CAPACITY);
        assertThat(reader.read(received)).isEqualTo(CAPACITY / 2 + 1);
        assertThat(received.flip()).isEqualTo(bytes(CAPACITY / 2 + 1, CAPACITY / 2 - 1));
    }

    @Test
    void nothingIsSeenBeforeItIsPublished() throws IOException {
        writer.write(bytes(10, 0));

        assertThat(reader.available()).isZero();
        writer.publish();
        assertThat(reader.available()).isEqualTo(10);
    }

    @Test
    void aFullRingTakesNothing() throws IOException {
        ByteBuffer source = bytes(CAPACITY + 1, 0);

        assertThat(writer.write(source)).isEqualTo(CAPACITY);
        assertThat(source.remaining()).isOne();
        assertThat(writer.write(source)).isZero();
        assertThat(writer.room()).isZero();
    }

    @Test
    void creditComesWithAQuarterOrWithTheLastByte() throws IOException {
        writer.write(bytes(CAPACITY, 0));
        writer.publish();

        reader.read(ByteBuffer.allocate(CAPACITY / 4 - 1));
        reader.credit();
        assertThat(writer.room()).isZero();
        reader.read(ByteBuffer.allocate(1));
        reader.credit();
        assertThat(writer.room()).isEqualTo(CAPACITY / 4);
        reader.read(ByteBuffer.allocate(CAPACITY));
        reader.credit();
        writer.write(bytes(CAPACITY / 4, 0));
        assertThat(writer.room()).isEqualTo(CAPACITY * 3 / 4);
    }

    @Test
    void aReaderThatWantsDataIsRungOnce() throws IOException {
        writer.write(bytes(1, 0));
        assertThat(writer.publish()).isFalse();
        reader.wantData();
        writer.write(bytes(1, 0));
        assertThat(writer.publish()).isTrue();
        writer.write(bytes(1, 0));
        assertThat(writer.publish()).isFalse();
    }

    @Test
    void aWriterThatWantsRoomIsRungOnce() throws IOException {
        writer.write(bytes(CAPACITY, 0));
        writer.publish();
        writer.wantRoom();

        reader.read(ByteBuffer.allocate(CAPACITY / 2));
        assertThat(reader.credit()).isTrue();
        reader.read(ByteBuffer.allocate(CAPACITY / 2));
        assertThat(reader.credit()).isFalse();
    }

    @Test
    void theEndFollowsTheLastByte() throws IOException {
        writer.write(bytes(3, 0));
        writer.publish();
        reader.wantData();

        assertThat(writer.end()).isTrue();
        assertThat(reader.hasEnded()).isTrue();
        assertThat(reader.available()).isEqualTo(3);
    }

    @Test
    void aTailBeyondTheCapacityBreaksTheConnection() {
        memory.set(ValueLayout.JAVA_LONG, RingLayout.TAIL, CAPACITY + 1);

        assertThatThrownBy(reader::available).isInstanceOf(IOException.class).hasMessageContaining("impossible");
    }

    @Test
    void aTailBehindWhatWasReadBreaksTheConnection() throws IOException {
        writer.write(bytes(8, 0));
        writer.publish();
        reader.read(ByteBuffer.allocate(8));
        memory.set(ValueLayout.JAVA_LONG, RingLayout.TAIL, 7);

        assertThatThrownBy(reader::available).isInstanceOf(IOException.class).hasMessageContaining("impossible");
    }

    @Test
    void creditForBytesThatWereNotWrittenBreaksTheConnection() throws IOException {
        writer.write(bytes(CAPACITY, 0));
        memory.set(ValueLayout.JAVA_LONG, RingLayout.HEAD, CAPACITY + 1);

        assertThatThrownBy(writer::room).isInstanceOf(IOException.class).hasMessageContaining("impossible");
    }

    @Test
    void creditThatIsTakenBackBreaksTheConnection() throws IOException {
        writer.write(bytes(CAPACITY, 0));
        memory.set(ValueLayout.JAVA_LONG, RingLayout.HEAD, 10);
        writer.write(bytes(10, 0));
        memory.set(ValueLayout.JAVA_LONG, RingLayout.HEAD, 9);

        assertThatThrownBy(writer::room).isInstanceOf(IOException.class).hasMessageContaining("impossible");
    }

    @Test
    void scribblesNeverReachBeyondTheRing() {
        SplittableRandom random = Seed.randomFor("scribbles");
        for (int i = 0; i < 100_000; i++) {
            long at = random.nextLong(RingLayout.BYTES / 4) * 4;
            memory.set(
                    ValueLayout.JAVA_INT, at, random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(2 * CAPACITY));
            try {
                reader.read(ByteBuffer.allocate(random.nextInt(2 * CAPACITY)));
                reader.credit();
                writer.write(bytes(random.nextInt(2 * CAPACITY), 0));
                writer.publish();
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("impossible");
            }
        }
    }

    @Test
    void revokedMemoryCountsAsClosedByItsReader() throws IOException {
        writer.write(bytes(10, 0));
        arena.close();

        ByteBuffer source = bytes(5, 0);
        assertThat(writer.write(source)).isZero();
        assertThat(source.remaining()).isEqualTo(5);
        assertThat(writer.publish()).isFalse();
        assertThat(writer.isReaderClosed()).isTrue();
        assertThat(writer.doorbellsCounted()).isZero();
        writer.close();
    }

    @Test
    void aSourceWhoseMemoryIsClosedLeavesTheRingAsItWas() throws IOException {
        Arena closed = Arena.ofShared();
        ByteBuffer source = closed.allocate(5).asByteBuffer();
        closed.close();
        assertThatThrownBy(() -> writer.write(source)).isInstanceOf(IllegalStateException.class);

        assertThat(writer.isReaderClosed()).isFalse();
        assertThat(writer.write(bytes(10, 0))).isEqualTo(10);
        writer.publish();
        ByteBuffer received = ByteBuffer.allocate(20);
        assertThat(reader.read(received)).isEqualTo(10);
        assertThat(received.flip()).isEqualTo(bytes(10, 0));
    }

    @Test
    void anInterruptOutlastsAWriteToRevokedMemory() throws IOException {
        arena.close();
        Thread.currentThread().interrupt();
        try {
            assertThat(writer.write(bytes(5, 0))).isZero();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aReaderThatHasGivenItsRingBackStoresNothing() {
        reader.giveBack();
        RingReader next = new RingReader(memory);
        next.wantData();
        byte[] before = memory.toArray(ValueLayout.JAVA_BYTE);

        reader.wantNoData();
        assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
        reader.countDoorbells(7);
        assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
        reader.close();
        assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
        reader.reset();
        assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
    }

    @Test
    void aWriterThatHasGivenItsRingBackEndsNoOther() {
        writer.close();
        RingReader next = new RingReader(memory);
        next.wantData();

        assertThat(writer.end()).isFalse();
        assertThat(next.hasEnded()).isFalse();
    }

    @Test
    void aRingHasAWriterUntilThatIsDone() {
        assertThat(reader.hasWriter()).isTrue();
        writer.close();
        assertThat(reader.hasWriter()).isFalse();
    }

    @Test
    void memoryOfAnotherSizeIsRefused() {
        assertThatThrownBy(() -> new RingReader(memory.asSlice(0, 1000)))
                .hasMessageContaining("must be 512 and a power of two");
    }

    @Test
    void twoThreadsThatSleepForEachOtherNeverMissTheDoorbell() throws Exception {
        int total = 2_000_000;
        var data = new Semaphore(0);
        var room = new Semaphore(0);
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            try {
                SplittableRandom random = Seed.randomFor("writer");
                for (int sent = 0; sent < total; ) {
                    ByteBuffer source = bytes(Math.min(1 + random.nextInt(700), total - sent), sent);
                    while (source.hasRemaining()) {
                        int written = writer.write(source);
                        sent += written;
                        if (written > 0 && writer.publish()) {
                            data.release();
                        }
                        if (written == 0) {
                            writer.wantRoom();
                            if (writer.room() == 0) {
                                room.acquire();
                            }
                        }
                    }
                }
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        SplittableRandom random = Seed.randomFor("reader");
        ByteBuffer target = ByteBuffer.allocate(CAPACITY);
        for (int received = 0; received < total; ) {
            int read = reader.read(target.clear().limit(1 + random.nextInt(CAPACITY)));
            if (reader.credit()) {
                room.release();
            }
            for (int i = 0; i < read; i++, received++) {
                if (target.get(i) != (byte) received) {
                    assertThat(target.get(i)).as("byte %d", received).isEqualTo((byte) received);
                }
            }
            if (read == 0) {
                reader.wantData();
                if (reader.available() == 0) {
                    data.acquire();
                }
            }
        }
        writing.get();
    }
}
