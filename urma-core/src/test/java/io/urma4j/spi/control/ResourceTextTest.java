package io.urma4j.spi.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Resource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ResourceTextTest {
    @Test
    void resourceComesBackAsItWas() {
        Resource jfc = Resource.builder(Resource.Kind.JFC, 7)
                .add("jfc_id", 7)
                .add("state", "0 [VALID]")
                .add("formula", "a=b=c")
                .add("empty", "")
                .build();

        assertThat(ResourceText.parse(Resource.Kind.JFC, ResourceText.of(jfc))).isEqualTo(jfc);
    }

    @Test
    void valueCannotPretendToBeAField() {
        Resource event = Resource.builder(Resource.Kind.EVENT, 1)
                .add("detail", "x\tstate=good\n")
                .build();

        assertThat(ResourceText.parse(Resource.Kind.EVENT, ResourceText.of(event))
                        .fields())
                .containsOnlyKeys("detail");
    }

    @Test
    void textThatWasCutLosesItsLastFieldsAlone() {
        assertThat(ResourceText.parse(Resource.Kind.SEG, "5\tlen=4096\timpor").fields())
                .containsOnlyKeys("len")
                .containsValue("4096");
        assertThatThrownBy(() -> ResourceText.parse(Resource.Kind.SEG, "\tlen=1"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void numberThatWouldBeCutIsLeftOut() {
        Resource.Builder path = Resource.builder(Resource.Kind.TP, 7);
        for (int i = 0; i < 80; i++) {
            path.add("counter" + i, 1_000_000 + i);
        }

        String text = ResourceText.of(path.build());

        assertThat(text.length()).isBetween(ControlCodec.MAX_TEXT_BYTES - 20, ControlCodec.MAX_TEXT_BYTES);
        assertThat(ResourceText.parse(Resource.Kind.TP, text).fields())
                .hasSizeBetween(45, 50)
                .allSatisfy((name, value) ->
                        assertThat(Integer.parseInt(value)).isEqualTo(1_000_000 + Integer.parseInt(name.substring(7))));
    }

    @ParameterizedTest
    @EnumSource(Resource.Kind.class)
    void everyKindHasANumber(Resource.Kind kind) {
        assertThat(ResourceText.kind(ResourceText.number(kind))).contains(kind);
        assertThat(ResourceText.kind(200)).isEmpty();
    }
}
