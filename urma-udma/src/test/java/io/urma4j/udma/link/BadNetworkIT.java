package io.urma4j.udma.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.tck.DriverProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What can be wrong with addresses, ports and paths: a clear error or an event in time, and no hang. */
@Timeout(120)
class BadNetworkIT {
    private static final String ONE = "198.18.8.1"; // of the block that is for such tests (RFC 2544)
    private static final String OTHER = "198.18.8.2";
    private static final Duration IMPORT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration ERR_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(5);

    @TempDir
    private Path folder;

    private NetworkNamespace namespace;
    private final List<DriverProcess> processes = new ArrayList<>();

    @BeforeEach
    void openNamespace() throws IOException {
        Optional<String> objection = NetworkNamespace.objection();
        assumeTrue(objection.isEmpty(), () -> "skipped: " + objection.orElse(""));
        namespace = NetworkNamespace.open();
        namespace.run("ip", "address", "add", ONE + "/32", "dev", "lo");
        namespace.run("ip", "address", "add", OTHER + "/32", "dev", "lo");
    }

    @AfterEach
    void closeNamespace() {
        processes.forEach(DriverProcess::close);
        if (namespace != null) {
            namespace.close();
        }
    }

    private Guest guest(String address, String... launcher) {
        return guest(namespace, address, launcher);
    }

    private Guest guest(NetworkNamespace where, String address, String... launcher) {
        List<String> whole = Stream.of(
                        where.launcher(), List.of("env", "URMA_UDMA_ADDRESSES=" + address), List.of(launcher))
                .flatMap(List::stream)
                .toList();
        DriverProcess process = DriverProcess.start(GuestProcess.class, whole, System.getProperty("java.class.path"));
        processes.add(process);
        return process.root(Guest.class);
    }

    private String open(Guest guest) {
        return guest.open(folder.toString(), IMPORT_TIMEOUT, ERR_TIMEOUT);
    }

    @Test
    void anAddressThatNobodyHasIsNamed() {
        assertThat(open(guest("203.0.113.7"))).contains("no interface of this machine has the address 203.0.113.7");
    }

    /** Both ends hear of it in time, and go on when it is back. */
    @Test
    void anAddressThatVanishesIsAnEventAndAnErrorAndMayComeBack() {
        Guest home = guest(OTHER);
        Guest initiator = guest(ONE);
        open(home);
        open(initiator);
        assertThat(initiator.importSegment(home.share())).isEqualTo("imported");
        assertThat(initiator.write(8)).isEqualTo("SUCCESS, READY");

        namespace.run("ip", "address", "del", ONE + "/32", "dev", "lo");
        long start = System.nanoTime();

        assertThat(initiator.write(8)).isEqualTo("ACK_TIMEOUT_ERR, ERROR");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ERR_TIMEOUT.plus(SOON));
        assertThat(initiator.event("PORT_DOWN", SOON))
                .contains("no interface of this machine has the address " + ONE + " any longer");
        assertThat(initiator.port()).contains("active=false").contains(ONE + " any longer");
        assertThat(initiator.importSegment(home.share()))
                .contains("ETIMEOUT")
                .contains("no interface of this machine has the address " + ONE + " any longer");

        namespace.run("ip", "address", "add", ONE + "/32", "dev", "lo");

