package io.urma4j.udma.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tck.run.Selection;
import io.urma4j.tck.run.TestResult;
import io.urma4j.tck.run.TestResult.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the suite makes of a filter that nothing ran for. */
class LinkSuiteTest {
    private static final TestResult RAN = result("WindowsContract", "takenBackWindowMovesNoByte", Verdict.PASSED);
    private static final TestResult SKIPPED =
            result("MappingContract", "mappedBytesAreThoseOfTheSegment", Verdict.SKIPPED);

    private static TestResult result(String contract, String test, Verdict verdict) {
        return new TestResult(contract, test, "", "TWO_PROCESSES", List.of(), verdict, Duration.ZERO, "", null);
    }

    @Test
    void filtersThatNothingRanForAreNamed() {
        List<String> filters = List.of("WindowsContract.takenBack", "RenamedContract", "MappingContract");

        assertThat(LinkSuite.idle(filters, List.of(RAN, SKIPPED)))
                .containsExactly("RenamedContract", "MappingContract");
        assertThat(LinkSuite.idle(List.of(), List.of(RAN, SKIPPED))).isEmpty();
        assertThat(LinkSuite.idle(List.of(), List.of(SKIPPED))).containsExactly("everything");
    }

    /** Without root and a link, a contract that has another name by now is noticed all the same. */
    @Test
    void whatTheSlowLinkNamesExists() {
        assertThat(SlowLinkIT.SAMPLE)
                .allMatch(filter -> Selection.matching(List.of(filter)).size() > 0);
    }
}
