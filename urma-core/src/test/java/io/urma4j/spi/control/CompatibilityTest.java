package io.urma4j.spi.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import io.urma4j.spi.control.ControlMessage.Hello;
import org.junit.jupiter.api.Test;

class CompatibilityTest {
    private static Hello hello(int major, int minor, long features, long required) {
        return new Hello(major, minor, features, required, Eid.ZERO, 1, 2, 3, "address");
    }

    @Test
    void minorVersionsAndOptionalFeaturesMayDiffer() {
        Hello one = hello(1, 1, 0b0011, 0b0001);
        Hello other = hello(1, 7, 0b1101, 0b0001);

        assertThat(Compatibility.objection(one, other)).isEmpty();
        assertThat(Compatibility.objection(other, one)).isEmpty();
    }

    @Test
    void anotherMajorVersionIsNamedWithBothVersions() {
        assertThat(Compatibility.objection(hello(1, 4, 0, 0), hello(2, 0, 0, 0)))
                .contains("speaks control protocol 1.4 and its caller 2.0: they need the same major version");
    }

    @Test
    void whatOneEndRequiresAndTheOtherDoesNotKnowIsNamed() {
        Hello plain = hello(1, 1, 0b011, 0);
        Hello demanding = hello(1, 2, 0b111, 0b110);

        assertThat(Compatibility.objection(plain, demanding))
                .contains("does not know features 0x4 that its caller requires; it speaks control protocol 1.1, and its"
                        + " caller 1.2");
        assertThat(Compatibility.objection(demanding, plain))
                .contains("requires features 0x4 that its caller does not know; it speaks control protocol 1.2, and its"
                        + " caller 1.1");
    }
}
