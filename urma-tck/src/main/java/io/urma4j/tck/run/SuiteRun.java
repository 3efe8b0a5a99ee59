package io.urma4j.tck.run;

import io.urma4j.tck.AcrossProcesses;
import io.urma4j.tck.InOneProcess;
import io.urma4j.tck.RunnableContract;
import io.urma4j.tck.Topology;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The conformance suite on one device. */
public final class SuiteRun {
    private final String device;
    private final Selection selection;
    private final List<Class<? extends Annotation>> places;

    /** Each chosen test in one process, in all its topologies, then across processes. */
    public SuiteRun(String device, Selection selection) {
        this(device, selection, List.of(InOneProcess.class, AcrossProcesses.class));
    }

    private SuiteRun(String device, Selection selection, List<Class<? extends Annotation>> places) {
        this.device = device;
        this.selection = selection;
        this.places = places;
    }

    /** Each chosen test across processes alone. */
    public static SuiteRun acrossProcesses(String device, Selection selection) {
        return new SuiteRun(device, selection, List.of(AcrossProcesses.class));
    }

    /** How often test methods will run, over all topologies; a parameterized one counts as one run. */
    public int plannedTests() {
        int topologies = places.size() == 1 ? 1 : Topology.values().length;
        return selection.size() * topologies;
    }

    /**
     * Runs the tests on this thread.
     *
     * @param onResult receives each result at once, on the thread that ran the test
     */
    public List<TestResult> run(Consumer<TestResult> onResult) {
        List<TestResult> results = new ArrayList<>();
        try (var session = LauncherFactory.openSession()) {
            session.getLauncher().execute(request(), new ResultCollector(result -> {
                results.add(result);
                onResult.accept(result);
            }));
        }
        return List.copyOf(results);
    }

    private LauncherDiscoveryRequest request() {
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (Class<? extends Annotation> place : places) {
            for (Selection.Chosen test : selection.tests()) {
                selectors.add(DiscoverySelectors.selectMethod(
                        RunnableContract.of(test.contract(), device, place), test.method()));
            }
        }
        return LauncherDiscoveryRequestBuilder.request().selectors(selectors).build();
    }
}
