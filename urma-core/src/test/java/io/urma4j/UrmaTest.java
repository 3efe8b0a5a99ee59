package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Devices: which there are, and why others are not. */
class UrmaTest {
    @Test
    void anUnknownDeviceIsToldBesideTheKnownOnes() {
        try (Urma urma = Urma.open()) {
            assertThat(urma.device(FakeProvider.DEVICE).name()).isEqualTo("fake0");
            assertThat(urma.device(Descriptors.EID)).isSameAs(urma.device("fake0"));
            assertInvalid(() -> urma.device("broken0"))
                    .withMessageContaining("no device named 'broken0'; there are: fake0")
                    .withMessageContaining("provider broken does not work here")
                    .withMessageContaining("there is no moon")
                    .withMessageContaining("urma doctor");
            assertInvalid(() -> urma.device(Eid.parse("::1"))).withMessageContaining("no device with EID ::1");
            assertThat(urma.absentProviders()).containsOnlyKeys("broken");
        }
    }

    @Test
    void theUsualDeviceIsTheFirstWhereNoneIsNamed() {
        try (Urma urma = Urma.open()) {
            assertThat(urma.device()).isSameAs(urma.device("fake0"));
        }
    }

    @Test
    void nothingWorksAfterClose() {
        Urma urma = Urma.open();
        UrmaDevice device = urma.device("fake0");
        UrmaContext context = device.openContext();
        urma.close();
        urma.close();
        assertInvalid(urma::devices).withMessageContaining("Urma: is closed");
        assertInvalid(device::openContext).withMessageContaining("is closed");
        assertInvalid(() -> context.allocate(8)).withMessageContaining("is closed");
    }

    @Test
    void contextsAreCheckedAndNamed() {
        try (Urma urma = Urma.open()) {
            UrmaDevice device = urma.device("fake0");
            assertInvalid(() -> device.openContext(1, ContextOptions.DEFAULT))
                    .withMessageContaining("eidIndex is 1, must lie in 0…0");
            ContextOptions noTime = ContextOptions.DEFAULT.withCloseTimeout(Duration.ZERO);
            assertInvalid(() -> device.openContext(0, noTime)).withMessageContaining("closeTimeout is PT0S");
            UrmaContext context = device.openContext();
            assertThat(context).hasToString("context fake0/" + context.uasid());
            FakeHome.assertRefused(UrmaStatus.EAGAIN, urma::closeIfUnused).withMessageContaining("context fake0");
            context.closeIfUnused();
            urma.closeIfUnused();
        }
    }
}
