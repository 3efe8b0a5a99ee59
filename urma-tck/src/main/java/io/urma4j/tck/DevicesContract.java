package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.ContextOptions;
import io.urma4j.Eid;
import io.urma4j.Jetty;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** SEMANTICS §3: what a device says about itself, and that it is true. */
public abstract class DevicesContract extends Contract {
    protected DevicesContract(String device) {
        super(device);
    }

    /** S1.6, S3.2: a device has a name, a kind, endpoints, ports, and says how bytes travel. */
    @Rule({"S1.6", "S3.2"})
    @Test
    void deviceSaysWhatItIs() {
        var attributes = pair.device().attributes();

        assertThat(attributes.name()).isEqualTo(deviceName()).hasSizeLessThan(64);
        assertThat(attributes.name()).startsWith(attributes.provider());
        assertThat(attributes.ioPath()).isNotBlank();
        assertThat(attributes.ports()).isNotEmpty().hasSizeLessThanOrEqualTo(8);
        assertThat(pair.device().eids())
                .isNotEmpty()
                .hasSizeLessThanOrEqualTo(1024)
                .noneMatch(Eid::isZero);
    }

    /** S3.1: capabilities and limits are constant, also while the device is used; the rest is reported as it is now. */
    @Rule("S3.1")
    @Test
    void whatADeviceCanDoDoesNotChangeWhileItIsUsed() {
        var before = pair.device().attributes();
        var imported = pair.imported(4096, Access.READ_WRITE);
        pair.receiver(4096);
        var after = pair.urma().device(deviceName()).attributes();

        assertThat(after.capabilities()).isEqualTo(before.capabilities());
        assertThat(after.limits()).isEqualTo(before.limits());
        assertThat(imported.remote().isRevoked()).isFalse();
        assertThat(after.ports()).allSatisfy(port -> {
            assertThat(port.active()).as("a device in use has its ports up").isTrue();
            assertThat(port.mtuBytes()).isPositive();
        });
    }

    /** S3.3: what every software provider offers. */
    @Rule("S3.3")
    @Test
    void deviceOffersAtLeastWhatEveryProviderDoes() {
        var limits = pair.device().attributes().limits();

        assertThat(limits.jfcDepth()).isGreaterThanOrEqualTo(65536);
        assertThat(limits.jfsDepth()).isGreaterThanOrEqualTo(16384);
        assertThat(limits.jfrDepth()).isGreaterThanOrEqualTo(32768);
        assertThat(limits.sges()).isGreaterThanOrEqualTo(16);
        assertThat(limits.inlineBytes()).isGreaterThanOrEqualTo(208);
        assertThat(limits.messageBytes()).isGreaterThanOrEqualTo(Integer.MAX_VALUE);
        assertThat(limits.readWriteBytes()).isGreaterThanOrEqualTo(Integer.MAX_VALUE);
        assertThat(limits.segmentBytes()).isGreaterThan(4L << 30);
        assertThat(limits.jettiesPerContext()).isGreaterThanOrEqualTo(4096);
    }

    /** S3.2, S3.3: opcodes, atomics and modes are asked, not guessed. */
    @Rule({"S3.2", "S3.3"})
    @Test
    void deviceCanDoAllOperationsInRmAndRc() {
        var capabilities = pair.device().attributes().capabilities();

        assertThat(capabilities.modes()).contains(TransportMode.RM, TransportMode.RC);
        assertThat(capabilities.opcodes()).containsAll(EnumSet.complementOf(EnumSet.of(Opcode.NOP)));
        assertThat(capabilities.immediateBits()).isEqualTo(64);
        assertThat(capabilities.tearFreeBytes()).isGreaterThanOrEqualTo(8);
    }

    /** S3.3: queues of the greatest depth that the device names can be made. */
    @Rule("S3.3")
    @Test
    void queuesOfTheGreatestDepthCanBeMade() {
        var context = pair.initiator().context();
        var limits = pair.device().attributes().limits();

        var jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(limits.jfcDepth()));
        var jfr = context.createJfr(
                jfc, JfrConfig.builder().depth(limits.jfrDepth()).build());
        var jfs = context.createJfs(
                jfc,
                JfsConfig.builder()
                        .depth(limits.jfsDepth())
                        .maxSges(limits.sges())
                        .maxInlineBytes(limits.inlineBytes())
                        .build());

