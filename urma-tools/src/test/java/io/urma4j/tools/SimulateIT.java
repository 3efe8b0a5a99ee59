package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import org.junit.jupiter.api.Test;

/** The simulated network from the command line. */
class SimulateIT extends WithShell {
    @Test
    void seedsRunWithoutViolationAndAreCounted() throws Exception {
        Ended text = shell.run("simulate", "--seeds", "5");
        Ended json = shell.run("simulate", "--seed", "4711", "--seeds", "2", "--json");

        assertThat(text.exitCode()).as(text.out() + text.err()).isZero();
        assertThat(text.out()).containsPattern("^5 seeds in \\d+\\.\\d s, 0 violations\n");
        assertThat(json.exitCode()).as(json.err()).isZero();
        assertThat(json.out())
                .contains("\"seeds\" : 2", "\"violations\" : 0", "\"violating\" : [ ]")
                .doesNotContain("\"operations\" : 0,");
    }

    /** A replay that is another run would be none. */
    @Test
    void aSeedIsTheSameEachTime() throws Exception {
        Ended first = shell.run("simulate", "--seed", "4711", "--trace");
        Ended again = shell.run("simulate", "--seed", "4711", "--trace");

        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(events(first)).hasSizeGreaterThan(100).isEqualTo(events(again));
    }

    /** Without the line that says how long it took. */
    private static String events(Ended ended) throws Exception {
        return ended.out().replaceFirst("(?m)^1 seeds in .*$", "");
    }

    @Test
    void ctrlCEndsARunWithItsTotals() throws Exception {
        Running run = shell.start("simulate", "--minutes", "10");
        run.awaitErr("urma: simulating ");

        Ended ended = run.interrupted();

        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(130);
        assertThat(ended.err()).endsWith("urma: interrupted\n");
        assertThat(ended.out()).containsPattern("^[\\d,]+ seeds in \\d+\\.\\d s, 0 violations\n");
    }

    @Test
    void lessThanOneSeedIsWrongUse() throws Exception {
        Ended none = shell.run("simulate", "--seeds", "0");

        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("--seeds must be at least 1, and is 0");
    }
}
