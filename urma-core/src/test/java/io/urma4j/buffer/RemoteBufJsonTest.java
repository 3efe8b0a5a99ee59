package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.DescriptorException;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;

/** S14.30: the JSON form of remote buffers. */
class RemoteBufJsonTest {
    private static final RemoteBuf ONE = RemoteBufs.one(4096, 1000);
    private static final RemoteBuf PART = RemoteBufs.two(8192, 4096).subrange(1, 9);

    private final RemoteBufCodec codec = new RemoteBufCodec();
    private final String json = codec.toJson(ONE);

    private ThrowableAssertAlternative<DescriptorException> assertThatReading(String changed) {
        return assertThatExceptionOfType(DescriptorException.class).isThrownBy(() -> codec.parseJson(changed));
    }

    @Test
    void releasedFormsStayAsTheyAre() {
        assertThat(json).isEqualTo(Golden.text("remote-buf.json"));
        assertThat(codec.toJson(PART)).isEqualTo(Golden.text("remote-buf-part.json"));
    }

    @Test
    void whatWasWrittenIsRead() {
        assertThat(codec.parseJson(Golden.text("remote-buf.json"))).isEqualTo(ONE);
        assertThat(codec.parseJson(Golden.text("remote-buf-part.json"))).isEqualTo(PART);
        assertThat(codec.parseJson(codec.toJson(PART.first(0)))).isEqualTo(PART.first(0));
    }

    /** As other writers have it: blanks, another order, unknown members, small numbers as numbers. */
    @Test
    void otherSpellingsAreRead() {
        String blanks = json.replace("{", "{ ").replace("}", "\n}\t").replace(",\"", " ,\r\n\"");
        assertThat(codec.parseJson(blanks)).isEqualTo(ONE);
        String moved = "{\"length\":1000," + json.substring(1).replace("\"length\":\"0x3e8\",", "");
        assertThat(codec.parseJson(moved)).isEqualTo(ONE);
        String more = "{\"\":[],\"more\":[1.5e-3,-0,{\"a\":null},\"\\u00e4\\n\",true,false],"
                + json.substring(1, json.length() - 1) + ",\"crit\":[\"v\",\"eid\"]}";
        assertThat(codec.parseJson(more)).isEqualTo(ONE);
    }

    @Test
    void criticalMembersMustBeKnown() {
        assertThatReading("{\"crit\":[\"expiry\"]," + json.substring(1)).withMessageContaining("'crit' names a member");
        assertThatReading("{\"crit\":\"v\"," + json.substring(1)).withMessageContaining("'crit'");
    }

    /** JSON numbers lose bits beyond 2^53. */
    @Test
    void numbersBeyond53BitsMustBeTexts() {
        assertThat(StrictJson.read("{\"a\":9007199254740991}")).containsEntry("a", (1L << 53) - 1);
        assertThat(StrictJson.read("{\"a\":9007199254740992}")).containsEntry("a", StrictJson.OTHER);
        assertThat(StrictJson.read("{\"a\":9007199254740993}")).containsEntry("a", StrictJson.OTHER);
        assertThatReading(json.replace("\"0x3e8\"", "9007199254740993")).withMessageContaining("'length'");
    }

    @Test
    void everyFlippedBitIsRefused() {
        for (String whole : List.of(json, codec.toJson(PART))) {
            for (int i = 0; i < whole.length(); i++) {
                for (int bit = 0; bit < 8; bit++) {
                    char flipped = (char) (whole.charAt(i) ^ 1 << bit);
                    String changed = whole.substring(0, i) + flipped + whole.substring(i + 1);
                    assertThatExceptionOfType(DescriptorException.class)
                            .as("bit %d of character %d", bit, i)
                            .isThrownBy(() -> codec.parseJson(changed));
                }
            }
        }
    }

