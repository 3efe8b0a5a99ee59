package io.urma4j;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;

/** An open context on {@link FakeProvider}, with what tests need most. */
final class FakeHome implements AutoCloseable {
    static final long BYTES = 4096;

    final Urma urma = Urma.open();
    final UrmaContext context = urma.device(FakeProvider.DEVICE).openContext();
    final FakeContext fake = FakeContext.of(context);

    /** Shareable, with all access. */
    LocalSegment segment() {
        return context.register(context.allocate(BYTES), Access.READ_WRITE_ATOMIC);
    }

    /** A segment of this very context, imported. */
    RemoteSegment imported(Access access) {
        LocalSegment segment = segment();
        return context.importSegment(segment.descriptor(), segment.token(), access);
    }

    Jfc jfc() {
        return context.createJfc(JfcConfig.DEFAULT);
    }

    Jfs jfs() {
        return context.createJfs(jfc(), JfsConfig.DEFAULT);
    }

    Jetty jetty(TransportMode mode) {
        Jfc jfc = jfc();
        Jfr jfr = context.createJfr(jfc, JfrConfig.builder().mode(mode).build());
        return context.createJetty(jfc, jfr, JfsConfig.builder().mode(mode).build());
    }

    static ThrowableAssertAlternative<UrmaException> assertRefused(UrmaStatus status, ThrowingCallable call) {
        return assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(call)
                .matches(failure -> failure.status() == status, "has status " + status);
    }

    static ThrowableAssertAlternative<UrmaException> assertInvalid(ThrowingCallable call) {
        return assertRefused(UrmaStatus.EINVAL, call);
    }

    @Override
    public void close() {
        urma.close();
    }
}
