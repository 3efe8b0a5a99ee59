package io.urma4j.udma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Memory;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import io.urma4j.udma.wire.Rdeth;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Transfers of blocks whose elements the peer refuses by packets that a test writes by hand. */
class RefusedBlocksTest {
    private static final long VA = 0x10000;
    private static final int PEER = 5;
    private static final int BLOCKS = 4;
    private static final int ICRC_BYTES = 4;

    private final Hosts hosts = new Hosts();
    private final Host here = hosts.here;
    private final Host there = hosts.there;
    private final Host.Cq cq = here.new Cq(64);
    private final int key = there.card.registerKey(new KeyConfig(there.memory(4096), VA, Memory.READ, PEER, 0, 0));
    private final List<Packet> requests = new ArrayList<>();

    private Host.Sends queue() {
        return here.new Sends(SendQueueConfig.Kind.RM, cq, config -> config);
    }

    private List<Integer> statuses() {
        return cq.pollAll().stream()
                .map(Host.CqRecord::status)
                .filter(status -> status != WorkStatus.WR_FLUSH_ERR_DONE)
                .toList();
    }

    private void says(int psn, int syndrome, int msn) {
        Packet packet = Packet.allocate();
        packet.begin(Opcodes.RD | Opcodes.ACKNOWLEDGE, CardCommands.FIRST_CONNECTION, psn);
        Rdeth.put(packet.bytes(), packet.at(Header.RDETH), 0, CardCommands.FIRST_CONNECTION);
        Aeth.put(packet.bytes(), packet.at(Header.AETH), syndrome, msn);
        packet.lengthBytes(packet.payloadAt() + ICRC_BYTES);
        here.card.receive(packet, there.address, hosts.now);
    }

    /** READs take no receive. A peer that answers "receiver not ready" all the same disturbs no other request. */
    @Test
    void elementsThatAreAnsweredNotReadyFailTheirTransferOnce() {
        here.isLost = requests::add;
        queue().readBlocks(hosts.memoryThere, key, VA, BLOCKS, 64);
        hosts.run();
        here.isLost = null;
        assertThat(requests).hasSize(BLOCKS);

        for (Packet request : requests) {
            says(Bth.psn(request.bytes()), Aeth.rnrNak(12), 0);
        }
        says(Bth.psn(requests.getLast().bytes()), Aeth.ACK, BLOCKS);
        hosts.run();

        assertThat(statuses()).containsExactly(WorkStatus.REM_OPERATION_ERR);
        requests.forEach(request -> there.card.receive(request, here.address, hosts.now));
        queue().oneSided(WorkOpcode.READ, hosts.memoryThere, key, VA, 8, 0);
        hosts.run();
        assertThat(statuses()).containsExactly(WorkStatus.SUCCESS);
    }
}
