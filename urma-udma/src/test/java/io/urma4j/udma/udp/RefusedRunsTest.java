package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.libc.Errno;
import io.urma4j.udma.udp.PortCounters.Counter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** A kernel that refuses a run of packets: once, because it lacks memory, or always. */
class RefusedRunsTest {
    private static final PortOptions OPTIONS =
            PortOptions.of(InetAddress.ofLiteral("127.0.72.1")).withBackend(IoBackend.GSO);

    private int errno;
    private int refusals; // that are left

    private UdpPort port() {
        OpenedPort real = OpenedPort.open(OPTIONS);
        Io io = (Io) Proxy.newProxyInstance(
                Io.class.getClassLoader(), new Class<?>[] {Io.class}, (_, method, arguments) -> {
                    if (method.getName().equals("send") && refusals > 0) {
                        refusals--;
                        return -errno;
                    }
                    try {
                        return method.invoke(real.io(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return new UdpPort(
                OPTIONS,
                new OpenedPort(
                        io,
                        real.outbox(),
                        real.backend(),
                        real.reason(),
                        real.portNote(),
                        real.ecnNote(),
                        real.strangersNote(),
                        real.localInterface(),
                        real.mtuBytes()));
    }

    /** Sends two runs, of which the kernel refuses the first. */
    private long datagramsOfTwoRuns(int refusedWith) {
        errno = refusedWith;
        refusals = 1;
        try (PortPair pair = new PortPair(port(), PortPair.port("127.0.72.2", null))) {
            for (int run = 0; run < 2; run++) {
                for (int i = 0; i < 10; i++) {
                    pair.put(10 * run + i, 256);
                }
                pair.sender.flush();
            }
            assertThat(pair.receive(20)).hasSize(20);
            assertThat(pair.sender.reason().contains("GSO is disabled")).isEqualTo(refusedWith == Errno.EIO);
            return pair.sender.counters().count(Counter.SENT_DATAGRAMS);
        }
    }

    @Test
    void aLackOfMemoryEndsRunsOnlyOnce() {
        assertThat(datagramsOfTwoRuns(Errno.ENOBUFS))
                .as("ten packets, and a run")
                .isEqualTo(10 + 1);
        assertThat(datagramsOfTwoRuns(Errno.ENOMEM))
                .as("ten packets, and a run")
                .isEqualTo(10 + 1);
    }

    @Test
    void aKernelThatTakesNoRunsIsAskedForNoMore() {
        assertThat(datagramsOfTwoRuns(Errno.EIO)).as("packets").isEqualTo(20);
    }
}
