package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.DescriptorException;
import io.urma4j.UrmaException;
import io.urma4j.WindowKey;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;

/** S14.30: the binary and text forms of remote buffers. {@code -Durma.seed=N} replays a run. */
class RemoteBufCodecTest {
    private static final long SEED =
            Long.getLong("urma.seed", ThreadLocalRandom.current().nextLong(1_000_000_000));
    private static final int ROUNDS = Boolean.getBoolean("urma.full") ? 1_000_000 : 100_000;

    private static final RemoteBuf ONE = RemoteBufs.one(4096, 1000);
    private static final RemoteBuf TWO = RemoteBufs.two(8192, 4096);

    private final RemoteBufCodec codec = new RemoteBufCodec();
    private final SplittableRandom random = new SplittableRandom(SEED);

    private byte[] encoded(RemoteBuf buf) {
        byte[] bytes = new byte[2048];
        int length = codec.encode(buf, MemorySegment.ofArray(bytes));
        return Arrays.copyOf(bytes, length);
    }

    private byte[] encodedAll(List<RemoteBuf> bufs) {
        byte[] bytes = new byte[RemoteBufCodec.MOST_BYTES];
        int length = codec.encodeAll(bufs, MemorySegment.ofArray(bytes));
        return Arrays.copyOf(bytes, length);
    }

    private RemoteBuf decoded(byte[] bytes) {
        return codec.decode(MemorySegment.ofArray(bytes));
    }

    private List<RemoteBuf> decodedAll(byte[] bytes) {
        return codec.decodeAll(MemorySegment.ofArray(bytes));
    }

    private ThrowableAssertAlternative<DescriptorException> assertThatDecoding(byte[] bytes) {
        return assertThatExceptionOfType(DescriptorException.class).isThrownBy(() -> decoded(bytes));
    }

    // ---- what was written

    @Test
    void whatWasWrittenIsRead() {
        for (RemoteBuf buf : List.of(ONE, TWO, ONE.subrange(8, 16), TWO.last(1), TWO.first(0), TWO.last(0))) {
            assertThat(decoded(encoded(buf))).isEqualTo(buf);
            assertThat(RemoteBuf.parse(" " + buf.toText() + "\n")).isEqualTo(buf);
        }
    }

    /** Which a wrong reader of one message would not notice. */
    @Test
    void listsAreReadInTheirOrder() {
        List<RemoteBuf> bufs = new ArrayList<>(RemoteBufs.neighbours(100));
        bufs.add(50, TWO.subrange(1, 2));
        bufs.add(ONE);
        bufs.add(TWO);
        assertThat(decodedAll(encodedAll(bufs))).isEqualTo(bufs);
        assertThat(codec.parseAll(codec.toText(bufs))).isEqualTo(bufs);
        assertThat(decodedAll(encodedAll(List.of()))).isEmpty();
        assertThat(decodedAll(encodedAll(List.of(ONE)))).containsExactly(ONE);
    }

    /** S14.30: devices 0 and 2, without 1. */
    @Test
    void missingDevicesStayMissing() {
        RemoteBuf read = decoded(encoded(TWO));
        assertThat(read.window(0)).isPresent();
        assertThat(read.window(1)).isEmpty();
        assertThat(read.window(2)).isEqualTo(TWO.window(2));
    }

    @Test
    void randomBuffersAreRead() {
        for (int round = 0; round < ROUNDS; round++) {
            RemoteBuf buf = randomBuf();
            assertThat(decoded(encoded(buf)))
                    .as("round %d, seed %d", round, SEED)
                    .isEqualTo(buf);
        }
    }

    private RemoteBuf randomBuf() {
        long lengthBytes = random.nextLong(1, RemoteBufs.SLAB_BYTES + 1);
        long offset = random.nextLong(RemoteBufs.SLAB_BYTES - lengthBytes + 1);
        Access access = List.of(Access.READ, Access.READ_WRITE, Access.READ_WRITE_ATOMIC)
                .get(random.nextInt(3));
        List<RemoteBuf.Window> windows = new ArrayList<>();
        for (int device = random.nextInt(3); device < 16 && windows.size() < 4; device += 1 + random.nextInt(8)) {
            WindowKey key = new WindowKey(
                    random.nextLong(), random.nextInt() & 0x7FFF_FFFF, random.nextLong(), offset, lengthBytes, access);
            windows.add(new RemoteBuf.Window(
                    device,
                    random.nextInt(16),
                    random.nextBoolean() ? RemoteBufs.shmSlab() : RemoteBufs.udmaSlab(),
                    key));
        }
        RemoteBuf whole = RemoteBuf.of(windows);
        long at = random.nextLong(lengthBytes + 1);
        return random.nextBoolean() ? whole : whole.subrange(at, random.nextLong(lengthBytes - at + 1));
    }