        assertThat(initiator.event("PORT_ACTIVE", SOON)).contains("sending works again");
        initiator.revive();
        assertThat(initiator.importSegment(home.share())).isEqualTo("imported");
        assertThat(initiator.write(8)).isEqualTo("SUCCESS, READY");
    }

    @Test
    void aPortThatIsTakenIsNamedAndAnotherIsUsed() {
        Guest first = guest(ONE);
        Guest second = guest(ONE);

        assertThat(open(first)).contains("on port 4791 of " + ONE);
        assertThat(open(second))
                .contains("port 4791 of " + ONE + " is taken by another process")
                .contains("Linux RDMA and network cards cannot reach it");
        assertThat(second.importSegment(first.share())).isEqualTo("imported");
        assertThat(first.importSegment(second.share())).isEqualTo("imported");
        assertThat(first.write(4096)).isEqualTo("SUCCESS, READY");
    }

    /** The module is what the kernel would show; the port is taken by another of us. */
    @Test
    void aPortThatSoftRoceHasTakenIsNamedSo() {
        Guest first = guest(ONE);
        open(first);
        Guest second = guest(
                ONE,
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs none /sys/module && mkdir /sys/module/rdma_rxe && exec \"$@\"",
                "sh");

        assertThat(open(second)).contains("the module rdma_rxe is loaded").contains("modprobe -r rdma_rxe");
    }

    /** The interface takes shorter packets than when the connection was made: they leave in fragments. */
    @Test
    void anMtuThatShrinksUnderWayCostsFragmentsAndNoMessage() throws Exception {
        Guest home = guest(OTHER);
        Guest initiator = guest(ONE);
        open(home);
        open(initiator);
        assertThat(initiator.importSegment(home.share())).isEqualTo("imported");
        assertThat(initiator.repeat(30_000, Duration.ofMillis(100))).startsWith("all of");
        assertThat(home.fragmentsOfPeer()).isZero();

        try (var waiting = Executors.newSingleThreadExecutor()) {
            Future<String> told = waiting.submit(() -> initiator.repeat(30_000, Duration.ofSeconds(2)));
            Thread.sleep(700);
            namespace.run("ip", "link", "set", "lo", "mtu", "1200");

            assertThat(told.get()).startsWith("all of");
        }
        assertThat(initiator.write(60_000)).isEqualTo("SUCCESS, READY");
        assertThat(initiator.read(30_000)).isEqualTo("SUCCESS, READY");
        assertThat(home.fragmentsOfPeer()).isGreaterThan(50);
        assertThat(initiator.fragmentsOfPeer())
                .as("of the bytes that were read")
                .isGreaterThan(25);
        assertThat(initiator.event("PORT_DOWN", Duration.ofMillis(1500))).isEmpty();

        namespace.run("ip", "link", "set", "lo", "mtu", "576");
        assertThat(initiator.repeat(30_000, Duration.ofMillis(500))).startsWith("all of");

        namespace.run("ip", "link", "set", "lo", "mtu", "65536");
        Thread.sleep(1100); // the port asks the kernel once a second
        assertThat(initiator.write(60_000)).isEqualTo("SUCCESS, READY");
        long before = home.fragmentsOfPeer();
        assertThat(initiator.repeat(30_000, Duration.ofMillis(100))).startsWith("all of");
        assertThat(home.fragmentsOfPeer()).isEqualTo(before);
    }

    /** A foreign peer takes no fragments. */
    @Test
    void anMtuThatShrinksBelowThatOfAForeignPeerIsAnEvent() {
        Guest home = guest(OTHER);
        Guest initiator = guest(ONE);
        open(home);
        open(initiator);
        assertThat(initiator.importSegment(home.share())).isEqualTo("imported");
        namespace.run("ip", "link", "set", "lo", "mtu", "1000");

        initiator.sendToForeigner(OTHER, 1024);

        assertThat(initiator.event("PORT_DOWN", SOON)).contains("lo has an MTU of 1000 bytes now");
        assertThat(initiator.write(60_000)).as("urma4j peers take fragments").isEqualTo("SUCCESS, READY");
        namespace.run("ip", "link", "set", "lo", "mtu", "65536");
        assertThat(initiator.event("PORT_ACTIVE", SOON)).contains("sending works again");
    }

    @Test
    void anInterfaceThatGoesDownIsAnEventAndAnError() {
        Guest home = guest(OTHER);
        Guest initiator = guest(ONE);
        open(home);
        open(initiator);
        assertThat(initiator.importSegment(home.share())).isEqualTo("imported");

        namespace.run("ip", "link", "set", "lo", "down");

        assertThat(initiator.write(8)).isEqualTo("ACK_TIMEOUT_ERR, ERROR");
        assertThat(initiator.event("PORT_DOWN", SOON)).contains("is down");
    }

    @Test
    void anImportFromAPeerThatIsGoneEndsInTime() {
        Guest home = guest(OTHER);
        Guest initiator = guest(ONE);
        open(home);
        open(initiator);
        String line = home.share();
        processes.getFirst().kill();
        long start = System.nanoTime();

        assertThat(initiator.importSegment(line)).contains("ETIMEOUT");

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(IMPORT_TIMEOUT.plus(SOON));
    }

    /** S1.5: whoever has the address and the ids now is another. */
    @Test
    void aPeerThatComesBackWithTheSameIdsIsAnother() {
        Guest home = guest(OTHER);
        Guest initiator = guest(ONE);
        open(home);
        open(initiator);
        String line = home.share();
        assertThat(initiator.importSegment(line)).isEqualTo("imported");
        processes.getFirst().kill();
        Guest successor = guest(OTHER);
        open(successor);

        assertThat(initiator.write(8)).isIn("REM_ACCESS_ABORT_ERR, ERROR", "ACK_TIMEOUT_ERR, ERROR");
        assertThat(initiator.event("PEER_LOST", SOON)).isNotEmpty();
        assertThat(initiator.importSegment(line)).contains("ETIMEOUT").contains("gone");
        initiator.revive();
        assertThat(initiator.importSegment(successor.share())).isEqualTo("imported");
        assertThat(initiator.write(8)).isEqualTo("SUCCESS, READY");
    }

    /** A router on the way takes less than both ends' interfaces, and says so. */
    @Test
    void aPathThatTakesLessThanItsEndsGetsFragments() throws Exception {
        try (NarrowPath path = new NarrowPath(700)) {
            Guest home = guest(path.right(), NarrowPath.RIGHT);
            Guest initiator = guest(path.left(), NarrowPath.LEFT);
            open(home);
            assertThat(open(initiator)).contains("mtuBytes=1024");
            assertThat(initiator.importSegment(home.share())).isEqualTo("imported");
            assertThat(initiator.write(64)).isEqualTo("SUCCESS, READY");

            assertThat(initiator.write(60_000)).isEqualTo("SUCCESS, READY");

            assertThat(home.fragmentsOfPeer()).isGreaterThan(60_000 / 700);
            initiator.sendToForeigner(NarrowPath.RIGHT, 1024);
            assertThat(initiator.event("PORT_DOWN", SOON)).contains("packets exceed the current MTU of the path");
        }
    }
}
