package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.buffer.LeakDetector;
import io.urma4j.buffer.LeakLevel;
import io.urma4j.buffer.Peer;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.PeerRegion;
import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Looking into running processes. */
class AdminIT extends WithShell {
    private static final Pattern RETRANSMITTED = Pattern.compile("\"retransmitted\":[1-9]");
    private static final Pattern BUSY = Pattern.compile(
            "[\\d:]+  \\d paths, per second of the last 0\\.\\d s\n\nshm0\n *pid +peer +tx/s(.*\n)+?.* [1-9]\\d+ (.*\n)*");

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
        assertThat(out("admin", "show", "dev", "shm0", "--json"))
                .containsSubsequence("{\n  \"attributes\" : {", "\n  \"contexts\" : [ ]");
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
    void poolIsShownWithItsClassesAndTheWindowsOfEachPeer() throws Exception {
        UrmaOptions options = UrmaOptions.DEFAULT.withRuntimeDirectory(shell.runtimeDirectory());
        PoolConfig config = PoolConfig.builder(1 << 20)
                .name("blocks")
                .leaks(LeakDetector.of(LeakLevel.ALL))
                .build();
        try (Urma urma = Urma.open(options);
                UrmaContext home = urma.device("shm0").openContext();
                UrmaContext user = urma.device("shm0").openContext();
                RegisteredBufferPool pool = RegisteredBufferPool.open(config, home);
                RdmaBuf lease = pool.acquire(4096, Duration.ZERO);
                RdmaBuf _ = pool.acquire(10_000, Duration.ZERO)) {
            RemoteBuf exported = lease.exportTo(Peer.of(user), lease.view(), Access.READ);

            assertThat(out("admin", "show", "pool", "blocks"))
                    .containsPattern("POOL \\(1\\)\n.*oldest_s.*\n.*pid "
                            + ProcessHandle.current().pid() + " +blocks +shm0 ")
                    .containsPattern("POOL_CLASS \\(2\\)\n.*\n.* blocks +4096 +1 +\\d+ +1 .*\n.* blocks +16384 +1 ")
                    .containsPattern("POOL_PEER \\(1\\)\n.*\n.* blocks +shm .*/"
                            + user.peerId().uasid() + " +1 +1 +0");
            assertThat(out("admin", "show", "pool", "--json"))
                    .contains("\"pool\" : \"blocks\"", "\"leases\" : 2,")
                    .containsPattern("\"oldest_s\" : \\d+\\.\\d");
            assertThat(lease.takeBack(exported)).isTrue();
            assertThat(out("admin", "show", "pool")).doesNotContain("POOL_PEER");
        }
    }

    @Test
    void poolThatDoesNotExist() throws Exception {
        Ended named = shell.run("admin", "show", "pool", "blocks");
        assertThat(named.exitCode()).isEqualTo(1);
        assertThat(named.err()).isEqualTo("urma: no process of this user has a pool named 'blocks' open\n");

        Ended any = shell.run("admin", "show", "pool");
        assertThat(any.exitCode()).isZero();
        assertThat(any.err()).isEqualTo("urma: no process of this user has a pool open\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm0", "udma0"})
    void deviceMemoryIsShownWithItsClientAndItsHolder(String device) throws Exception {
        shell.with("URMA_UDMA_ADDRESSES", "127.0.0.1");
        UrmaOptions options = UrmaOptions.DEFAULT
                .withRuntimeDirectory(shell.runtimeDirectory())
                .withSetting("urma.udma.addresses", "127.0.0.1")
                .withSetting("urma.npu", "2,memory=64M");
        String pid = Long.toString(ProcessHandle.current().pid());
        try (Urma urma = Urma.open(options);
                UrmaContext context = urma.device(device).openContext();
                UrmaContext _ = urma.device(device).openContext();
                DeviceMemory memory = urma.peerMemory().allocate("npu", 1, 1 << 20)) {
            try (PeerRegion _ = memory.pin(true, List.of())) {
                assertThat(out("admin", "show", "peer", pid))
                        .containsPattern("PEER_CLIENT \\(1\\)\n.*num_alloc_mrs.*\n *" + context.uasid() + " +pid " + pid
                                + " +npu +1.0 +LEGACY +2 +1 +0 +0 +0 +1 +0 ")
                        .containsPattern("PEER_DEVICE \\(2\\)\n.*\n.* npu +0 +simulated NPU.* 67108864\n.* npu +1 ")
                        .containsPattern("PEER_REGION \\(1\\)\n.*\n.* npu +1 +MAPPED +0x[0-9a-f]+ +1048576 +0 +-");
            }
            assertThat(out("admin", "show", "peer", "--json"))
                    .contains("\"client\" : \"npu\"", "\"version\" : \"1.0\"", "\"num_dealloc_mrs\" : 1,")
                    .contains("\"peer_region\" : [ ]");
        }
    }