    // ---- size

    @Test
    void aWindowOfOneDeviceFitsInto256Bytes() {
        assertThat(encoded(ONE)).hasSizeLessThanOrEqualTo(256);
        assertThat(encoded(ONE.subrange(1, 1))).hasSizeLessThanOrEqualTo(256);
    }

    @Test
    void eachFurtherWindowOfAListTakes40BytesAtMost() {
        int one = encodedAll(RemoteBufs.neighbours(1)).length;
        int many = encodedAll(RemoteBufs.neighbours(1000)).length;
        assertThat((many - one) / 999).isLessThanOrEqualTo(40);
    }

    @Test
    void listsBeyondTheLimitAreRefused() {
        MemorySegment to = MemorySegment.ofArray(new byte[2 * RemoteBufCodec.MOST_BYTES]);
        assertThatThrownBy(() -> codec.encodeAll(RemoteBufs.neighbours(2000), to))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("more than the limit of " + RemoteBufCodec.MOST_BYTES);
        assertThatThrownBy(() -> codec.encodeAll(RemoteBufs.neighbours(5000), to))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("limit of 65535");
        assertThat(decoded(encoded(ONE))).isEqualTo(ONE);
    }

    @Test
    void memoryThatIsTooShortIsNotWritten() {
        MemorySegment shorter = MemorySegment.ofArray(new byte[encoded(ONE).length - 1]);
        assertThatThrownBy(() -> codec.encode(ONE, shorter))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("there is room for " + shorter.byteSize());
        assertThat(shorter.mismatch(MemorySegment.ofArray(new byte[(int) shorter.byteSize()])))
                .isEqualTo(-1);
        assertThatThrownBy(() -> codec.encode(RemoteBuf.INVALID, shorter)).hasMessageContaining("did not fit");
        assertThatThrownBy(() -> codec.encodeAll(List.of(ONE, RemoteBuf.INVALID), shorter))
                .hasMessageContaining("did not fit");
    }

    // ---- golden files

    @Test
    void releasedFormsStayAsTheyAre() {
        assertThat(HexFormat.of().formatHex(encoded(ONE))).isEqualTo(Golden.text("remote-buf.hex"));
        assertThat(HexFormat.of().formatHex(encoded(TWO.subrange(1, 9)))).isEqualTo(Golden.text("remote-buf-part.hex"));
        assertThat(HexFormat.of().formatHex(encodedAll(list()))).isEqualTo(Golden.text("remote-bufs.hex"));
        assertThat(ONE.toText()).isEqualTo(Golden.text("remote-buf.txt"));
        assertThat(codec.toText(list())).isEqualTo(Golden.text("remote-bufs.txt"));
    }

    @Test
    void releasedFormsAreRead() {
        assertThat(decoded(Golden.bytes("remote-buf.hex"))).isEqualTo(ONE);
        assertThat(decoded(Golden.bytes("remote-buf-part.hex"))).isEqualTo(TWO.subrange(1, 9));
        assertThat(decodedAll(Golden.bytes("remote-bufs.hex"))).isEqualTo(list());
        assertThat(RemoteBuf.parse(Golden.text("remote-buf.txt"))).isEqualTo(ONE);
        assertThat(codec.parseAll(Golden.text("remote-bufs.txt"))).isEqualTo(list());
    }

    private static List<RemoteBuf> list() {
        return List.of(ONE, TWO, RemoteBufs.two(0, 64).subrange(8, 8), ONE);
    }

    // ---- what was changed

    @Test
    void everyFlippedBitIsRefused() {
        for (byte[] whole : List.of(encoded(ONE), encoded(TWO.subrange(1, 9)))) {
            for (int bit = 0; bit < whole.length * 8; bit++) {
                byte[] flipped = whole.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                assertThatExceptionOfType(DescriptorException.class)
                        .as("bit %d", bit)
                        .isThrownBy(() -> decoded(flipped));
            }
        }
        byte[] all = encodedAll(list());
        for (int bit = 0; bit < all.length * 8; bit++) {
            byte[] flipped = all.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatExceptionOfType(DescriptorException.class)
                    .as("bit %d", bit)
                    .isThrownBy(() -> decodedAll(flipped));
        }
    }

