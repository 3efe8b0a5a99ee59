package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.FakeImports;
import io.urma4j.HomeGoneException;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** S14.35: what transfers have opened of a home, and when it is closed. */
class OpenHomesTest {
    private final Urma urma = Urma.open();
    private final UrmaContext context = urma.device("fake0").openContext();
    private final Transfers transfers = Transfers.open(TransferOptions.DEFAULT, context);
    private final RdmaBuf buf = RdmaBuf.allocate(context, 64);
    private final RemoteBuf remote = RemoteBufs.one(0, 64);

    @AfterEach
    void close() {
        urma.close();
    }

    private TransferResult written() throws Exception {
        return transfers
                .writeBatch()
                .add(remote, buf.view())
                .post(Duration.ofSeconds(20))
                .get(20, TimeUnit.SECONDS);
    }

    /** The batch finds it usable twice; before it asks for a window, the home has revoked it. */
    @Test
    void importThatIsReplacedIsClosed() throws Exception {
        FakeImports.refuseNextWindow(context, new UrmaException(UrmaStatus.ETIMEOUT, "fake", "no answer"));
        assertThat(written().isSuccess()).as("imported, but without a window").isFalse();
        FakeImports.revokeAtLook(context, 3);

        assertThat(written().isSuccess()).isTrue();

        assertThat(FakeImports.made(context)).isEqualTo(2);
        Awaitility.await()
                .untilAsserted(() -> assertThat(FakeImports.open(context)).isEqualTo(1));
    }

    /** A post on it would fail whatever else is in flight to its home. */
    @Test
    void windowThatWasRevokedBeforeItsFirstUseIsNotPostedOn() throws Exception {
        FakeImports.takeBackNextWindows(context, true);

        for (int round = 0; round < 2; round++) {
            assertThatExceptionOfType(HomeGoneException.class)
                    .isThrownBy(() -> written().orThrow())
                    .withMessageContaining("revoked the window");
        }

        assertThat(transfers.stats().windows()).as("none stays open").isZero();
        FakeImports.takeBackNextWindows(context, false);
        assertThat(written().isSuccess()).isTrue();
        assertThat(FakeImports.made(context)).as("of one import").isEqualTo(1);
    }
}
