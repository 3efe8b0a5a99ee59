package io.urma4j.shm.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.JettyDescriptor;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Fd;
import io.urma4j.shm.memory.Failures;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.OpenWindows;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Request;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.spi.control.ControlMessage.WindowsOpened;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A home that can open no more descriptors refuses what needs one, and keeps its peers. */
@Timeout(60)
class ShortOfDescriptorsTest {
    private TestContext home;
    private RawPeer peer;
    private ShmMemory theirs;

    @BeforeEach
    void open(@TempDir Path temporary) throws Exception {
        Failures.prepare(); // as a context does
        home = new TestContext(temporary.resolve("runtime"));
        peer = RawPeer.greeted(temporary.resolve("runtime"), home.plane);
        theirs = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "theirs");
    }

    @AfterEach
    void close() {
        peer.close();
        home.close();
        theirs.close();
    }

    private static ImportSegment request(long number, ShmSegment segment, Access access) {
        return new ImportSegment(number, segment.tokenId(), segment.key(), access, segment.token());
    }

    private void assertRefusedWithoutDescriptors(Request request, boolean withDescriptor) throws Exception {
        ControlMessage answer;
        try (var _ = new NoDescriptors()) {
            if (withDescriptor) {
                peer.send(request, theirs.fd());
            } else {
                peer.send(request);
            }
            answer = peer.receive().orElseThrow();
        }
        assertThat(answer)
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(UrmaStatus.ENOMEM));
    }

    @Test
    void anImportThatCannotBeSharedIsRefused() throws Exception {
        ShmSegment known = home.share(Access.READ);
        ShmSegment segment = home.share(Access.READ);
        peer.send(request(1, known, Access.READ)); // loads the classes
        peer.send(new Unimport(peer.receive(SegmentGranted.class).grant()));
        await().until(() -> known.importing().isEmpty());

        assertRefusedWithoutDescriptors(request(2, segment, Access.READ), false);

        assertThat(segment.importing()).isEmpty();
        peer.send(request(3, segment, Access.READ));
        peer.receive(SegmentGranted.class);
        assertThat(home.lost).isEmpty();
    }

    @Test
    void windowsWithoutRoomForTheirMemoryAreRefused() throws Exception {
        peer.send(request(1, home.share(Access.READ), Access.READ));
        peer.receive(SegmentGranted.class);
        peer.send(new OpenWindows(2)); // loads the classes
        peer.receive(Refused.class);

        assertRefusedWithoutDescriptors(new OpenWindows(3), true);

        peer.send(new OpenWindows(4), theirs.fd());
        peer.receive(WindowsOpened.class);
        assertThat(home.lost).isEmpty();
    }

    @Test
    void aPathWithoutRoomForItsRingIsRefused() throws Exception {
        peer.send(new ImportQueue(1, TestContext.QUEUE, JettyDescriptor.Kind.JFR, TestContext.QUEUE_TOKEN));
        peer.receive(QueueGranted.class);
        peer.send(new OpenPath(2, 1)); // loads the classes
        peer.receive(Refused.class);

        assertRefusedWithoutDescriptors(new OpenPath(3, TestContext.RING_BYTES), true);

        try (ShmMemory ring = ShmMemory.allocate(TestContext.RING_BYTES, AllocOptions.DEFAULT, "ring")) {
            peer.send(new OpenPath(4, TestContext.RING_BYTES), ring.fd());
            peer.receive(PathOpened.class);
        }
        assertThat(home.lost).isEmpty();
    }

    /** No honest request has more than one. */
    @Test
    void aPeerThatTakesTheLastDescriptorsIsCutOff() throws Exception {
        Fd[] many = new Fd[250];
        Arrays.fill(many, theirs.fd());
        try (var _ = NoDescriptors.allBut(10, theirs.fd())) {
            peer.send(new OpenWindows(1), many);
            assertThat(peer.receive()).as("an answer").isEmpty();
        }
    }
}
