package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.ContextOptions;
import io.urma4j.DescriptorException;
import io.urma4j.Eid;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SharedJetty;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §1 and §2: names of things, what peers learn, and what failures say. */
public abstract class IdentitiesContract extends Contract {
    protected IdentitiesContract(String device) {
        super(device);
    }

    /** S1.1: parsing refuses null, empty, {@code "1"} and words. */
    @Rule("S1.1")
    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(
            strings = {"1", "4294967295", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", ":", "::g", "0x", " ::1"})
    void textThatIsNoEidIsRefused(String text) {
        assertRefused(UrmaStatus.EINVAL, () -> Eid.parse(text));
    }

    /** S1.1: the accepted forms, and their text. */
    @Rule("S1.1")
    @Test
    void eidIsReadAsIpv6Ipv4AndHex() {
        assertThat(Eid.parse("10.0.0.1")).hasToString("::ffff:10.0.0.1");
        assertThat(Eid.parse("0x0a000001")).isEqualTo(Eid.parse("10.0.0.1"));
        assertThat(Eid.parse("2001:db8::1")).hasToString("2001:db8::1");
        assertThat(Eid.parse("0x20010db8000000000000000000000001")).isEqualTo(Eid.parse("2001:db8::1"));
    }

    /** S1.1: zero is refused as a target. */
    @Rule("S1.1")
    @Test
    void zeroEidIsNoTarget() {
        var shared = pair.home().receiver().shared();

        assertRefused(
                UrmaStatus.EINVAL,
                () -> pair.initiator()
                        .context()
                        .importJetty(withId(shared.descriptor(), new JettyId(Eid.ZERO, 0, 0)), shared.token()));
    }

    private static JettyDescriptor withId(JettyDescriptor d, JettyId id) {
        return new JettyDescriptor(id, d.kind(), d.incarnation(), d.mode(), d.orderType(), d.policy(), d.endpoints());
    }

    /** S1.2: 0 requests any id but a well-known one; those are only assigned on request. */
    @Rule("S1.2")
    @Test
    void wellKnownIdIsOnlyGivenWhenAskedFor() {
        var context = pair.initiator().context();
        var jfc = pair.initiator().queue().jfc();
        Jfs any = context.createJfs(jfc, JfsConfig.DEFAULT);
        Jfs wellKnown = context.createJfs(jfc, JfsConfig.builder().id(77).build());

        assertThat(any.id()).isGreaterThan(1023);
        assertThat(wellKnown.id()).isEqualTo(77);
        assertRefused(
                        UrmaStatus.EEXIST,
                        () -> context.createJfs(jfc, JfsConfig.builder().id(77).build()))
                .hasMessageContaining("77");
    }

    /** S1.3: no text form of a token contains its value. */
    @Rule("S1.3")
    @Test
    void valueOfATokenIsInNoTextAboutIt() {
        var token = Token.of(1_234_567_891);
        var segment = pair.home().segment(4096, Access.READ, TokenPolicy.PLAIN_TEXT, token);
        var refusal = assertRefused(
                UrmaStatus.ENOPERM,
                () -> pair.initiator().context().importSegment(segment.descriptor(), Token.of(1_234_567_890)));

        for (String text : new String[] {
            token.toString(),
            segment.shared().toString(),
            segment.descriptor().toString(),
            pair.initiator().context().importSegment(segment.shared()).toString()
        }) {
            assertThat(text).doesNotContain("1234567891").doesNotContainIgnoringCase("499602d3");
        }
        refusal.message().doesNotContain("1234567891").doesNotContain("1234567890");
    }

    /** S1.4: binary and text forms round-trip. */
    @Rule("S1.4")
    @Test
    void descriptorsSurviveTheirBinaryAndTextForms() {
        SharedSegment segment = pair.home().segment(4096, Access.READ_WRITE).shared();
        SharedJetty jetty = pair.home().receiver().shared();

        assertThat(SegmentDescriptor.fromBytes(segment.descriptor().toBytes())).isEqualTo(segment.descriptor());
        assertThat(SegmentDescriptor.parse(" " + segment.descriptor().toText() + "\n"))
                .isEqualTo(segment.descriptor());
        assertThat(SharedSegment.parse(segment.toLine())).isEqualTo(segment);
        assertThat(JettyDescriptor.fromBytes(jetty.descriptor().toBytes())).isEqualTo(jetty.descriptor());
        assertThat(JettyDescriptor.parse(jetty.descriptor().toText())).isEqualTo(jetty.descriptor());
        assertThat(SharedJetty.parse(jetty.toLine())).isEqualTo(jetty);
        assertThat(segment.toLine()).doesNotContainAnyWhitespaces();
    }

    /** S1.4: truncation at any byte is a DescriptorException, never anything else. */
    @Rule("S1.4")
    @Test
    void truncatedDescriptorIsRefusedAtEachLength() {
        byte[] segment = pair.home().segment(4096, Access.READ).descriptor().toBytes();
        byte[] jetty = pair.home().receiver().descriptor().toBytes();

        for (int length = 0; length < segment.length; length++) {
            byte[] cut = Arrays.copyOf(segment, length);
            assertThatThrownBy(() -> SegmentDescriptor.fromBytes(cut)).isInstanceOf(DescriptorException.class);
        }
        for (int length = 0; length < jetty.length; length++) {
            byte[] cut = Arrays.copyOf(jetty, length);
            assertThatThrownBy(() -> JettyDescriptor.fromBytes(cut)).isInstanceOf(DescriptorException.class);
        }
    }

    /** S1.4: each flipped bit is a DescriptorException. */
    @Rule("S1.4")
    @Test
    void descriptorWithAFlippedBitIsRefused() {
        byte[] segment = pair.home().segment(4096, Access.READ).descriptor().toBytes();

        for (int bit = 0; bit < segment.length * 8; bit++) {
            byte[] flipped = segment.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> SegmentDescriptor.fromBytes(flipped))
                    .as("bit " + bit)
                    .isInstanceOf(DescriptorException.class);
        }
    }

    /** S1.4: a line with any one character changed is a DescriptorException. */
    @Rule("S1.4")
    @Test
    void lineWithAnyCharacterChangedIsRefused() {
        String line = pair.home().segment(4096, Access.READ).shared().toLine();

        for (int i = 0; i < line.length(); i++) {
            char other = line.charAt(i) == 'x' ? 'y' : 'x';
            String changed = line.substring(0, i) + other + line.substring(i + 1);
            assertThatThrownBy(() -> SharedSegment.parse(changed))
                    .as("character " + i)
                    .isInstanceOf(DescriptorException.class);
        }
    }

    /** S1.4: random bytes are a DescriptorException. */
    @Rule("S1.4")
    @Test
    void noiseIsNoDescriptor() {
        var random = Seed.randomFor("noise");

        for (int i = 0; i < 2000; i++) {
            byte[] noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            assertThatThrownBy(() -> SegmentDescriptor.fromBytes(noise)).isInstanceOf(DescriptorException.class);
            assertThatThrownBy(() -> JettyDescriptor.fromBytes(noise)).isInstanceOf(DescriptorException.class);
            String text = new String(noise, StandardCharsets.ISO_8859_1);
            assertThatThrownBy(() -> SharedSegment.parse(text)).isInstanceOf(DescriptorException.class);
        }
    }

    /** S1.5: no descriptor of an earlier life of a home is valid for its successor. */
    @Rule({"S1.5", "S12.5"})
    @Test
    void descriptorOfAnEarlierLifeIsNotValidForTheNext() {
        Assumptions.assumeTrue(topology() != Topology.LOOPBACK, "the initiator would be closed with its home");
        var before = pair.home().segment(4096, Access.READ).shared();
        var context = pair.initiator().context();
        pair.home().reopen();
        var after = pair.home().segment(4096, Access.READ).shared();
        var noLongWait = ContextOptions.DEFAULT.withImportTimeout(Patience.stretched(Duration.ofSeconds(1)));

        assertThat(after.descriptor().incarnation())
                .isNotEqualTo(before.descriptor().incarnation());
        try (var impatient = pair.device().openContext(0, noLongWait)) { // where nothing listens any more
            assertThatThrownBy(() -> impatient.importSegment(before))
                    .isInstanceOfSatisfying(
                            UrmaException.class,
                            e -> assertThat(e.status()).isIn(UrmaStatus.ENOPERM, UrmaStatus.ETIMEOUT));
        }
        assertThat(context.importSegment(after).isRevoked()).isFalse();
    }

    /** S1.6: a queue keeps and shows one of 16 priorities; another is refused, naming the limit. */
    @Rule({"S1.6", "S2.1"})
    @Test
    void priorityIsOneOfSixteen() {
        var context = pair.initiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);

        for (int priority = 0; priority < 16; priority++) {
            var jfs = context.createJfs(
                    jfc, JfsConfig.builder().priority(priority).build());
            assertThat(jfs.priority()).isEqualTo(priority);
            jfs.close();
        }
        for (int priority : new int[] {-1, 16}) {
            var config = JfsConfig.builder().priority(priority).build();
            assertRefused(UrmaStatus.EINVAL, () -> context.createJfs(jfc, config))
                    .hasMessageContaining("priority")
                    .hasMessageContaining(Integer.toString(priority))
                    .hasMessageContaining("…15");
        }
    }