        assertThat(jfc.depth()).isGreaterThanOrEqualTo(limits.jfcDepth());
        assertThat(jfr.depth()).isGreaterThanOrEqualTo(limits.jfrDepth());
        assertThat(jfs.depth()).isGreaterThanOrEqualTo(limits.jfsDepth());
    }

    /** S3.3: 4096 Jetties in a context, all of which work. */
    @Rule("S3.3")
    @Test
    void contextHasRoomFor4096Jetties() {
        var context = pair.initiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        var jfr = context.createJfr(jfc, JfrConfig.builder().depth(16).build());
        var small = JfsConfig.builder().depth(1).maxSges(1).maxInlineBytes(0).build();
        List<Jetty> jetties = new ArrayList<>();
        for (int i = 0; i < 4096; i++) {
            jetties.add(context.createJetty(jfc, jfr, small));
        }
        assertThat(jetties).extracting(Jetty::id).doesNotHaveDuplicates();

        var receiver = pair.receiver(64);
        var scratch = pair.initiator().queue().scratch();
        var sent = new Poller(jfc);
        int atOnce = 64;
        for (int first = 0; first < 4096; first += atOnce) {
            for (int i = 0; i < atOnce; i++) {
                assertThat(receiver.queue().receive(receiver.buffer(), 0, 8, 0)).isTrue();
            }
            List<Jetty> some = jetties.subList(first, first + atOnce);
            for (Jetty jetty : some) {
                assertThat(jetty.jfs().send(receiver.target(), scratch, 0, 8, jetty.id()))
                        .isTrue();
            }
            assertThat(sent.next(atOnce)).allMatch(Outcome::isSuccess);
            assertThat(receiver.queue().nextOnes(atOnce))
                    .extracting(outcome -> outcome.source().orElseThrow().id())
                    .containsExactlyInAnyOrderElementsOf(
                            some.stream().map(Jetty::id).toList());
        }
    }

    /** S3.4: depths are rounded up, {@code depth()} returns the effective value, and the configuration is unchanged. */
    @Rule("S3.4")
    @Test
    void depthIsRoundedUpAndTold() {
        var config = JfsConfig.builder().depth(100).build();
        var jfcConfig = JfcConfig.DEFAULT.withDepth(1000);

        var queue = pair.initiator().queue(config, jfcConfig);

        assertThat(queue.jfs().depth()).isBetween(100, 128);
        assertThat(queue.jfc().depth()).isBetween(1000, 1024);
        assertThat(config.depth()).isEqualTo(100);
        assertThat(jfcConfig.depth()).isEqualTo(1000);
    }

    /** S2.1: a device that does not exist is refused, naming those that do. */
    @Rule("S2.1")
    @Test
    void deviceThatDoesNotExistIsRefusedNamingThoseThatDo() {
        assertRefused(UrmaStatus.EINVAL, () -> pair.urma().device("no-such-device"))
                .hasMessageContaining("no-such-device")
                .hasMessageContaining(deviceName());
        assertRefused(UrmaStatus.EINVAL, () -> pair.urma().device(Eid.parse("2001:db8::dead")))
                .hasMessageContaining("2001:db8::dead");
    }

    /** S3.2: a device is found by its endpoint, too. */
    @Rule("S3.2")
    @Test
    void deviceIsFoundByItsEndpoint() {
        Eid eid = pair.device().eids().getFirst();

        assertThat(pair.urma().device(eid).eids()).contains(eid);
        assertThat(pair.initiator().context().eid()).isEqualTo(eid);
    }

    /** S2.1: an endpoint index outside the list is refused. */
    @Rule("S2.1")
    @Test
    void endpointIndexOutsideTheListIsRefused() {
        int count = pair.device().eids().size();

        assertRefused(UrmaStatus.EINVAL, () -> pair.device().openContext(count, ContextOptions.DEFAULT))
                .hasMessageContaining("eidIndex");
        assertRefused(UrmaStatus.EINVAL, () -> pair.device().openContext(-1, ContextOptions.DEFAULT));
    }

    /** S13.2: several contexts of a device have numbers of their own. */
    @Rule("S13.2")
    @Test
    void contextsHaveNumbersOfTheirOwn() {
        var other = pair.anotherInitiator().context();

        assertThat(other.uasid()).isNotEqualTo(pair.initiator().context().uasid());
        assertThat(other.allocate(4096, AllocOptions.DEFAULT).lengthBytes()).isEqualTo(4096);
    }
}