    @Test
    void everyTruncationIsRefused() {
        byte[] whole = encoded(TWO);
        byte[] all = encodedAll(list());
        for (int length = 0; length < whole.length; length++) {
            assertThatDecoding(Arrays.copyOf(whole, length)).withMessageContaining("truncated");
        }
        for (int length = 0; length < all.length; length++) {
            byte[] cut = Arrays.copyOf(all, length);
            assertThatExceptionOfType(DescriptorException.class).isThrownBy(() -> decodedAll(cut));
        }
        assertThatDecoding(Arrays.copyOf(whole, whole.length + 1)).withMessageContaining("followed by other bytes");
    }

    @Test
    void everyOtherCharacterOfALineIsRefused() {
        String line = TWO.toText();
        for (int i = 0; i < line.length(); i++) {
            String cut = line.substring(0, i);
            for (String changed : List.of(cut, cut + (char) (line.charAt(i) ^ 1) + line.substring(i + 1))) {
                assertThatExceptionOfType(DescriptorException.class).isThrownBy(() -> RemoteBuf.parse(changed));
            }
        }
    }

    @Test
    void randomBytesAreRefused() {
        for (int round = 0; round < ROUNDS / 10; round++) {
            byte[] garbage = new byte[random.nextInt(400)];
            random.nextBytes(garbage);
            assertThatExceptionOfType(DescriptorException.class)
                    .as("round %d, seed %d", round, SEED)
                    .isThrownBy(() -> decoded(garbage));
        }
    }

