package io.urma4j.socket.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The ready words of a selector whose peer the test plays. */
@Timeout(60)
class ReadySetsTest {
    private static final int CAPACITY = 1024;

    private final MemorySegment memory = Arena.ofAuto().allocate(ReadyWords.LENGTH_BYTES, 128);
    private final ReadyWords own = new ReadyWords(memory);
    private final ReadyWords asPeerSeesThem = new ReadyWords(memory);
    private final ReadySets sets = new ReadySets();
    private final List<String> heard = new ArrayList<>();
    private final List<SocketChannel> channels = new ArrayList<>();

    /** An end of a connection, and what its peer sees of the ring that it reads. */
    private final class End {
        private final RingConnection connection;
        private final RingWriter peer;
        private final int ring;
        private final Runnable action;

        End(String name, int ring, ReadyWords words) throws IOException {
            this.ring = ring;
            MemorySegment incoming = Arena.ofAuto().allocate(RingLayout.lengthBytes(CAPACITY), 64);
            MemorySegment outgoing = Arena.ofAuto().allocate(RingLayout.lengthBytes(CAPACITY), 64);
            SocketChannel tcp = SocketChannel.open();
            channels.add(tcp);
            connection = new RingConnection(
                    tcp, new RingReader(incoming), new RingWriter(outgoing), 0, () -> false, () -> {});
            connection.readyAt(new ReadyPlace(words, ring), new ReadyPlace(words, ring));
            peer = new RingWriter(incoming);
            action = () -> heard.add(name);
        }

        private End join() {
            sets.join(connection, action);
            return this;
        }

        private void leave() {
            sets.leave(connection, action);
        }

        private boolean mark() {
            return new ReadyPlace(asPeerSeesThem, ring).mark(peer.selector());
        }
    }

    @AfterEach
    void close() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }

    private List<String> taken() {
        heard.clear();
        sets.take();
        return heard;
    }

    @Test
    void aMarkRunsTheActionOfItsConnection() throws IOException {
        new End("first", 0, own).join();
        End second = new End("second", 100, own).join();

        assertThat(second.mark()).isFalse();
        assertThat(sets.haveMarks()).isTrue();
        assertThat(taken()).containsExactly("second");
        assertThat(taken()).isEmpty();
    }

    @Test
    void aConnectionThatHasNotJoinedOrHasLeftIsWokenByADoorbell() throws IOException {
        End end = new End("one", 3, own);
        assertThat(end.mark()).isTrue();
        end.join();
        assertThat(end.mark()).isFalse();
        end.leave();
        assertThat(end.mark()).isTrue();
        assertThat(taken()).isEmpty();
    }

    @Test
    void aSelectorThatIsMarkedMeanwhileDoesNotSleep() throws IOException {
        End end = new End("one", 3, own).join();
        assertThat(sets.asleep()).isTrue();
        assertThat(end.mark()).as("it sleeps").isTrue();
        sets.awake();
        assertThat(sets.asleep()).isFalse();
        sets.awake();
        assertThat(taken()).containsExactly("one");
        assertThat(sets.asleep()).isTrue();
    }

    /** The key of a connection is forgotten in the next selection alone, and its ring may be another's by then. */
    @Test
    void aLateLeaveKeepsTheNextConnectionOfTheRing() throws IOException {
        End first = new End("first", 5, own).join();
        End next = new End("next", 5, own).join();
        first.leave();

        next.mark();
        assertThat(taken()).containsExactly("next");
    }

    @Test
    void aSetIsGivenBackWithItsLastConnection() throws IOException {
        for (int i = 0; i < 1000; i++) {
            End end = new End("one", i % 7, own).join();
            assertThat(end.mark()).as("connection %d has a set", i).isFalse();
            end.leave();
        }
        assertThat(own.take()).isZero();
    }

    @Test
    void aSetThatASleepingSelectorHasLeftIsAwakeForTheNext() throws IOException {
        End end = new End("one", 3, own).join();
        sets.asleep();
        end.leave();
        ReadySets next = new ReadySets();
        next.join(end.connection, end.action);

        assertThat(end.mark()).isFalse();
        sets.awake();
        assertThat(next.asleep()).isFalse();
    }

    @Test
    void aConnectionForWhichNoSetWasLeftMayLeave() throws IOException {
        for (int i = 0; i < 64; i++) {
            own.take();
        }
        End early = new End("early", 1000, own).join();
        assertThat(early.mark()).isTrue();
        own.giveBack(9);
        new End("late", 1, own).join();

        early.leave();
        assertThat(sets).hasToString("ready words of 1 peers");
    }

    @Test
    void connectionsOfSeveralProcessesHaveSetsOfTheirOwn() throws IOException {
        ReadyWords others = new ReadyWords(Arena.ofAuto().allocate(ReadyWords.LENGTH_BYTES, 128));
        new End("other", 5, others).join();
        End end = new End("one", 5, own).join();

        end.mark();
        assertThat(taken()).containsExactly("one");
    }

    @Test
    void marksOfRingsWithoutAConnectionAreIgnored() throws IOException {
        new End("one", 3, own).join();
        asPeerSeesThem.mark(0, 4);
        asPeerSeesThem.mark(0, ReadyWords.MAX_RINGS - 1);
        memory.fill((byte) -1); // by a peer that scribbles

        assertThat(taken()).containsExactly("one");
        assertThat(taken()).isEmpty();
    }

    @Test
    void memoryThatWasGivenBackIsNoFailure() throws IOException {
        Arena arena = Arena.ofShared();
        ReadyWords gone = new ReadyWords(arena.allocate(ReadyWords.LENGTH_BYTES, 128));
        End ended = new End("ended", 1, gone).join();
        End end = new End("one", 3, own).join();
        arena.close();
        End late = new End("late", 2, gone).join();

        assertThat(sets.asleep()).isTrue();
        sets.awake();
        end.mark();
        assertThat(taken()).containsExactly("one");
        ended.leave();
        late.leave();
        assertThat(sets).hasToString("ready words of 1 peers");
    }
}
