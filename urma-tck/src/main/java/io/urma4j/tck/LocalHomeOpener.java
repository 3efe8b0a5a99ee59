package io.urma4j.tck;

import io.urma4j.UrmaOptions;
import java.nio.file.Path;

/** Opens homes in this process, each with its own library, which is closed with it. */
public final class LocalHomeOpener implements HomeOpener {
    /** For {@link TckDriver}, which makes it by its name. */
    public LocalHomeOpener() {}

    @Override
    public Home open(String device, String runtimeDirectory) {
        return LocalHome.opening(
                DevicesUnderTest.options(
                        UrmaOptions.DEFAULT.withRuntimeDirectory(Path.of(runtimeDirectory)), true, false),
                device);
    }
}
