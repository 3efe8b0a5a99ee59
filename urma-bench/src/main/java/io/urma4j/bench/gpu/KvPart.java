package io.urma4j.bench.gpu;

import java.util.List;

/** The example of a key-value cache, whose producer has its layers on the device: each block that is fetched is verified. */
final class KvPart {
    private static final String PROGRAM = "io.urma4j.examples.kvcache.KvCache";
    private static final String SECONDS = "10";

    private KvPart() {}

    static void run(PartRun run) throws Exception {
        run.driver();
        for (String device : List.of("shm0", "udma0")) {
            run.report().line("");
            List<String> command = run.program(
                    PROGRAM, "--device", device, "--memory", "cuda:" + PartRun.ORDINAL, "--seconds", SECONDS);
            int status = WatchedProcess.run(command, PartRun.PATIENCE.dividedBy(2), run.report()::line);
            if (status != 0) {
                run.report().failed("the cache on " + device + ", exit code " + status);
            }
        }
    }
}
