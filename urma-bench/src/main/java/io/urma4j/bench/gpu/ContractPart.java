package io.urma4j.bench.gpu;

import java.util.List;

/** The bindings keep the contract of {@code CudaDriver}, and device memory the rules of S15. */
final class ContractPart {
    /** In {@code cuda-tests.jar}, so by name. */
    private static final String TESTS = "io.urma4j.cuda.InstalledCudaDriverTest";

    private ContractPart() {}

    static void run(PartRun run) throws Exception {
        run.driver();
        Report report = run.report();
        List<String> suite =
                run.urma("tck", "--device", "shm0", "--filter", "S15", "--memory", "cuda:" + PartRun.ORDINAL);
        report.line("");
        report.line("## Contract of the driver");
        TestClassRun.run(TESTS, report);
        report.line("");
        report.line("## urma " + String.join(" ", suite.subList(suite.indexOf("tck"), suite.size())));
        SuiteProcess.run(suite, PartRun.PATIENCE, report);
    }
}
