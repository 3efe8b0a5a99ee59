package io.urma4j.libc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ErrnoTest {
    @Test
    void constantsAgreeWithTheTable() throws IllegalAccessException {
        for (Field constant : Errno.class.getDeclaredFields()) {
            if (Modifier.isPublic(constant.getModifiers())) {
                assertThat(Errno.name(constant.getInt(null))).isEqualTo(constant.getName());
            }
        }
    }

    @Test
    void everyDocumentedNumberHasNameAndText() {
        assertThat(IntStream.rangeClosed(1, 133).filter(number -> number != 41 && number != 58))
                .allSatisfy(number -> {
                    assertThat(Errno.name(number)).startsWith("E");
                    assertThat(Errno.text(number)).isNotBlank().isNotEqualTo("Unknown error");
                });
    }

    @Test
    void unknownNumberIsToldAsItIs() {
        assertThat(Errno.describe(4711)).isEqualTo("errno 4711 (4711): Unknown error");
    }

    @Test
    void exceptionCarriesItsParts() {
        var e = new LibcException("mmap", "lengthBytes=1048576, fd=7", Errno.ENOMEM);

        assertThat(e).hasMessage("mmap(lengthBytes=1048576, fd=7) failed: ENOMEM (12): Cannot allocate memory");
        assertThat(e.call()).isEqualTo("mmap");
        assertThat(e.arguments()).isEqualTo("lengthBytes=1048576, fd=7");
        assertThat(e.errnoName()).isEqualTo("ENOMEM");
    }
}