    @Test
    void everyTruncationIsRefused() {
        for (int length = 0; length < json.length(); length++) {
            assertThatReading(json.substring(0, length));
        }
        assertThatReading(json + "x").withMessageContaining("expected the end");
        assertThatReading(json + json).withMessageContaining("expected the end");
    }

    @Test
    void eachMemberIsNeeded() {
        for (String name : List.of("v", "type", "eid", "uasid", "epoch", "addr", "length", "access", "mem", "offset")) {
            assertThatReading(json.replace("\"" + name + "\":", "\"x\":")).withMessageContaining("'" + name + "'");
        }
        for (String name : List.of("keys", "crc", "dev", "user", "segment", "window")) {
            assertThatReading(json.replace("\"" + name + "\":", "\"x\":")).withMessageContaining("'" + name + "'");
        }
    }

    @Test
    void changedValuesAreNamed() {
        assertThatReading(json.replace("\"1.0\"", "\"2.0\"")).withMessageContaining("'v'");
        assertThatReading(json.replace("\"uasid\":7", "\"uasid\":8")).withMessageContaining("'uasid'");
        assertThatReading(json.replace("\"0x3e8\"", "\"0x3e7\"")).withMessageContaining("'crc' is not the checksum");
        assertThatReading(json.replace("\"0x3e8\"", "\"0x3e9\"")).withMessageContaining("lie outside the windows");
        assertThatReading(json.replace("\"0x3e8\"", "\"0x03e8\"")).withMessageContaining("'length'");
        assertThatReading(json.replace("\"0x3e8\"", "\"0x3E8\"")).withMessageContaining("'length'");
        assertThatReading(json.replace("\"offset\":\"0x0\"", "\"offset\":\"0xffffffffffffffff\""))
                .withMessageContaining("lie outside");
        assertThatReading(json.replace("[\"read\",\"write\"]", "[\"read\",\"read\"]"))
                .withMessageContaining("'access'");
        assertThatReading(json.replace("\"dev\":0", "\"dev\":16")).withMessageContaining("'dev'");
        assertThatReading(json.replace("\"dev\":0", "\"dev\":1")).withMessageContaining("'crc'");
        assertThatReading(json.replace("\"keys\":[", "\"keys\":[1,")).withMessageContaining("'keys'");
        assertThatReading(json.replaceAll("\"keys\":\\[.*]", "\"keys\":[]")).withMessageContaining("windows is 0");
    }

    @Test
    void whatRfc8259LeavesOpenIsRefused() {
        assertThatReading("{\"v\":\"1.0\"," + json.substring(1)).withMessageContaining("occurs twice");
        assertThatReading("{\"a\":" + "[".repeat(8) + "]".repeat(8) + "}")
                .withMessageContaining("a depth of at most 8");
        assertThatReading(" ".repeat(17_000)).withMessageContaining("more than the limit of 16384");
        for (String wrong :
                List.of("", "[]", "{\"a\"}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":-}", "{a:1}")) {
            assertThatReading(wrong).withMessageContaining("is wrong: expected");
        }
        for (String wrong :
                List.of("{\"a\":\"\\x\"}", "{\"a\":\"\\u00g0\"}", "{\"a\":\"\n\"}", "{\"a\":tru}", "{\"a\":1,}")) {
            assertThatReading(wrong).withMessageContaining("is wrong: expected");
        }
    }

    @Test
    void garbageIsRefusedOrChangesNoValue() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            StringBuilder garbage = new StringBuilder(json);
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                int at = random.nextInt(garbage.length());
                garbage.replace(
                        at, Math.min(garbage.length(), at + random.nextInt(20)), "" + (char) random.nextInt(256));
            }
            try {
                // such as a blank between two members
                assertThat(codec.parseJson(garbage.toString())).isEqualTo(ONE);
            } catch (DescriptorException expected) {
                assertThat(expected.getMessage()).isNotBlank();
            } catch (RuntimeException e) {
                throw new AssertionError("round " + round + ", seed " + seed, e);
            }
        }
    }
}
