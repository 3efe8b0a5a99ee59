package io.urma4j.cuda;

import io.urma4j.UrmaException;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** The driver of this machine keeps the contract; skipped, with the reason, where there is no device. */
class InstalledCudaDriverTest extends CudaDriverContract {
    @Override
    CudaDriver driver() {
        try {
            return FfmCudaDriver.open(Optional.empty());
        } catch (UrmaException e) {
            return Assumptions.abort("no device: " + e.getMessage());
        }
    }
}