    /** S1.5, S12.5: a descriptor that differs in the incarnation alone, as of another life, is refused. */
    @Rule({"S1.5", "S12.5"})
    @Test
    void incarnationAloneMakesAnotherHome() {
        var context = pair.initiator().context();
        var segment = pair.home().segment(4096, Access.READ).shared();
        var jetty = pair.home().receiver().shared();
        SegmentDescriptor there = segment.descriptor();
        var otherSegment = new SegmentDescriptor(
                there.eid(),
                there.uasid(),
                there.incarnation() + 1,
                there.tokenId(),
                there.lengthBytes(),
                there.access(),
                there.policy(),
                there.capabilities(),
                there.endpoints());
        JettyDescriptor queue = jetty.descriptor();
        var otherJetty = new JettyDescriptor(
                queue.id(),
                queue.kind(),
                queue.incarnation() + 1,
                queue.mode(),
                queue.orderType(),
                queue.policy(),
                queue.endpoints());

        for (boolean known : new boolean[] {false, true}) {
            assertThatThrownBy(() -> context.importSegment(otherSegment, segment.token()))
                    .as("segment, home known: " + known)
                    .isInstanceOfSatisfying(UrmaException.class, IdentitiesContract::assertNobodyThere);
            assertThatThrownBy(() -> context.importJetty(otherJetty, jetty.token()))
                    .as("JFR, home known: " + known)
                    .isInstanceOfSatisfying(UrmaException.class, IdentitiesContract::assertNobodyThere);
            assertThat(context.importSegment(segment).isRevoked()).isFalse();
        }
    }

