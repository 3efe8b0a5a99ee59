package io.urma4j.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The blocking form of a control call whose thread is interrupted. */
class AwaitTest {
    /** A result that is there when the interrupt is noticed. */
    private static final class JustDone extends CompletableFuture<String> {
        @Override
        public String get() throws InterruptedException {
            complete("made");
            throw new InterruptedException();
        }
    }

    @Test
    void anInterruptCancelsWhatHasNotEnded() {
        CompletableFuture<String> asked = new CompletableFuture<>();
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> Await.result("a call", asked))
                .returns(UrmaStatus.EAGAIN, UrmaException::status);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(asked).isCancelled();
    }

    @Test
    void aResultThatIsThereByThenIsReturned() {
        assertThat(Await.result("a call", new JustDone())).isEqualTo("made");

        assertThat(Thread.interrupted()).isTrue();
    }
}
