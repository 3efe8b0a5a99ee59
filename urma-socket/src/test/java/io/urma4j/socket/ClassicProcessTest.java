package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes whose sockets are ours, since factories can be set once for each process. */
@Timeout(180)
class ClassicProcessTest {
    private static final String KEY_PASSWORD = "password";
    private static final String EXPORT = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";
    private static final String OUR_PROVIDER =
            "-Djava.nio.channels.spi.SelectorProvider=" + UrmaSelectorProvider.class.getName();

    private static final String[] ALL_WORKS = {
        "echo right",
        "subclass right",
        "tls right",
        "layered tls right",
        "http right",
        "no proxy right",
        "http proxy right",
        "socks proxy right",
        "channel right"
    };

    @TempDir
    private Path directory;

    private Ended program(String... options) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("--enable-native-access=ALL-UNNAMED");
        return Ended.java(ClassicProgram.class, directory, all.toArray(String[]::new));
    }

    /** A key store that the program trusts, too. */
    private String[] withKey(String... options) throws IOException, InterruptedException {
        Path store = directory.resolve("key.p12");
        List<String> command = new ArrayList<>(List.of(Ended.tool("keytool"), "-genkeypair", "-keyalg", "EC"));
        command.addAll(List.of("-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1,dns:localhost"));
        command.addAll(List.of("-storepass", KEY_PASSWORD, "-keystore", store.toString()));
        Ended made = Ended.of(command, directory, Map.of());
        assertThat(made.code()).as(made.output()).isZero();
        List<String> all = new ArrayList<>(List.of(options));
        for (String name : new String[] {"keyStore", "trustStore"}) {
            all.add("-Djavax.net.ssl." + name + "=" + store);
            all.add("-Djavax.net.ssl." + name + "Password=" + KEY_PASSWORD);
        }
        return all.toArray(String[]::new);
    }

    @Test
    void socketsOfTheWholeProcessGoOverRings() throws Exception {
        Ended ended =
                program(withKey("-Durma.socket.classic=true", "-Durma.socket.mode=auto", "-Durma.socket.wait=10000"));

        assertThat(ended.output()).contains(ALL_WORKS).contains("transport shm0 shm0");
        assertThat(ended.code()).isZero();
    }

    @Test
    void socketsOfTheWholeProcessGoOverTcpWithoutAMode() throws Exception {
        Ended ended = program(withKey("-Durma.socket.classic=true"));

        assertThat(ended.output()).contains(ALL_WORKS).contains("transport tcp tcp");
        assertThat(ended.code()).isZero();
    }

    @Test
    void theProviderOfTheProcessCanBeOurs() throws Exception {
        Ended ended = program(withKey(
                "-Durma.socket.classic=true",
                "-Durma.socket.mode=auto",
                "-Durma.socket.wait=10000",
                EXPORT,
                OUR_PROVIDER));

        assertThat(ended.output()).contains(ALL_WORKS).contains("transport shm0 shm0");
        assertThat(ended.code()).isZero();
    }

    @Test
    void withoutThePropertySocketsAreThoseOfTheJdk() throws Exception {
        Ended ended = program(withKey("-Durma.socket.mode=auto"));

        assertThat(ended.output()).contains(ALL_WORKS).contains("transport none none");
        assertThat(ended.code()).isZero();
    }

    @Test
    void anImpossibleValueIsNamed() throws Exception {
        Ended ended = program("-Durma.socket.classic=yes");

        assertThat(ended.output()).contains("-Durma.socket.classic is yes, must be true or false");
        assertThat(ended.code()).isNotZero();
    }

    @Test
    void aSocksProxyOfTheProcessIsNotPassedBy() throws Exception {
        Ended ended = program("-Durma.socket.classic=true", "-DsocksProxyHost=127.0.0.1");

        assertThat(ended.output()).contains("do not use the proxy of -DsocksProxyHost");
        assertThat(ended.code()).isNotZero();
    }

    @Test
    void anotherFactoryOfTheProcessIsNamed() throws Exception {
        for (String name : new String[] {"Socket", "ServerSocket"}) {
            Ended ended = program("-Durma.socket.classic=true", "-Dtest.foreign=" + name);

            assertThat(ended.output())
                    .contains("java.net." + name + " cannot use urma4j: the process has set another factory of it");
            assertThat(ended.code()).isNotZero();
        }
    }

    @Test
    void theSocketsOfChannelsAskNoFactory() throws Exception {
        for (String provider : new String[] {"-Dtest.provider=the JDK's", OUR_PROVIDER}) {
            Ended ended = program("-Dtest.foreign=refusing", EXPORT, provider);

            assertThat(ended.output()).contains("channel right");
            assertThat(ended.code()).isZero();
        }
    }
}
