package io.urma4j.libc;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import org.junit.jupiter.api.Test;

class PlatformTest {
    @Test
    void knowsTwoArchitecturesOfLinux() {
        assertThat(Platform.of("Linux", "amd64", LITTLE_ENDIAN)).contains(Platform.LINUX_X86_64);
        assertThat(Platform.of("Linux", "aarch64", LITTLE_ENDIAN)).contains(Platform.LINUX_AARCH64);
        assertThat(Platform.of("Linux", "riscv64", LITTLE_ENDIAN)).isEmpty();
        assertThat(Platform.of("Linux", "aarch64", BIG_ENDIAN)).isEmpty();
        assertThat(Platform.of("Mac OS X", "aarch64", LITTLE_ENDIAN)).isEmpty();
    }

    @Test
    void refusalTellsWhatIsNeededAndWhatIsThere() {
        assertThat(Platform.refusal())
                .startsWith("shared memory needs Linux on x86_64 or aarch64")
                .endsWith("this is " + System.getProperty("os.name") + " on " + System.getProperty("os.arch"));
    }

    @Test
    void refusingHandleThrowsWhenCalledAndNotBefore() {
        MethodHandle handle = Linkage.refusing(MethodType.methodType(int.class, long.class), "not here");

        assertThatThrownBy(() -> {
                    var _ = (int) handle.invokeExact(7L);
                })
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("not here");
    }

    @Test
    void functionThatLibcLacksIsRefusedByName() {
        MethodHandle handle = Linkage.bindCritical("no_such_call", FunctionDescriptor.of(ValueLayout.JAVA_INT));

        assertThatThrownBy(() -> {
                    var _ = (int) handle.invokeExact();
                })
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("the libc of this machine has no function 'no_such_call'");
    }
}
