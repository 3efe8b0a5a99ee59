package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WindowKeyTest {
    private static final WindowKey KEY = new WindowKey(Long.MAX_VALUE, 7, -3, 1L << 40, 4096, Access.READ_WRITE);

    @Test
    void comesBackAsItWas() {
        assertThat(WindowKey.parse(" " + KEY.toText() + "\n")).isEqualTo(KEY);
    }

    @Test
    void anyOtherCharacterIsNoticed() {
        String text = KEY.toText();
        for (int i = 0; i < text.length(); i++) {
            char other = text.charAt(i) == 'A' ? 'B' : 'A';
            String changed = text.substring(0, i) + other + text.substring(i + 1);
            assertThatThrownBy(() -> WindowKey.parse(changed)).isInstanceOf(DescriptorException.class);
            String cut = text.substring(0, i);
            assertThatThrownBy(() -> WindowKey.parse(cut)).isInstanceOf(DescriptorException.class);
        }
    }
}
