package io.urma4j.spi.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.Importer;
import io.urma4j.Revocation;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.spi.support.Quarantine;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ExportedSegmentTest {
    private static final Token WRONG = Token.of(4712);
    private static final String ISOLATED = "is isolated";

    private final Home home = new Home();
    private final Quarantine quarantine = new Quarantine();
    private final ExportedSegment<Home.Grant> segment =
            home.segment(2000, 5, Access.READ_WRITE, TokenPolicy.PLAIN_TEXT);

    private static boolean opens(@Nullable ExportedSegment<?> segment, @Nullable Token offered, Access wanted) {
        return ExportedSegment.opens(segment, null, offered, wanted);
    }

    @Test
    void onlyItsTokenOpensItAndOnlyForAccessThatItHas() {
        assertThat(opens(segment, Home.TOKEN, Access.READ)).isTrue();
        assertThat(opens(segment, Home.TOKEN, Access.READ_WRITE)).isTrue();
        assertThat(opens(segment, Home.TOKEN, Access.READ_WRITE_ATOMIC)).isFalse();
        assertThat(opens(segment, Home.TOKEN, Access.LOCAL_ONLY)).isFalse();
        assertThat(opens(segment, WRONG, Access.READ)).isFalse();
        assertThat(opens(segment, null, Access.READ)).isFalse();
        assertThat(opens(null, Home.TOKEN, Access.READ)).isFalse();
    }

    @Test
    void withoutTokenPolicyNoTokenIsNeeded() {
        var free = home.segment(2000, 6, Access.READ, TokenPolicy.NONE);

        assertThat(opens(free, null, Access.READ)).isTrue();
        assertThat(opens(free, WRONG, Access.READ)).isTrue();
        assertThat(opens(free, null, Access.READ_WRITE)).isFalse();
    }

    @Test
    void aRevokedSegmentIsOpenToNoContext() {
        assertThat(segment.markRevoked()).isTrue();
        assertThat(segment.markRevoked()).isFalse();

        assertThat(opens(segment, Home.TOKEN, Access.READ)).isFalse();
    }

    @Test
    void revocationShutsAllGrantsBeforeItNotifiesAndWaitsForTheLast() {
        var first = home.grant(segment, 1, 10, Access.READ);
        var second = home.grant(segment, 2, 11, Access.READ);

        var revocation = segment.revoke(100, quarantine, () -> home.log.add("released"));

        assertThat(home.log).containsExactly("shut to all", "shut 1", "shut 2", "tell 1", "tell 2");
        segment.ended(first);
        segment.ended(first);
        assertThat(revocation).isNotDone();
        quarantine.check(segment);
        home.pass(100);
        assertThat(revocation).isDone();
        assertThatThrownBy(() -> quarantine.check(segment)).hasMessageContaining("uasid 11");
        segment.ended(second);
        quarantine.check(segment);
        assertThat(home.log).endsWith("released");
    }

    /** Importers of device memory are notified, and their answers are not awaited. */
    @Test
    void homeItselfEndsTheImportsOfDeviceMemory() {
        var onDevice = home.onDevice(2000, 6);
        var first = home.grant(onDevice, 1, 10, Access.READ);
        home.grant(onDevice, 2, 11, Access.READ);

        var rotation = onDevice.rotate(WRONG, Duration.ofSeconds(1));

        assertThat(home.log).containsExactly("shut to all", "shut 1", "shut 2", "tell 1", "tell 2", "end 1", "end 2");
        assertThat(rotation).as("copies are in progress").isNotDone();
        onDevice.ended(first);
        home.log.clear();
        onDevice.memoryLost();
        onDevice.memoryLost();
        assertThat(home.log).containsExactly("shut to all", "shut 2", "tell 2", "end 2");
        assertThat(onDevice.isRevoked()).isTrue();
    }

    @Test
    void rotationReplacesTheTokenAndRevokesFormerImporters() {
        var importer = home.grant(segment, 1, 10, Access.READ);

        var rotation = segment.rotate(WRONG, Duration.ofSeconds(1));

        assertThat(opens(segment, WRONG, Access.READ)).isTrue();
        assertThat(opens(segment, Home.TOKEN, Access.READ)).isFalse();
        assertThat(home.log).contains("tell 1");
        segment.ended(importer);
        assertThat(rotation).isCompletedWithValue(Revocation.COMPLETED);
    }

    @Test
    void aRevokedSegmentHasNoTokenToRotate() {
        segment.markRevoked();

        assertThat(segment.rotate(WRONG, Duration.ofSeconds(1)))
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withMessageContaining("was revoked, and so has no token to rotate");
    }

    @Test
    void importersAreNamedOnceAndCountedEach() {
        home.grant(segment, 3, 10, Access.READ);
        home.grant(segment, 1, 10, Access.READ);
        home.grant(segment, 2, 9, Access.READ);

        assertThat(segment.importers()).containsExactly("uasid 10", "uasid 9");
        assertThat(segment.importing())
                .isEqualTo(List.of(
                        new Importer(Home.EID, 10, 1), new Importer(Home.EID, 9, 2), new Importer(Home.EID, 10, 3)));
    }

    @Test
    void windowsAreForImportersWithThatAccess() {
        var grant = home.grant(segment, 1, 10, Access.READ);

        assertThat(segment.forWindow(grant.importing(), Access.READ, ISOLATED)).isEqualTo(grant);
        assertThatThrownBy(() -> segment.forWindow(grant.importing(), Access.READ_WRITE, ISOLATED))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("a window as READ_WRITE is more");
        segment.markRevoked();
        assertThatThrownBy(() -> segment.forWindow(grant.importing(), Access.READ, ISOLATED))
                .hasMessageContaining("does not import it");
    }
}
