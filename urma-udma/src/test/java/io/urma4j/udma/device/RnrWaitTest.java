package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import org.junit.jupiter.api.Test;

/** S12.1: the wait that a receiver asks for, on the connection of an RC Jetty. */
class RnrWaitTest {
    private static final long MILLI = 1_000_000;
    private static final int LONGEST_WAIT = 0; // code of 655.36 ms

    private final Hosts hosts = new Hosts();
    private final Host.Cq cq = hosts.here.new Cq(16);
    private final Host.Receives receives = hosts.there
    .new Receives(hosts.there.new Cq(16), config -> config.connected().rnrTimerCode(LONGEST_WAIT));
    private final Host.Sends jetty =
            hosts.here.new Sends(SendQueueConfig.Kind.RC, cq, config -> config.timeoutNanos(100 * MILLI));
    private final Host.Sends peer = hosts.there
    .new Sends(SendQueueConfig.Kind.RC, hosts.there.new Cq(16), config -> config.receives(receives.handle, 0, 100));

    RnrWaitTest() {
        connect(hosts.here, jetty, hosts.there, peer, 11, 22);
        connect(hosts.there, peer, hosts.here, jetty, 22, 11);
    }

    private void connect(Host of, Host.Sends own, Host to, Host.Sends its, int sendPsn, int receivePsn) {
        of.card.connectRc(
                own.handle,
                CardConnectionConfig.builder(of.port(to.address), its.number())
                        .psns(sendPsn, receivePsn)
                        .build(),
                hosts.now);
    }

    @Test
    void aWaitThatTheReceiverAskedForIsNoSilence() {
        jetty.message(WorkOpcode.SEND, 0, 8, 0);

        hosts.run(600 * MILLI);
        assertThat(cq.pollAll()).as("before the wait is over").isEmpty();
        receives.post(1, 64);
        hosts.run(100 * MILLI);

        assertThat(cq.pollAll()).extracting(Host.CqRecord::status).containsExactly(WorkStatus.SUCCESS);
    }

    @Test
    void aPeerThatIsSilentAfterTheWaitIsGivenUp() {
        jetty.message(WorkOpcode.SEND, 0, 8, 0);
        hosts.run(100 * MILLI);

        hosts.here.isLost = _ -> true;
        hosts.run(650 * MILLI);
        assertThat(cq.pollAll()).isEmpty();
        hosts.run(100 * MILLI);

        assertThat(cq.pollAll()).extracting(Host.CqRecord::status).startsWith(WorkStatus.ACK_TIMEOUT_ERR);
    }
}
