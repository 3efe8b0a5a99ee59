package io.urma4j.udma.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.ring.KeyLife;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Which keys let a packet refer to its payload, and where. */
class PinnedKeyTest {
    private static final int ALL = Memory.READ | Memory.WRITE;
    private static final int SIZE = 1 << 17;
    private static final int LENGTH = Packet.MIN_REFERRED_BYTES;
    private static final int AT = 12_345;
    private static final long VA = 0x10000;
    private static final int OWN = 5;
    private static final int OTHER = 6;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(SIZE, 64);
    private final KeyTable keys = new KeyTable(connection -> connection, new Host(1, 4096), 8);
    private final int pinned = keys.register(KeyConfig.local(memory).withPin(KeyConfig.PINNED));
    private final Packet packet = new Packet(NativeMemory.allocate(Packet.maxBytes(61_440)), true);

    PinnedKeyTest() {
        memory.asSlice(AT, LENGTH).fill((byte) 7);
        begin();
    }

    private void begin() {
        packet.bytes().segment().fill((byte) 0);
        packet.begin(Opcodes.RC | Opcodes.READ_RESPONSE_ONLY, 0x123, 1);
    }

    private int key(MemorySegment part, int pin) {
        return keys.register(new KeyConfig(part, VA, ALL, OWN, 0, 0).withPin(pin));
    }

    private byte[] copied() {
        return packet.bytes().segment().asSlice(packet.payloadAt(), LENGTH).toArray(JAVA_BYTE);
    }

    @Test
    void aPeersReadRefersToPinnedMemory() {
        int key = key(memory, pinned);

        assertThat(keys.read(key, VA + AT, packet, LENGTH, OWN)).isTrue();

        assertThat(packet.refers()).isTrue();
        assertThat(packet.payload().asSlice(packet.payloadOffset(), LENGTH).toArray(JAVA_BYTE))
                .containsOnly(7);
        assertThat(copied()).containsOnly(0);
    }

    @Test
    void aWindowRefersToItsPartOfTheSegment() {
        int key = key(memory.asSlice(AT, LENGTH), pinned);

        assertThat(keys.read(key, VA, packet, LENGTH, OWN)).isTrue();

        assertThat(packet.payloadOffset()).isEqualTo(AT);
    }

    @Test
    void ofOtherMemoryTheBytesAreCopied() {
        int key = keys.register(new KeyConfig(memory, VA, ALL, OWN, 0, 0));

        assertThat(keys.read(key, VA + AT, packet, LENGTH, OWN)).isTrue();

        assertThat(packet.refers()).isFalse();
        assertThat(copied()).containsOnly(7);
    }

    @Test
    void whatMayChangeBeforeItLeavesIsCopied() {
        int key = key(memory, pinned);
        packet.mustCopy();

        assertThat(keys.read(key, VA + AT, packet, LENGTH, OWN)).isTrue();

        assertThat(packet.refers()).isFalse();
        assertThat(copied()).containsOnly(7);
    }

    @Test
    void rangePeerAndLifeOfTheKeyAreCheckedAsForACopy() {
        int key = key(memory, pinned);

        assertThat(keys.read(key, VA + SIZE - LENGTH + 1, packet, LENGTH, OWN)).isFalse();
        assertThat(keys.read(key, VA - 1, packet, LENGTH, OWN)).isFalse();
        assertThat(keys.read(key, VA, packet, LENGTH, OTHER)).isFalse();
        keys.revoke(key);
        assertThat(keys.read(key, VA, packet, LENGTH, OWN)).isFalse();
        assertThat(packet.refers()).isFalse();
    }

    @Test
    void aLocalRangeRefersWithinItsBounds() {
        assertThat(keys.loadLocal(pinned, SIZE - LENGTH + 1, packet, LENGTH)).isFalse();
        assertThat(keys.loadLocal(pinned, -1, packet, LENGTH)).isFalse();
        assertThat(packet.refers()).isFalse();
        assertThat(keys.loadLocal(pinned, SIZE - LENGTH, packet, LENGTH)).isTrue();
        assertThat(packet.payloadOffset()).isEqualTo(SIZE - LENGTH);
        begin();
        assertThat(keys.loadLocal(pinned, AT, packet, LENGTH - 1)).isTrue();
        assertThat(packet.refers()).isFalse();
    }

    @Test
    void aKeyWhosePinIsGoneHasNone() {
        keys.revoke(pinned);
        int key = key(memory, pinned);

        assertThat(keys.read(key, VA + AT, packet, LENGTH, OWN)).isTrue();
        assertThat(packet.refers()).isFalse();
    }

    @Test
    void aNextKeyOfTheIndexHasNotThePinOfTheLast() {
        int first = key(memory, pinned);
        keys.revoke(first);
        int second = key(memory, KeyConfig.NOT_PINNED);
        while (second >>> KeyLife.GENERATION_BITS != first >>> KeyLife.GENERATION_BITS) {
            second = key(memory, KeyConfig.NOT_PINNED);
        }

        assertThat(keys.read(second, VA + AT, packet, LENGTH, OWN)).isTrue();
        assertThat(packet.refers()).isFalse();
    }

    @Test
    void ofClosedMemoryNothingLeaves() {
        int key = key(memory, pinned);
        arena.close();

        assertThat(keys.read(key, VA + AT, packet, LENGTH, OWN)).isFalse();
        assertThat(packet.refers()).isFalse();
    }
}
