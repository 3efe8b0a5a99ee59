package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Looking into running processes. */
class AdminIT extends WithShell {
    private String out(String... arguments) throws Exception {
        Ended ended = shell.run(arguments);
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.err()).isEmpty();
        return ended.out();
    }

    @Test
    void devicesAreShownThoughNobodyUsesThem() throws Exception {
        assertThat(out("admin", "show"))
                .startsWith("num  ubep_dev  tp_type")
                .containsPattern("0 +shm0 +SHM +eid0 .* ACTIVE")
                .contains("no process uses shm0");
        assertThat(out("admin", "show", "dev", "shm0"))
                .contains("max_jfc_depth")
                .contains("io_path");
    }

    @Test
    void sharedSegmentIsShownWithItsProcessAndWithoutItsToken() throws Exception {
        Running share = shell.share("-n", "4096", "--access", "rw", "--name", "counters");
        long pid = share.process().pid();

        String seg = out("admin", "show", "dev", "shm0", "seg");

        assertThat(seg)
                .contains("token_id")
                .contains("pid " + pid)
                .contains("4096")
                .contains("READ_WRITE");
        String tokenId = seg.lines().skip(1).findFirst().orElseThrow().trim().split(" +", -1)[3];
        assertThat(out("admin", "show", "dev", "shm0", "seg", tokenId)).contains("4096");
        assertThat(out("admin", "show", "dev", "shm0", "seg", "16777215")).doesNotContain("4096");
        assertThat(out("admin", "show", "--whole", "--json"))
                .contains("\"seg\" : [ {")
                .contains("\"len\" : 4096");
    }

    @Test
    void countersAreOneJsonDocumentWithNumbers() throws Exception {
        shell.share("-n", "4096");

        String stats = out("admin", "stats", "--json");

        try (JsonParser json = new JsonFactory().createParser(stats)) {
            assertThat(json.nextToken()).isEqualTo(JsonToken.START_ARRAY);
            json.skipChildren(); // throws when it is no JSON
            assertThat(json.nextToken()).as("a second document").isNull();
        }
        assertThat(stats).contains("\"device\" : \"shm0\"").contains("\"tx_pkt\" : 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin stats", "admin events", "perf show"})
    void allListsAreAlikeWhereNoProcessIs(String command) throws Exception {
        Ended ended = shell.run(command.split(" ", -1));

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).isEqualTo("urma: no process of this user has a context open\n");
    }

    @Test
    void followerTellsThatItWaits() throws Exception {
        Running follow = shell.start("admin", "events", "--follow");

        follow.awaitErr("urma: no process of this user has a context open; waiting, Ctrl-C ends it\n");
        assertThat(follow.interrupted().exitCode()).isZero();
    }

    @Test
    void demoThatIsHeldShowsWhatItsProcessesHave() throws Exception {
        Running demo = shell.start("demo", "--size", "1MiB", "--hold");
        demo.awaitErr("holding the three processes");

        assertThat(out("admin", "show", "--whole"))
                .contains("CONTEXT (3)")
                .contains("SEG (")
                .contains("IMPORT (4)")
                .contains("JFC (")
                .contains("TP (")
                .contains("1 [READY]");
        assertThat(out("admin", "stats"))
                .contains("tx_pkt")
                .contains("rx_bytes")
                .contains("posted");

        Ended ended = demo.interrupted();
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("checks passed.");
        assertThat(shell.leftFiles()).isEmpty();
    }

    @Test
    void eventsAreFollowedAcrossProcesses() throws Exception {
        Running share = shell.share("-n", "4096");
        Running follow = shell.start("admin", "events", "--follow");

        SharedSegment shared = SharedSegment.parse(share.line());
        UrmaOptions options = UrmaOptions.DEFAULT.withRuntimeDirectory(shell.runtimeDirectory());
        try (Urma urma = Urma.open(options);
                UrmaContext context = urma.device("shm0").openContext()) {
            Token wrong = Token.of(shared.token().value() ^ 1);
            assertThatThrownBy(() -> context.importSegment(shared.descriptor(), wrong))
                    .isInstanceOf(UrmaException.class);
        }

        follow.awaitOut("IMPORT_REFUSED");
        assertThat(follow.out()).contains("pid " + share.process().pid());
        assertThat(follow.interrupted().exitCode()).isZero();
        assertThat(out("admin", "events", "--json")).contains("\"type\" : \"IMPORT_REFUSED\"");
    }

    @Test
    void stoppedProcessDoesNotHoldUpTheView() throws Exception {
        Running share = shell.share("-n", "4096", "--name", "counters");
        share.signal("STOP");
        try {
            Ended show = shell.run("admin", "show");

            assertThat(show.exitCode()).isZero();
            assertThat(show.err()).contains("gave an incomplete answer");
        } finally {
            share.signal("CONT");
        }
    }

    @Test
    void watchedViewEndsWithCtrlC() throws Exception {
        Running watch = shell.start("admin", "show", "--watch", "0.1");
        watch.awaitOut("no process uses udma0\n\nnum ");

        assertThat(watch.interrupted().exitCode()).isZero();
    }
}
