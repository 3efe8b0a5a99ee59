package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.QueueState;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events that the JDK's Flight Recorder receives. */
class FlightRecorderTest {
    private static final Token TOKEN = Token.of(0x7654_3210);

    @TempDir
    Path folder;

    private interface Story {
        void happens(UrmaContext home, UrmaContext peer) throws Exception;
    }

    private List<RecordedEvent> recorded(Story story) throws Exception {
        Path file = folder.resolve("flight.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            try (Urma urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(folder.resolve("runtime")))) {
                story.happens(
                        urma.device("shm0").openContext(), urma.device("shm0").openContext());
            }
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.urma4j."))
                .sorted(Comparator.comparing(RecordedEvent::getStartTime)) // several threads have buffers of their own
                .toList();
    }

    private static List<RecordedEvent> of(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("io.urma4j." + name))
                .toList();
    }

    @Test
    void segmentsAreToldWithTheirImportsAndTheirEnd() throws Exception {
        var events = recorded((home, peer) -> {
            var segment = home.register(home.allocate(4096), Access.READ, TokenPolicy.PLAIN_TEXT, TOKEN);
            peer.importSegment(segment.descriptor(), TOKEN);
            assertThatThrownBy(() -> peer.importSegment(segment.descriptor(), Token.of(1)))
                    .isInstanceOf(UrmaException.class);
            segment.close();
        });

        assertThat(of(events, "ContextOpened")).hasSize(2);
        assertThat(of(events, "ContextClosed")).hasSize(2);
        assertThat(of(events, "SegmentRegistered")).singleElement().satisfies(event -> {
            assertThat(event.getString("segment")).contains("4096 bytes");
            assertThat(event.getString("access")).isEqualTo("READ");
        });
        assertThat(of(events, "Import")).hasSize(2);
        assertThat(of(events, "Import").getFirst().getString("result")).isEqualTo("SUCCESS");
        assertThat(of(events, "Import").getLast().getString("result")).contains("ENOPERM");
        assertThat(of(events, "SegmentRevoked"))
                .singleElement()
                .satisfies(event -> assertThat(event.getString("result")).contains("COMPLETE"));
        assertThat(of(events, "AsyncEvent"))
                .extracting(event -> event.getString("type"))
                .contains("IMPORT_REFUSED", "SEGMENT_REVOKED");
        assertThat(events.toString()).doesNotContain("1985229328").doesNotContainIgnoringCase("76543210");
    }

    @Test
    void queueErrorsAndReceiversThatAreNotReadyAreTold() throws Exception {
        var events = recorded((home, peer) -> {
            var jfr = home.createJfr(
                    home.createJfc(JfcConfig.DEFAULT), JfrConfig.builder().build());
            var target = peer.importJetty(jfr.descriptor(), jfr.token());
            var queue = peer.createJfs(peer.createJfc(JfcConfig.DEFAULT), JfsConfig.DEFAULT);
            queue.send(target, peer.register(peer.allocate(64), Access.LOCAL_ONLY), 0, 8, 1);
            await().until(() -> queue.counters().get("notReady") > 2);
            queue.modify(QueueState.ERROR);
            await().until(() -> peer.events().poll().isPresent());
        });

        assertThat(of(events, "ReceiverNotReady"))
                .singleElement()
                .satisfies(event -> assertThat(event.getString("queue")).startsWith("JFS "));
        assertThat(of(events, "QueueError"))
                .singleElement()
                .satisfies(event -> assertThat(event.getString("type")).isEqualTo("JFS_ERR"));
    }

    @Test
    void pathsAreRecordedOnceASecondAndNotAfterTheirContext() throws Exception {
        var events = recorded((home, peer) -> {
            var jfr = home.createJfr(
                    home.createJfc(JfcConfig.DEFAULT), JfrConfig.builder().build());
            var target = peer.importJetty(jfr.descriptor(), jfr.token());
            var queue = peer.createJfs(peer.createJfc(JfcConfig.DEFAULT), JfsConfig.DEFAULT);
            queue.send(target, peer.register(peer.allocate(64), Access.LOCAL_ONLY), 0, 8, 1);
            CountDownLatch twice = new CountDownLatch(4); // two contexts
            try (RecordingStream stream = new RecordingStream()) {
                stream.onEvent("io.urma4j.SharedMemoryPath", _ -> twice.countDown());
                stream.startAsync();
                assertThat(twice.await(30, TimeUnit.SECONDS)).isTrue();
            }
        });

        var paths = of(events, "SharedMemoryPath");
        assertThat(paths).hasSizeGreaterThanOrEqualTo(4);
        assertThat(paths).extracting(event -> event.getLong("sent")).anyMatch(sent -> sent > 0);
        assertThat(paths.getLast().getStartTime())
                .isBeforeOrEqualTo(of(events, "ContextClosed").getLast().getStartTime());
        assertThat(of(events, "NetworkPath")).isEmpty();
    }

    @Test
    void peersThatAreLostAreTold() throws Exception {
        var events = recorded((home, peer) -> {
            var jfr = home.createJfr(
                    home.createJfc(JfcConfig.DEFAULT), JfrConfig.builder().build());
            peer.importJetty(jfr.descriptor(), jfr.token());
            peer.close();
            await().until(() -> home.events().poll().isPresent());
        });

        assertThat(of(events, "PeerLost")).singleElement().satisfies(event -> {
            assertThat(event.getString("type")).isEqualTo("PEER_LOST");
            assertThat(event.getString("object")).isNotBlank();
            assertThat(event.getString("detail")).isNotBlank();
        });
    }
}