    /** Behind a right frame and checksum: what a hostile peer can send. */
    @Test
    void garbageInAWholeFrameIsRefusedOrReadAsAValue() {
        byte[] one = encoded(TWO.subrange(1, 9));
        byte[] all = encodedAll(list());
        for (int round = 0; round < ROUNDS; round++) {
            byte[] changed = (random.nextBoolean() ? one : all).clone();
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                changed[12 + random.nextInt(changed.length - 16)] = (byte) random.nextInt();
            }
            byte[] bytes = resealed(changed, _ -> {});
            try {
                if (changed.length == all.length) {
                    List<RemoteBuf> read = decodedAll(bytes);
                    assertThat(decodedAll(encodedAll(read))).isEqualTo(read);
                } else {
                    RemoteBuf read = decoded(bytes);
                    assertThat(decoded(encoded(read))).isEqualTo(read);
                }
            } catch (DescriptorException expected) {
                assertThat(expected.getMessage()).isNotBlank();
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + SEED + ", round " + round, e);
            }
        }
    }

    private static byte[] resealed(byte[] bytes, Consumer<ByteBuffer> change) {
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        change.accept(frame);
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length - 4);
        frame.putInt(bytes.length - 4, (int) crc.getValue());
        return bytes;
    }

    // ---- forged values

    /** Where the only buffer of {@link #ONE} begins, behind the header of its field. */
    private static int bufOf(byte[] bytes) {
        return bytes.length - 4 - 32;
    }

    private ThrowableAssertAlternative<DescriptorException> assertThatForging(Consumer<ByteBuffer> change) {
        byte[] bytes = encoded(ONE);
        return assertThatDecoding(resealed(bytes, frame -> change.accept(frame.position(bufOf(bytes)))));
    }

    @Test
    void forgedValuesAreNamed() {
        assertThatForging(buf -> buf.put((byte) 0)).withMessageContaining("number of windows is 0, must lie in 1…16");
        assertThatForging(buf -> buf.put((byte) 17)).withMessageContaining("number of windows is 17");
        assertThatForging(buf -> buf.put((byte) 2)).withMessageContaining("truncated");
        assertThatForging(buf -> buf.put((byte) 0x81)).withMessageContaining("truncated");
        assertThatForging(buf -> buf.put(buf.position() + 1, (byte) 4)).withMessageContaining("mask 4");
        assertThatForging(buf -> buf.put(buf.position() + 1, (byte) 1)).withMessageContaining("LOCAL_ONLY");
        assertThatForging(buf -> buf.putLong(buf.position() + 2, 0)).withMessageContaining("length of the window is 0");
        assertThatForging(buf -> buf.putLong(buf.position() + 2, -1)).withMessageContaining("window is -1");
        assertThatForging(buf -> buf.putLong(buf.position() + 2, RemoteBufs.SLAB_BYTES))
                .withMessageContaining("lies outside");
        assertThatForging(buf -> buf.putShort(buf.position() + 10, (short) 1)).withMessageContaining("segment 1");
        assertThatForging(buf -> buf.putShort(buf.position() + 10, (short) -1)).withMessageContaining("segment 65535");
        assertThatForging(buf -> buf.putInt(buf.position() + 12, -1)).withMessageContaining("slot is -1");
        assertThatForging(buf -> buf.putLong(buf.position() + 24, Long.MAX_VALUE))
                .withMessageContaining("outside");
        assertThatForging(buf -> buf.putLong(buf.position() + 24, -1)).withMessageContaining("outside");
    }

    /** S14.29: a part that is no part. */
    @Test
    void aRangeBeyondItsWindowIsRefused() {
        byte[] bytes = encoded(ONE.subrange(8, 16));
        int range = bytes.length - 4 - 22 - 16;
        for (long[] forged : new long[][] {{8, 993}, {1001, 0}, {-1, 1}, {0, 1000}, {Long.MAX_VALUE, 2}}) {
            assertThatDecoding(resealed(
                            bytes.clone(),
                            frame -> frame.putLong(range, forged[0]).putLong(range + 8, forged[1])))
                    .withMessageContaining("is no part of a window of 1000 bytes");
        }
    }

    @Test
    void aForgedHomeIsRefused() {
        int home = 12 + 4;
        assertThatDecoding(resealed(encoded(ONE), frame -> frame.put(home, (byte) 16)))
                .withMessageContaining("device is 16");
        assertThatDecoding(resealed(encoded(ONE), frame -> frame.put(home + 1, (byte) -1)))
                .withMessageContaining("user is 255");
        assertThatDecoding(resealed(encoded(ONE), frame -> frame.putShort(home - 2, (short) 9)))
                .withMessageContaining("truncated");
        assertThatDecoding(resealed(encoded(ONE), frame -> frame.putShort(home - 2, (short) -1)))
                .withMessageContaining("truncated");
        assertThatDecoding(resealed(encoded(ONE), frame -> frame.putShort(home - 4, (short) 0x8099)))
                .withMessageContaining("field 0x8099 is critical");
        assertThatDecoding(resealed(encoded(ONE), frame -> frame.putShort(home - 4, (short) 0x0099)))
                .withMessageContaining("segment 0, but there are 0");
    }

    @Test
    void anotherKindIsNamed() {
        assertThatDecoding(encodedAll(List.of(ONE)))
                .withMessageContaining("is a descriptor of a remote-bufs, not of a remote-buf");
        assertThatDecoding(RemoteBufs.shmSlab().toBytes()).withMessageContaining("a descriptor of a segment");
    }

    // ---- the memory it comes from

    /** Of a shared memory, which its writer changes: what was read is what was checked. */
    @Test
    void laterChangesOfTheMemoryChangeNothing() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(512);
            MemorySegment form = memory.asSlice(0, codec.encode(TWO, memory));
            RemoteBuf read = codec.decode(form);
            memory.fill((byte) -1);
            assertThat(read).isEqualTo(TWO);
        }
    }

    /** The same slab in each message is one object; another one with nearly the same bytes is another. */
    @Test
    void descriptorsAreShared() {
        RemoteBuf first = decoded(encoded(ONE));
        RemoteBuf second = decoded(encoded(ONE.first(1)));
        assertThat(first.windows().getFirst().segment())
                .isSameAs(second.windows().getFirst().segment())
                .isNotSameAs(ONE.windows().getFirst().segment());
        for (int i = 0; i < 1000; i++) { // more slabs than are cached
            byte[] bytes = encoded(ONE);
            int incarnation = i;
            RemoteBuf other = decoded(resealed(bytes, frame -> frame.putInt(12 + 4 + 10 + 20 + 8 + 8, incarnation)));
            assertThat(other.windows().getFirst().segment().incarnation()).isEqualTo(i);
        }
        assertThat(decoded(encoded(ONE))).isEqualTo(ONE);
    }

    /** A byte of the whole memory, and none behind. */
    @Test
    void bytesBehindTheFormAreLeftAlone() {
        byte[] bytes = new byte[512];
        Arrays.fill(bytes, (byte) 7);
        int length = codec.encode(ONE, MemorySegment.ofArray(bytes));
        for (int i = length; i < bytes.length; i++) {
            assertThat(MemorySegment.ofArray(bytes).get(ValueLayout.JAVA_BYTE, i))
                    .isEqualTo((byte) 7);
        }
    }
}
