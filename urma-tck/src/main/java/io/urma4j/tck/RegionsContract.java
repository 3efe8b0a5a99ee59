package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.HomeGoneException;
import io.urma4j.OperationFailedException;
import io.urma4j.Region;
import io.urma4j.RegionMember;
import io.urma4j.RemoteRegion;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SEMANTICS §7.12: regions of segments of several homes. The home owns the region, and the initiator attaches. */
public abstract class RegionsContract extends Contract {
    private static final int SIZE = 4096;
    private static final String NAME = "lake.of-pages_1";

    private Token token;
    private UrmaContext context;

    @SuppressWarnings("NullAway.Init") // before each test
    protected RegionsContract(String device) {
        super(device);
    }

    @BeforeEach
    void takeContext() {
        token = Token.random();
        context = pair.initiator().context();
    }

    private static List<SharedSegment> shared(HomeSegment... segments) {
        return Arrays.stream(segments).map(HomeSegment::shared).toList();
    }

    private HomeSegment ofHome(Access access) {
        return pair.home().segment(SIZE, access);
    }

    private HomeSegment ofHome() {
        return ofHome(Access.READ_WRITE_ATOMIC);
    }

    /** Of a third party. */
    private HomeSegment ofAnother() {
        return pair.anotherInitiator().asHome().segment(SIZE, Access.READ_WRITE_ATOMIC);
    }

