package io.urma4j.udma.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.tck.RuleIndex;
import io.urma4j.udma.link.LinkSuite.End;
import io.urma4j.udma.link.LinkSuite.Said;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Contracts between two network namespaces with a link of 10 Mbit/s and 50 ms in each direction between them: one or two
 * tests of most, with {@code -Durma.full=true} the whole of all but those {@link #LEFT_OUT}, with {@code
 * -Durma.link.filter=S7.8,Posting} what is asked for.
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

    private static final String TOO_MUCH =
            "more bytes or round trips than such a link carries before the tests' deadlines";

    /** What does not run here, and why; all other contracts do. */
    static final Map<String, String> LEFT_OUT = Map.ofEntries(
            Map.entry("LifecycleContract", "opens and closes so much that it takes many minutes"),
            Map.entry("EventsContract", "overflows queues with thousands of writes: " + TOO_MUCH),
            Map.entry("OutagesContract", "sends 48 MiB at a time, which takes such a link 40 s"),
            Map.entry("SegmentsContract", TOO_MUCH),
            Map.entry("LinearizabilityContract", TOO_MUCH),
            Map.entry("MappingContract", "the device maps nothing"),
            Map.entry("WorkRequestsContract", TOO_MUCH),
            Map.entry("PostingContract", TOO_MUCH),
            Map.entry("SignalsContract", "a thousand messages in ten seconds: " + TOO_MUCH),
            Map.entry("SoakContract", TOO_MUCH),
            Map.entry("RemoteMemoryContract", TOO_MUCH),
            Map.entry("MessageChannelContract", TOO_MUCH));

    private SlowLink link;

    @BeforeEach
    void openLink() throws Exception {
        Optional<String> objection = NetworkNamespace.objection();
        assumeTrue(objection.isEmpty(), () -> "skipped: " + objection.orElse(""));
        link = SlowLink.open("10mbit", 50);
    }

    @AfterEach
    void closeLink() {
        if (link != null) {
            link.close();
        }
    }

    private static List<String> filters() {
        String wanted = System.getProperty("urma.link.filter");
        if (wanted != null) {
            return List.of(wanted.split(","));
        }
        return Boolean.getBoolean("urma.full") ? whole() : SAMPLE;
    }

    static List<String> whole() {
        return RuleIndex.CONTRACTS.stream()
                .map(Class::getSimpleName)
                .filter(contract -> !LEFT_OUT.containsKey(contract))
                .toList();
    }

    @Test
    void contractsHoldOverANarrowAndLongLink() throws Exception {
        Said said = LinkSuite.between(
                new End(link.left().launcher(), SlowLink.LEFT),
                new End(link.right().launcher(), SlowLink.RIGHT),
                filters());

        System.out.println(said.text() + link.packets() + " packets");
        assertThat(said.exitCode()).as(said.text()).isZero();
        assertThat(link.packets()).as("packets on the link").isGreaterThan(100);
    }
}
