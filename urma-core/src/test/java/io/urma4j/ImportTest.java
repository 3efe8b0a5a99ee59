package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static io.urma4j.FakeHome.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** S7.6: what is checked before the home is asked, and answers that are no longer awaited. */
class ImportTest {
    private final FakeHome home = new FakeHome();
    private final UrmaContext context = home.context;

    @AfterEach
    void everythingIsClosedInTheEnd() {
        home.close();
        assertThat(home.fake.open).as("left open in the provider").isEmpty();
    }

    @Test
    void aNeededTokenMustBeThere() {
        assertInvalid(() -> context.importSegment(Descriptors.segment(), null))
                .withMessageContaining("policy is PLAIN_TEXT, but token is null");
        assertInvalid(() -> context.importJetty(Descriptors.jetty(), null)).withMessageContaining("token is null");
        SegmentDescriptor open = Descriptors.segment(Access.READ, TokenPolicy.NONE);
        assertThat(context.importSegment(open, null).access()).isEqualTo(Access.READ);
    }

    @Test
    void localSegmentsCannotBeImported() {
        SegmentDescriptor local = Descriptors.segment(Access.LOCAL_ONLY, TokenPolicy.NONE);
        assertInvalid(() -> context.importSegment(local, null)).withMessageContaining("LOCAL_ONLY");
        SegmentDescriptor open = Descriptors.segment(Access.READ, TokenPolicy.NONE);
        assertInvalid(() -> context.importSegment(open, null, Access.LOCAL_ONLY));
    }

    @Test
    void moreThanIsOfferedIsNotPermitted() {
        SegmentDescriptor open = Descriptors.segment(Access.READ, TokenPolicy.NONE);
        assertRefused(UrmaStatus.ENOPERM, () -> context.importSegment(open, null, Access.READ_WRITE))
                .withMessageContaining("access READ_WRITE is more than the segment's READ");
    }

    @Test
    void memoryWithoutAtomicsRefusesThem() {
        SegmentDescriptor with = Descriptors.segment();
        SegmentDescriptor without = new SegmentDescriptor(
                with.eid(),
                with.uasid(),
                with.incarnation(),
                with.tokenId(),
                4096,
                with.access(),
                TokenPolicy.NONE,
                new SegmentDescriptor.Capabilities(true, true, false, SegmentDescriptor.MemoryKind.DEVICE),
                with.endpoints());
        RemoteSegment remote = context.importSegment(without, null);
        LocalSegment local = home.segment();
        Jfs jfs = home.jfs();
        assertRefused(UrmaStatus.ENOPERM, () -> jfs.fetchAndAdd(remote, 0, local, 0, 1, 1))
                .withMessageContaining("its memory does not support atomics");
        assertThat(jfs.write(remote, 0, local, 0, 8, 1)).isTrue();
    }

    @Test
    void anAnswerAfterTheContextWasClosedIsGivenBack() {
        CompletableFuture<RemoteSegment> asked = ask();
        context.close();
        answer();
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(asked::join)
                .withMessageContaining("is closed")
                .withCauseInstanceOf(UrmaException.class);
        assertThat(home.fake.open).isEmpty();
    }

    @Test
    void anAnswerAfterTheAskerCancelledIsGivenBack() {
        CompletableFuture<RemoteSegment> asked = ask();
        asked.cancel(false);
        answer();
        Awaitility.await().untilAsserted(() -> assertThat(home.fake.open).doesNotContain("import"));
    }

    @Test
    void anAnswerAfterTheAskerWasInterruptedIsGivenBack() {
        home.fake.holdImports = true;
        CompletableFuture<Throwable> seen = new CompletableFuture<>();
        Thread asker = Thread.ofPlatform().start(() -> {
            try {
                context.importSegment(Descriptors.segment(), Token.of(1));
                seen.complete(null);
            } catch (UrmaException e) {
                seen.complete(e);
            }
        });
        Awaitility.await().until(() -> asker.getState() == Thread.State.WAITING);
        asker.interrupt();
        assertThat(seen.join()).isInstanceOf(UrmaException.class).hasMessageContaining("interrupted (EAGAIN)");
        answer();
        assertThat(home.fake.open).doesNotContain("import");
    }

    @Test
    void aFailureIsToldAsItIs() {
        CompletableFuture<RemoteSegment> asked = ask();
        UrmaException refusal = new UrmaException(UrmaStatus.ENOPERM, "home", "no");
        home.fake.heldImports.getFirst().completeExceptionally(refusal);
        Awaitility.await().until(asked::isDone);
        assertThat(asked.exceptionNow()).isSameAs(refusal);
    }

    private CompletableFuture<RemoteSegment> ask() {
        home.fake.holdImports = true;
        return context.importSegmentAsync(Descriptors.segment(), Token.of(1), Access.READ);
    }

    private void answer() {
        home.fake.heldImports.getFirst().complete(home.fake.newImport(Descriptors.segment(), Access.READ));
    }
}