    private static void assertNobodyThere(UrmaException refusal) {
        assertThat(refusal.status()).as(refusal.toString()).isIn(UrmaStatus.ENOPERM, UrmaStatus.ETIMEOUT);
    }

    /** S2.1: a failed call names argument, value and limit. */
    @Rule("S2.1")
    @Test
    void failedCallNamesArgumentValueAndLimit() {
        var context = pair.initiator().context();
        int limit = pair.device().attributes().limits().jfsDepth();
        var tooDeep = JfsConfig.builder().depth(limit + 1).build();

        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> context.createJfs(pair.initiator().queue().jfc(), tooDeep))
                .hasMessageContaining("depth")
                .hasMessageContaining(Integer.toString(limit + 1))
                .hasMessageContaining("…" + limit)
                .extracting(UrmaException::object)
                .isEqualTo(context.toString());
    }

    /** S2.2: a failed call changes nothing: it creates no object, and leaves no reference. */
    @Rule("S2.2")
    @Test
    void failedCallLeavesNoReferenceBehind() {
        var context = pair.initiator().context();
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        var taken = JfsConfig.builder().id(pair.initiator().queue().jfs().id()).build();

        assertRefused(UrmaStatus.EEXIST, () -> context.createJfs(jfc, taken));

        jfc.close(); // EAGAIN if the failed queue still held it
        assertRefused(UrmaStatus.EAGAIN, context::closeIfUnused).message().doesNotContain(jfc.toString());
    }
}