    private static byte[] bytes(int lengthBytes, int seed) {
        byte[] bytes = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            bytes[i] = (byte) (i * 31 + seed);
        }
        return bytes;
    }

    /** S7.12: segments of several homes are one space of offsets, in the order in which they were appended. */
    @Rule("S7.12")
    @Test
    void segmentsOfSeveralHomesAreOneSpaceOfOffsets() {
        var first = ofHome();
        var second = ofAnother();
        var third = ofHome();
        var owned = pair.home().region(NAME, token);
        owned.append(shared(first, second, third));

        try (RemoteRegion region = context.importRegion(NAME, token)) {
            assertThat(region.lengthBytes()).isEqualTo(3L * SIZE).isEqualTo(owned.lengthBytes());
            assertThat(region.members()).extracting(RegionMember::offset).containsExactly(0L, (long) SIZE, 2L * SIZE);
            for (int member = 0; member < 3; member++) {
                region.write(member * (long) SIZE + 8, bytes(100, member));
            }
            assertThat(first.get(8, 100)).isEqualTo(bytes(100, 0));
            assertThat(second.get(8, 100)).isEqualTo(bytes(100, 1));
            assertThat(third.get(8, 100)).isEqualTo(bytes(100, 2));
            third.put(SIZE - 4, new byte[] {1, 2, 3, 4});
            assertThat(region.read(3L * SIZE - 4, 4)).containsExactly(1, 2, 3, 4);
        }
    }

    /** S7.12: an operation that spans members is split, and completes once. */
    @Rule("S7.12")
    @Test
    void operationThatSpansMembersIsSplit() {
        var first = ofHome();
        var second = ofAnother();
        var third = ofHome();
        pair.home().region(NAME, token).append(shared(first, second, third));
        byte[] bytes = bytes(SIZE + 200, 5);
        try (RemoteRegion region = context.importRegion(NAME, token)) {
            region.write(SIZE - 100L, bytes);

            assertThat(first.get(SIZE - 100, 100)).isEqualTo(Arrays.copyOf(bytes, 100));
            assertThat(second.get(0, SIZE)).isEqualTo(Arrays.copyOfRange(bytes, 100, 100 + SIZE));
            assertThat(third.get(0, 100)).isEqualTo(Arrays.copyOfRange(bytes, 100 + SIZE, 200 + SIZE));
            assertThat(first.isZero(0, SIZE - 100)).isTrue();
            assertThat(third.isZero(100, SIZE - 100)).isTrue();
            assertThat(region.read(SIZE - 100L, bytes.length)).isEqualTo(bytes);
            region.writeLong(SIZE - 4L, 0x0102_0304_0506_0708L);
            assertThat(region.readLong(SIZE - 4L)).isEqualTo(0x0102_0304_0506_0708L);
        }
    }

    /** S7.12: memory outside the heap, and asynchronous forms. */
    @Rule("S7.12")
    @Test
    void nativeMemoryAndFuturesWork() throws Exception {
        pair.home().region(NAME, token).append(shared(ofHome(), ofAnother()));
        try (RemoteRegion region = context.importRegion(NAME, token);
                Arena arena = Arena.ofShared()) {
            MemorySegment source = arena.allocate(2 * SIZE);
            new Payload(3).fill(source, 0, 0, 2 * SIZE);
            region.write(0, source);
            MemorySegment destination = arena.allocate(2 * SIZE);
            region.read(0, destination);
            assertThat(new Payload(3).firstDifference(destination, 0, 0, 2 * SIZE))
                    .isEqualTo(-1);

            region.writeAsync(SIZE - 2L, new byte[] {9, 8, 7, 6}).get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(region.readAsync(SIZE - 2L, 4).get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .containsExactly(9, 8, 7, 6);
        }
    }

    /** S7.12, S8.7: atomics work within a member, and not across two. */
    @Rule({"S7.12", "S8.7"})
    @Test
    void atomicsWorkWithinAMember() {
        var second = ofAnother();
        pair.home().region(NAME, token).append(shared(ofHome(), second));
        try (RemoteRegion region = context.importRegion(NAME, token)) {
            assertThat(region.fetchAndAdd(SIZE + 8L, 5)).isZero();
            assertThat(region.compareAndSwap(SIZE + 8L, 5, 6)).isEqualTo(5);
            assertThat(second.word(8)).isEqualTo(6);
            assertThat(region.swap(SIZE + 8L, 0b1100)).isEqualTo(6);
            assertThat(region.fetchAndSubtract(SIZE + 8L, 2)).isEqualTo(0b1100);
            assertThat(region.fetchAndAnd(SIZE + 8L, 0b0110)).isEqualTo(0b1010);
            assertThat(region.fetchAndOr(SIZE + 8L, 0b0101)).isEqualTo(0b0010);
            assertThat(region.fetchAndXor(SIZE + 8L, 0b0001)).isEqualTo(0b0111);
            assertThat(second.word(8)).isEqualTo(0b0110);

            assertRefused(UrmaStatus.EINVAL, () -> region.fetchAndAdd(SIZE - 4L, 1))
                    .hasMessageContaining("two members");
            assertRefused(UrmaStatus.EINVAL, () -> region.fetchAndAdd(SIZE + 4L, 1));
        }
    }

    /** S7.12, S7.8: access outside of the members is refused, and moves no byte of any part. */
    @Rule({"S7.12", "S7.8", "S2.2"})
    @Test
    void transferThatIsRefusedMovesNoByte() {
        var first = ofHome();
        var readable = ofHome(Access.READ);
        pair.home().region(NAME, token).append(shared(first, readable));
        try (RemoteRegion region = context.importRegion(NAME, token)) {
            List<ThrowingCallable> outside = List.of(
                    () -> region.write(2L * SIZE - 1, new byte[2]),
                    () -> region.read(2L * SIZE, 1),
                    () -> region.read(2L * SIZE + 1, 0),
                    () -> region.write(Long.MAX_VALUE, new byte[0]),
                    () -> region.read(-1, 1),
                    () -> region.read(0, -1),
                    () -> region.read(Long.MAX_VALUE, 8));
            for (ThrowingCallable each : outside) {
                assertRefused(UrmaStatus.EINVAL, each);
            }
            assertRefused(UrmaStatus.ENOPERM, () -> region.write(SIZE - 8L, bytes(16, 1)))
                    .hasMessageContaining("READ");
            assertRefused(UrmaStatus.ENOPERM, () -> region.fetchAndAdd(SIZE, 1));
            assertThat(first.isZero(0, SIZE)).isTrue();
            assertThat(region.read(SIZE - 8L, 16)).containsOnly(0);
            assertThat(region.read(2L * SIZE, 0)).isEmpty();
        }
    }

    /** S7.12: a revoked member makes only its own range fail, and the first failure is reported. */
    @Rule({"S7.12", "S7.9", "S7.14"})
    @Test
    void revokedMemberFailsForItsOwnRangeAlone() {
        var first = ofHome();
        var revoked = ofAnother();
        var third = ofHome();
        pair.home().region(NAME, token).append(shared(first, revoked, third));
        try (RemoteRegion region = context.importRegion(NAME, token)) {
            region.write(0, bytes(3 * SIZE, 1));

            revoked.unregister(Patience.LIMIT);

            Patience.await("the failure", () -> fails(() -> region.read(SIZE, 8)));
            assertRefused(UrmaStatus.ENOPERM, () -> region.write(SIZE - 8L, bytes(16, 2)));
            assertThat(first.get(SIZE - 8, 8))
                    .as("the part before the failing one")
                    .isEqualTo(bytes(8, 2));
            for (int round = 0; round < 3; round++) {
                region.write(0, bytes(SIZE, round));
                region.write(2L * SIZE, bytes(SIZE, round));
            }
            assertThat(first.get(0, SIZE)).isEqualTo(bytes(SIZE, 2));
            assertThat(third.get(0, SIZE)).isEqualTo(bytes(SIZE, 2));
        }
    }

    /** S7.14: it makes no difference that the member was revoked before its first use. */
    @Rule({"S7.12", "S7.14"})
    @Test
    void memberThatWasRevokedBeforeItsFirstUseIsGone() {
        var first = ofHome();
        var revoked = ofAnother();
        pair.home().region(NAME, token).append(shared(first, revoked));
        try (RemoteRegion region = context.importRegion(NAME, token)) {
            revoked.unregister(Patience.LIMIT);

            for (int round = 0; round < 2; round++) {
                assertRefused(UrmaStatus.ENOPERM, () -> region.read(SIZE, 8))
                        .isInstanceOf(HomeGoneException.class)
                        .hasMessageContaining("member at offset " + SIZE);
            }
            region.write(0, bytes(8, 1));
            assertThat(first.get(0, 8)).isEqualTo(bytes(8, 1));
        }
    }

    private static boolean fails(Runnable operation) {
        try {
            operation.run();
            return false;
        } catch (UrmaException e) {
            assertThat(e).isInstanceOf(HomeGoneException.class).hasMessageContaining("gone");
            assertThat(e.status()).isEqualTo(UrmaStatus.ENOPERM);
            return true;
        }
    }

    /** S7.12: importers see appended members automatically, and removed members after a refresh. */
    @Rule("S7.12")
    @Test
    void appendedAndRemovedMembersAreSeen() {
        var first = ofHome();
        var second = ofHome();
        var third = ofAnother();
        var owned = pair.home().region(NAME, token);
        owned.append(shared(first));
        try (RemoteRegion region = context.importRegion(NAME, token)) {
            region.write(0, bytes(8, 1));
            assertRefused(UrmaStatus.EINVAL, () -> region.read(SIZE, 8));

            owned.append(shared(second, third));
            region.write(2L * SIZE + 8, bytes(8, 3));
            assertThat(third.get(8, 8)).isEqualTo(bytes(8, 3));

            owned.remove(SIZE);
            region.refresh();
            assertRefused(UrmaStatus.EINVAL, () -> region.read(SIZE, 8)).hasMessageContaining("lies outside");
            assertRefused(UrmaStatus.EINVAL, () -> region.write(SIZE - 8L, bytes(16, 9)));
            assertThat(first.isZero(SIZE - 8, 8)).isTrue();
            assertThat(region.read(2L * SIZE + 8, 8)).as("offsets do not move").isEqualTo(bytes(8, 3));
            assertThat(owned.size()).isEqualTo(2);
            owned.append(shared(second));
            assertThat(owned.lengthBytes()).isEqualTo(4L * SIZE);
            region.write(3L * SIZE, bytes(8, 4));
            assertThat(second.get(0, 8)).isEqualTo(bytes(8, 4));
        }
    }

    /** S7.12: an import with a wrong token is refused, and so is one with the name alone. */
    @Rule({"S7.12", "S7.6"})
    @Test
    void attachNeedsTheToken() {
        pair.home().region(NAME, token).append(shared(ofHome()));

        assertRefused(UrmaStatus.ENOPERM, () -> context.importRegion(NAME, Token.of(~token.value())));
        assertRefused(UrmaStatus.ENOPERM, () -> context.lookup(NAME)).hasMessageContaining("token");
        assertRefused(
                UrmaStatus.ENOPERM,
                () -> context.importMemory(pair.device().attributes().provider() + ":" + NAME));
        assertRefused(UrmaStatus.EINVAL, () -> context.importRegion("no-such-region", token));
        assertRefused(UrmaStatus.EINVAL, () -> context.importRegion("no/name", token));
        context.importRegion(NAME, token).close();
    }

    /** S7.12, S7.13: a name is taken by a region or a segment, and free again when that ends. */
    @Rule({"S7.12", "S7.13", "S2.2"})
    @Test
    void takenNameIsRefused() {
        var owned = pair.home().region(NAME, token);
        var segment = ofHome(Access.READ);
        segment.publish("a-segment");

        assertRefused(UrmaStatus.EEXIST, () -> context.createRegion(NAME, token))
                .hasMessageContaining(NAME);
        assertRefused(UrmaStatus.EEXIST, () -> context.createRegion("a-segment", token));
        assertRefused(UrmaStatus.EEXIST, () -> segment.publish(NAME));
        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> context.importRegion("a-segment", segment.shared().token()))
                .hasMessageContaining("no region");
        Patience.await(
                "the import of a failed attach to go", () -> segment.importers().isEmpty());

        owned.close();
        context.createRegion(NAME, token).close();
        context.createRegion("x".repeat(255), token).close();
        assertRefused(UrmaStatus.EINVAL, () -> context.createRegion("x".repeat(256), token));
    }

    /** S7.12: when the owner has closed it, attached importers keep their members, and new imports are refused. */
    @Rule("S7.12")
    @Test
    void closedRegionStaysWithWhoHasAttached() {
        var used = ofHome();
        var unused = ofAnother();
        var owned = pair.home().region(NAME, token);
        owned.append(shared(used, unused));
        try (RemoteRegion region = context.importRegion(NAME, token)) {
            region.write(0, bytes(8, 1));

            owned.close();

            region.write(0, bytes(8, 2));
            assertThat(used.get(0, 8)).isEqualTo(bytes(8, 2));
            region.write(SIZE, bytes(8, 3));
            assertThat(unused.get(0, 8)).isEqualTo(bytes(8, 3));
            Patience.await("the end of the region", () -> fails(region::refresh));
            assertRefused(UrmaStatus.EINVAL, () -> region.read(2L * SIZE, 1));
            assertRefused(UrmaStatus.EINVAL, () -> context.importRegion(NAME, token));
        }
    }

    /** S7.12, S12.4: the same when the owner was killed; its own members are gone with it, others remain. */
    @Rule({"S7.12", "S7.13", "S12.4"})
    @Test
    void regionOfADeadOwnerStaysWithWhoHasAttached() {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var ofOther = ofAnother();
        pair.home().region(NAME, token).append(shared(ofHome(), ofOther));
        try (RemoteRegion region = context.importRegion(NAME, token)) {
            region.write(0, bytes(2 * SIZE, 1));

            processOfHome().kill();

            region.write(SIZE, bytes(8, 2));
            assertThat(ofOther.get(0, 8)).isEqualTo(bytes(8, 2));
            Patience.await("the loss", () -> isLost(region));
            Patience.await("the name", () -> {
                try {
                    context.createRegion(NAME, token).close();
                    return true;
                } catch (UrmaException e) {
                    return false;
                }
            });
        }
    }

    /** Whether its first member is refused; an operation in flight when the home died may time out instead. */
    private static boolean isLost(RemoteRegion region) {
        try {
            region.read(0, 8);
            return false;
        } catch (HomeGoneException e) {
            assertThat(e.status()).isEqualTo(UrmaStatus.ENOPERM);
            return true;
        } catch (OperationFailedException e) {
            assertThat(e.completionStatus()).isEqualTo(CompletionStatus.ACK_TIMEOUT_ERR);
            return false;
        }
    }

    /** S7.12: at most 64 segments an append; what cannot be a member is refused, and nothing is appended. */
    @Rule({"S7.12", "S2.2"})
    @Test
    void impossibleAppendsAreRefused() {
        try (Region region = context.createRegion(NAME, token)) {
            var good = ofHome().shared();
            List<SharedSegment> withNull = new ArrayList<>(Arrays.asList(good, null));

            assertRefused(UrmaStatus.EINVAL, () -> region.append(Collections.nCopies(65, good)))
                    .hasMessageContaining("64");
            assertRefused(UrmaStatus.EINVAL, () -> region.append(withNull)).hasMessageContaining("null");
            assertRefused(UrmaStatus.EINVAL, () -> region.remove(0)).hasMessageContaining("offset 0");
            assertThat(region.members()).isEmpty();
            assertThat(region.lengthBytes()).isZero();

            region.append(List.of());
            region.append(Collections.nCopies(64, good));
            assertThat(region.members()).hasSize(64);
        }
    }

    /** S7.12: of thousands of members the last is reachable; a full region refuses more. */
    @Rule({"S7.12", "S2.2"})
    @Test
    void regionHoldsThousandsOfMembers() {
        var first = ofHome();
        var last = ofAnother();
        try (Region owned = context.createRegion(NAME, token)) {
            List<SharedSegment> many = Collections.nCopies(64, first.shared());
            for (int i = 0; i < 4096 / 64; i++) {
                owned.append(many);
            }
            owned.append(shared(last));
            try (RemoteRegion region = pair.anotherInitiator().context().importRegion(NAME, token)) {
                region.write(4096L * SIZE + 8, bytes(8, 7));
                assertThat(last.get(8, 8)).isEqualTo(bytes(8, 7));
                assertThat(region.members()).hasSize(4097);
            }
            UrmaException refusal = null;
            while (refusal == null && owned.members().size() < 1_000_000) {
                try {
                    owned.append(many);
                } catch (UrmaException e) {
                    refusal = e;
                }
            }
            int before = owned.members().size();
            assertThat(refusal).isNotNull();
            assertThat(refusal.status()).isEqualTo(UrmaStatus.ENOMEM);
            assertThat((before - 4097) % 64).as("all of an append or nothing").isZero();
        }
    }

    /** S4.2: after a close, calls of the owner and of importers fail as closed. */
    @Rule({"S7.12", "S4.2"})
    @Test
    void closedRegionsSaySo() {
        var owned = context.createRegion(NAME, token);
        owned.append(shared(ofHome()));
        var region = pair.anotherInitiator().context().importRegion(NAME, token);
        region.close();
        region.close();
        owned.close();
        owned.close();

        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> region.read(0, 1),
                () -> region.write(0, new byte[1]),
                region::refresh,
                region::members,
                owned::members,
                () -> owned.append(List.of()),
                () -> owned.remove(0))) {
            assertRefused(UrmaStatus.EINVAL, call).hasMessageContaining("closed");
        }
    }
}
