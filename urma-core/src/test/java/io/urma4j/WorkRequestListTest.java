package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.FakeContext.FakeSendQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** S9.1: lists are checked and posted one by one. */
class WorkRequestListTest {
    private final FakeHome home = new FakeHome();
    private final LocalSegment local = home.segment();
    private final RemoteSegment remote = home.imported(Access.READ_WRITE_ATOMIC);
    private final Jfs jfs = home.jfs();
    private final WorkRequestList list = new WorkRequestList(8, 6);

    @AfterEach
    void close() {
        home.close();
    }

    @Test
    void allKindsArePosted() {
        list.write(remote, 0, 1).from(local, 0, 16).from(local, 64, 0).from(local, 64, 8);
        list.read(remote, 0, 2).into(local, 0, 8);
        list.writeNotify(remote, 0, remote, 8, 1, 3).from(local, 0, 8);
        list.atomic(Opcode.SWAP, remote, 0, 4, 1, 0, 4).into(local, 0, 4);
        list.write(remote, 0, 5).inline(MemorySegment.ofArray(new byte[208]));
        list.nop(6);
        assertThat(jfs.post(list)).isEqualTo(6);
        assertThat(list.refusal()).isEmpty();
        assertThat(posts()).containsExactly("WRITE 24", "READ 8", "WRITE_NOTIFY 8", "SWAP 4", "WRITE 208", "NOP 0");
    }

    @Test
    void theFirstBadOneStopsTheList() {
        list.write(remote, 0, 1).from(local, 0, 8);
        list.write(remote, FakeHome.BYTES, 2).from(local, 0, 8);
        list.write(remote, 0, 3).from(local, 0, 8);
        assertThat(jfs.post(list)).isEqualTo(1);
        assertThat(list.refusal()).get().extracting(UrmaException::status).isEqualTo(UrmaStatus.EINVAL);
        assertThat(posts()).containsExactly("WRITE 8");
        assertThat(list.clear().refusal()).isEmpty();
    }

    @Test
    void aFullQueueStopsItWithoutRefusal() {
        FakeSendQueue.of(jfs).room = 2;
        for (int i = 0; i < 3; i++) {
            list.write(remote, 0, i).from(local, 0, 8);
        }
        assertThat(jfs.post(list)).isEqualTo(2);
        assertThat(list.refusal()).isEmpty();
    }

    @Test
    void malformedOnesAreRefused() {
        Consumer<WorkRequestList> fiveRanges = l -> {
            l.write(remote, 0, 1);
            for (int i = 0; i < 5; i++) {
                l.from(local, 0, 8);
            }
        };
        assertRefusal(fiveRanges, "has 5 local ranges, more than the queue's limit of 4");
        assertRefusal(l -> l.write(remote, 0, 1).from(local, 4095, 2), "offset 4095 + length 2");
        assertRefusal(l -> l.read(remote, -1, 1).into(local, 0, 8), "offset -1");
        assertRefusal(l -> l.writeNotify(remote, 0, remote, 4, 1, 1), "notify offset 4 is not a multiple of 8");
        assertRefusal(l -> l.writeNotify(remote, 0, remote, 4096, 1, 1), "offset 4096 + length 8");
        assertRefusal(l -> l.atomic(Opcode.FADD, remote, 0, 8, 1, 0, 1), "needs one local range of that size");
        assertRefusal(l -> l.atomic(Opcode.FADD, remote, 0, 8, 1, 0, 1).into(local, 0, 4), "one local range");
        assertRefusal(l -> l.atomic(Opcode.FADD, remote, 4, 8, 1, 0, 1).into(local, 0, 8), "offset 4 of an atomic");
        assertRefusal(l -> l.atomic(Opcode.FADD, remote, 0, 0, 1, 0, 1).into(local, 0, 0), "size of an atomic is 0");
        assertRefusal(l -> l.send(null, 1).from(local, 0, 8), "target is null");
        assertRefusal(l -> l.writeImmediate(null, remote, 0, 1L << 40, 1), "does not fit into the device's 32 bits");
        assertRefusal(l -> l.receive(1).into(local, 0, 8), "is a receive, which belongs to a JFR");
        assertThat(posts()).isEmpty();
    }

    @Test
    void inlinePayloadsHaveLimits() {
        byte[] heap = new byte[209];
        assertRefusal(l -> l.write(remote, 0, 1).inline(MemorySegment.ofArray(heap)), "209 bytes is more than");
        MemorySegment small = MemorySegment.ofArray(new byte[8]);
        assertRefusal(l -> l.write(remote, 0, 1).from(local, 0, 8).inline(small), "either an inline payload or");
        assertRefusal(l -> l.write(remote, 4090, 1).inline(small), "offset 4090 + length 8");
        assertRefusal(l -> l.read(remote, 0, 1).inline(small), "the result of READ needs a local range");
        assertRefusal(l -> l.atomic(Opcode.CAS, remote, 0, 8, 1, 0, 1).inline(small), "result of CAS");
        Arena closed = Arena.ofConfined();
        MemorySegment dead = closed.allocate(8);
        closed.close();
        assertRefusal(l -> l.write(remote, 0, 1).inline(dead), "arena of inline payload is closed");
    }

    private void assertRefusal(Consumer<WorkRequestList> fill, String reason) {
        list.clear();
        fill.accept(list);
        assertThat(jfs.post(list)).isZero();
        assertThat(list.refusal())
                .get()
                .satisfies(refusal -> assertThat(refusal).hasMessageContaining(reason));
    }

    @Test
    void mistakesAreRefusedWhileTheListIsFilled() {
        assertInvalid(() -> list.from(local, 0, 8)).withMessageContaining("no request was started");
        assertInvalid(() -> list.atomic(Opcode.WRITE, remote, 0, 8, 1, 0, 1)).withMessageContaining("not an atomic");
        list.nop(1);
        for (int i = 0; i < 6; i++) {
            list.from(local, 0, 8);
        }
        assertInvalid(() -> list.from(local, 0, 8)).withMessageContaining("at most 6 local ranges");
        for (int i = 1; i < 8; i++) {
            list.nop(i);
        }
        assertInvalid(() -> list.nop(9)).withMessageContaining("is full");
        assertInvalid(() -> new WorkRequestList(0, 1)).withMessageContaining("capacity is 0");
        assertInvalid(() -> new WorkRequestList(1, 65)).withMessageContaining("maxSges is 65");
    }

    @Test
    void receivesGoToAJfrAlone() {
        Jfr jfr = home.context.createJfr(home.jfc(), JfrConfig.builder().build());
        list.receive(1).into(local, 0, 8).into(local, 8, 8);
        list.write(remote, 0, 2).from(local, 0, 8);
        assertThat(jfr.receive(list)).isEqualTo(1);
        assertThat(list.refusal()).get().asString().contains("request 1 is a WRITE, not a receive");
    }

    @Test
    void aRequestKeepsNothingOfItsPredecessor() {
        list.receive(1).into(local, 0, 8);
        list.clear();
        list.write(remote, 0, 1).inline(MemorySegment.ofArray(new byte[3]));
        assertThat(jfs.post(list)).isEqualTo(1);
        list.clear().write(remote, 0, 1).from(local, 0, 8);
        assertThat(jfs.post(list)).isEqualTo(1);
        assertThat(posts()).containsExactly("WRITE 3", "WRITE 8");
    }

    private java.util.List<String> posts() {
        return FakeSendQueue.of(jfs).posts;
    }
}
