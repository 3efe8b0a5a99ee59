package io.urma4j.tools;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test that runs the command: a folder of its own for each, and none of its processes outlives it. */
abstract class WithShell {
    @TempDir
    Path folder;

    Shell shell;

    @BeforeEach
    final void openShell() {
        shell = new Shell(folder);
    }

    @AfterEach
    final void endShell() throws Exception {
        shell.end();
    }
}
