package io.urma4j.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.spi.control.ResourceText;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What another process sees of a registry. */
class PeerInspectionTest {
    private final PeerMemoryRegistry registry = new PeerMemoryRegistry();
    private final ScriptedClient client = new ScriptedClient("first");
    private final Keys keys = new Keys();

    private PeerRegion pinned(long offset) {
        DeviceRange range = new DeviceRange(0, ScriptedClient.BASE + offset, 4096);
        return registry.pin(new PinRequest(null, range, true, List.of(), true));
    }

    private Resource only(Kind kind) {
        List<Resource> rows = registry.resources(kind);
        assertThat(rows).hasSize(1);
        return rows.getFirst();
    }

    @Test
    void registryWithoutClientsShowsNothing() {
        assertThat(registry.resources(Kind.PEER_CLIENT)).isEmpty();
        assertThat(registry.resources(Kind.PEER_DEVICE)).isEmpty();
        assertThat(registry.resources(Kind.PEER_REGION)).isEmpty();
    }

    @Test
    void clientIsShownWithWhatItHasCounted() {
        registry.register(client);
        pinned(0).close();
        pinned(4096);

        assertThat(only(Kind.PEER_CLIENT).fields())
                .containsAllEntriesOf(Map.of(
                        "client", "first",
                        "version", "1.0",
                        "style", "LEGACY",
                        "device_cnt", "1",
                        "region_cnt", "1",
                        "num_alloc_mrs", "2",
                        "num_dealloc_mrs", "1",
                        "num_reg_pages", "2",
                        "num_dereg_pages", "1"))
                .containsKeys("num_reg_bytes", "num_dereg_bytes", "num_free_callbacks", "failures", "late_fences");
        assertThat(only(Kind.PEER_DEVICE).fields())
                .containsEntry("model", "scripted")
                .containsEntry("len", Long.toString(ScriptedClient.LENGTH));
    }

    @Test
    void registrationIsShownWithItsStateAndItsHolder() {
        registry.register(client);
        PeerRegion region = pinned(8192);
        assertThat(only(Kind.PEER_REGION).fields())
                .containsEntry("state", "MAPPED")
                .containsEntry("holder", "");

        region.activate(keys);
        assertThat(only(Kind.PEER_REGION).fields())
                .containsEntry("client", "first")
                .containsEntry("ordinal", "0")
                .containsEntry("state", "ACTIVE")
                .containsEntry("va", "0x7f0000002000")
                .containsEntry("len", "4096")
                .containsEntry("copies", "0")
                .containsEntry("holder", "keys of a test");

        client.acquisitions.getFirst().free();
        assertThat(only(Kind.PEER_REGION).field("state")).isEqualTo("INVALIDATED [FREED]");

        region.close();
        assertThat(registry.resources(Kind.PEER_REGION)).isEmpty();
    }

    @Test
    void registrationsBeyondTheLimitAreOnlyCounted() {
        registry.register(client);
        for (int i = 0; i < 1030; i++) {
            pinned(i * 4096L);
        }

        List<Resource> rows = registry.resources(Kind.PEER_REGION);

        assertThat(rows).hasSize(1024).isSortedAccordingTo((one, other) -> Long.compare(one.id(), other.id()));
        assertThat(rows).extracting(Resource::id).doesNotHaveDuplicates();
        assertThat(only(Kind.PEER_CLIENT).field("region_cnt")).isEqualTo("1030");
    }

    @Test
    void rowsFitIntoAControlMessage() {
        registry.register(new ScriptedClient("x".repeat(63)));
        Resource row = only(Kind.PEER_CLIENT);

        assertThat(ResourceText.parse(Kind.PEER_CLIENT, ResourceText.of(row))).isEqualTo(row);
    }

    @Test
    void clientThatNamesNoDevicesIsShownWithoutThem() {
        registry.register(new DelegatingClient(client) {
            @Override
            public List<PeerDevice> devices() {
                throw new IllegalStateException("driver is gone");
            }
        });

        assertThat(only(Kind.PEER_CLIENT).field("device_cnt")).isEqualTo("0");
        assertThat(registry.resources(Kind.PEER_DEVICE)).isEmpty();
    }
}
