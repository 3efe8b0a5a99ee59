package io.urma4j.udma.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.tck.RuleIndex;
import io.urma4j.udma.link.LinkSuite.End;
import io.urma4j.udma.link.LinkSuite.Said;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Contracts between two network namespaces with a link of 10 Mbit/s and 50 ms in each direction between them: one or two
 * tests of most, with {@code -Durma.full=true} all of all, with {@code -Durma.link.filter=S7.8,Posting} what is asked for.
 */
@Timeout(7200)
class SlowLinkIT {
    static final List<String> SAMPLE = List.of(
            "IdentitiesContract.descriptorOfAnEarlierLife",
            "JettiesContract.connectionCarriesAllOpcodes",
            "JettiesContract.boundJettyIsNotBoundToAnother",
            "StatesContract.writesBehindAFailedOne",
            "SegmentsContract.everyImportIsRevoked",
            "TokensContract.rotationRevokesImports",
            "WindowsContract.takenBackWindow",
            "WindowsContract.operationUnderWay",
            "WorkRequestsContract.messagesArriveInOrderAndOnce",
            "CompletionsContract.messageTooLong",
            "NotReadyContract.senderHears",
            "NotReadyContract.deathOfThePeer",
            "DatagramsContract.datagramArrives",
            "GroupsContract.roundRobinReaches");

    /**
     * Makes deadlines of 20 s longer than anything takes here, and tests that move megabytes move fewer; the sample needs
     * none.
     */
    private static final int PATIENCE = 10;

    /** As many links as run side by side: their tests wait more than they work. */
    private static final int LINKS = 3;

    @BeforeEach
    void needRoot() {
        Optional<String> objection = NetworkNamespace.objection();
        assumeTrue(objection.isEmpty(), () -> "skipped: " + objection.orElse(""));
    }

    private static List<String> filters() {
        String wanted = System.getProperty("urma.link.filter");
        if (wanted != null) {
            return List.of(wanted.split(","));
        }
        return Boolean.getBoolean("urma.full") ? whole() : SAMPLE;
    }

    static List<String> whole() {
        return RuleIndex.CONTRACTS.stream().map(Class::getSimpleName).toList();
    }

    @Test
    void contractsHoldOverANarrowAndLongLink() throws Exception {
        List<String> filters = filters();
        int links = Boolean.getBoolean("urma.full") ? Math.min(LINKS, filters.size()) : 1;
        List<Callable<Run>> runs = IntStream.range(0, links)
                .<Callable<Run>>mapToObj(link -> () -> run(IntStream.range(0, filters.size())
                        .filter(filter -> filter % links == link)
                        .mapToObj(filters::get)
                        .toList()))
                .toList();

        try (var threads = Executors.newFixedThreadPool(links)) {
            for (Future<Run> one : threads.invokeAll(runs)) {
                Run run = one.get();
                System.out.println(run.said().text() + run.packets() + " packets");
                assertThat(run.said().exitCode()).as(run.said().text()).isZero();
                assertThat(run.packets()).as("packets on the link").isGreaterThan(100);
            }
        }
    }

    /** What was said, and how many packets the link has carried. */
    private record Run(Said said, long packets) {}

    private static Run run(List<String> filters) throws Exception {
        try (SlowLink link = SlowLink.open("10mbit", 50)) {
            Said said = LinkSuite.between(
                    new End(link.left().launcher(), SlowLink.LEFT),
                    new End(link.right().launcher(), SlowLink.RIGHT),
                    filters.equals(SAMPLE) ? 1 : PATIENCE,
                    filters);
            return new Run(said, link.packets());
        }
    }
}
