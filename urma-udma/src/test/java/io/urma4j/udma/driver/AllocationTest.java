package io.urma4j.udma.driver;

import io.urma4j.tck.AllocationContract;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing is allocated for an operation over the network. */
@ParameterizedClass(name = "lockFree={0}")
@ValueSource(booleans = {true, false})
class AllocationTest extends AllocationContract {
    AllocationTest() {
        super("udma0", 20_000, 50, 100);
    }
}