    @Test
    void segmentInDeviceMemoryIsShownWithItsDevice() throws Exception {
        UrmaOptions options = UrmaOptions.DEFAULT
                .withRuntimeDirectory(shell.runtimeDirectory())
                .withSetting("urma.npu", "1,memory=64M");
        try (Urma urma = Urma.open(options);
                UrmaContext context = urma.device("shm0").openContext();
                DeviceMemory memory = urma.peerMemory().allocate("npu", 0, 1 << 20);
                LocalSegment segment = context.register(memory, SegmentConfig.of(Access.READ_WRITE))) {
            assertThat(out("admin", "show", "peer"))
                    .containsPattern(
                            "PEER_REGION \\(1\\)\n.*holder *\n.* npu +0 +ACTIVE +0x[0-9a-f]+ +1048576 +0 +segment "
                                    + context.uasid() + "/" + segment.tokenId() + " of 1048576 bytes");
            assertThat(out("admin", "show", "dev", "shm0", "seg"))
                    .contains("npu:0 0x" + Long.toHexString(memory.address()))
                    .contains("READ_WRITE");

            memory.closeByForce();

            assertThat(out("admin", "show", "peer")).contains("INVALIDATED [FREED]");
        }
    }

    @Test
    void withoutDeviceMemoryThereIsNoneToShow() throws Exception {
        Ended any = shell.run("admin", "show", "peer");
        assertThat(any.exitCode()).isZero();
        assertThat(any.out()).isEmpty();
        assertThat(any.err()).isEqualTo("urma: no process of this user uses device memory\n");

        Ended named = shell.run("admin", "show", "peer", "1");
        assertThat(named.exitCode()).isEqualTo(1);
        assertThat(named.err()).isEqualTo("urma: process 1 has no context open, or is another user's\n");
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

            Ended events = shell.run("admin", "events", "-d", "shm0");

            assertThat(events.exitCode()).isZero();
            assertThat(events.err()).contains("gave an incomplete answer").hasLineCount(1);
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

    @Test
    void watchedViewEndsWithCtrlCWhileAProcessDoesNotAnswer() throws Exception {
        Running share = shell.share("-n", "4096", "--name", "counters");
        share.signal("STOP");
        try {
            Running watch = shell.start("admin", "show", "--watch", "0.1");
            watch.awaitErr("gave an incomplete answer");
            assertThat(watch.process().waitFor(500, TimeUnit.MILLISECONDS)).isFalse(); // it inspects again, for 3 s

            Ended ended = watch.interrupted();

            assertThat(ended.exitCode()).as(ended.err()).isZero();
            assertThat(ended.err()).doesNotContain("interrupted");
        } finally {
            share.signal("CONT");
        }
    }

    @Test
    void watchedViewEndsWhenItsReaderHasClosedThePipe() throws Exception {
        Running watch = shell.startWithPipe("admin", "show", "--watch", "0.1");
        try (InputStream out = watch.process().getInputStream()) {
            assertThat(out.read()).isEqualTo('n');
        }

        assertThat(watch.process().waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(watch.process().exitValue()).as(watch.err()).isEqualTo(141);
        assertThat(watch.err()).isEmpty();
    }

    @Test
    void topFollowsTheRetransmissionsOfALossyNetworkUntilCtrlC() throws Exception {
        shell.with("URMA_UDMA_LOSS", "0.05:7");
        Running load = shell.start("perftest", "write_bw", "--local", "-d", "udma0", "-s", "64K", "-y", "1");
        Running top = shell.start("admin", "top", "-d", "udma0", "-i", "0.5", "-n", "0", "--json");

        await().atMost(Duration.ofSeconds(60))
                .until(() -> RETRANSMITTED.matcher(top.out()).find());

        Ended ended = top.interrupted();
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out().lines())
                .allSatisfy(line -> assertThat(line)
                        .startsWith("{\"time\":")
                        .contains("\"device\":\"udma0\"", "\"window\":", "\"rttNanos\":", "\"per_second\":{\"sent\":"));
        assertThat(out("admin", "show", "dev", "udma0", "tp"))
                .contains("uasid  process")
                .contains("retransmitted", "gapNaks", "nakAccessSent", "rtoNanos");
        assertThat(out("admin", "show", "dev", "udma0"))
                .containsSubsequence("jfc_cnt", "PORT (", "tx_not_sent", "cnp_handled", "DROPS (", "drop_on_purpose");
        load.interrupted();
    }

    @Test
    void topPrintsOneTableIntoAPipe() throws Exception {
        Running load = shell.start("perftest", "send_bw", "--local", "-d", "shm0", "-s", "8", "-y", "1");
        load.awaitOut("bytes");

        await().atMost(Duration.ofSeconds(60))
                .until(() -> shell.run("admin", "top", "-i", "0.2").out(), BUSY.asPredicate());

        load.interrupted();
    }

    @Test
    void topWaitsForAProcessAndRefusesWrongTimes() throws Exception {
        Running top = shell.start("admin", "top", "-n", "0", "-i", "0.2");
        top.awaitErr("urma: no process of this user has a context open; waiting, Ctrl-C ends it\n");
        assertThat(top.interrupted().exitCode()).isZero();

        Ended wrong = shell.run("admin", "top", "-i", "0");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains("--interval is 0.0, not within 0.05 and 86400 seconds");
    }
}
