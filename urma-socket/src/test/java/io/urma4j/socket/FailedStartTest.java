package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImplFactory;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What each call throws in a process that cannot begin, and what is left then; a process has one provider and two factories. */
@Timeout(120)
class FailedStartTest {
    private static final String MODE = "urma.socket.mode";
    private static final String IMPOSSIBLE = "-D" + MODE + "=foo";
    private static final String REFUSED =
            "java.lang.IllegalArgumentException: " + IMPOSSIBLE.replace("=", " is ") + ", must be tcp, auto or require";
    private static final String EXPORT = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";
    private static final String OUR_PROVIDER =
            "-Djava.nio.channels.spi.SelectorProvider=" + UrmaSelectorProvider.class.getName();
    private static final String FOREIGN = "test.foreign";

    /** Makes each call twice, and once more after the mode was unset, and prints a line for each; then which class has a factory. */
    static final class Starts {
        public static void main(String[] arguments) throws IOException {
            if (System.getProperty(FOREIGN) != null) {
                setServer(UnusedSocketImpl::new);
            }
            for (int i = 0; i < 2; i++) {
                tell("new", UrmaSelectorProvider::new);
                tell("install", UrmaSockets::install);
            }
            tell("process", SelectorProvider::provider);
            tell("Socket without a factory", () -> setClient(null));
            System.clearProperty(MODE);
            tell("new again", UrmaSelectorProvider::new);
            tell("install again", UrmaSockets::install);
            tell("Socket still without one", () -> setClient(null));
        }

        private static void tell(String name, Background.Action action) {
            try {
                action.run();
                System.out.println(name + ": done");
            } catch (ServiceConfigurationError e) {
                System.out.println(name + ": " + e.getClass().getName() + " by "
                        + e.getCause().getCause());
            } catch (Exception | LinkageError e) {
                System.out.println(name + ": " + e);
            }
        }

        @SuppressWarnings("deprecation") // as a program that has a factory of its own
        private static void setServer(SocketImplFactory factory) throws IOException {
            ServerSocket.setSocketFactory(factory);
        }

        @SuppressWarnings("deprecation") // as above
        private static void setClient(SocketImplFactory factory) throws IOException {
            Socket.setSocketImplFactory(factory);
        }
    }

    @TempDir
    private Path directory;

    private String[] linesOf(String... options) throws Exception {
        Ended ended = Ended.java(Starts.class, directory, options);
        assertThat(ended.code()).as(ended.output()).isZero();
        return ended.output().split("\n");
    }

    @Test
    void eachCallRefusesAnImpossibleSettingAlike() throws Exception {
        assertThat(linesOf(IMPOSSIBLE))
                .containsExactly(
                        "new: " + REFUSED,
                        "install: " + REFUSED,
                        "new: " + REFUSED,
                        "install: " + REFUSED,
                        "process: done",
                        "Socket without a factory: done",
                        "new again: done",
                        "install again: done",
                        "Socket still without one: java.net.SocketException: factory already defined");
    }

    @Test
    void theProviderOfTheProcessRefusesAnImpossibleSettingByAnErrorOfTheJdk() throws Exception {
        assertThat(linesOf(IMPOSSIBLE, OUR_PROVIDER, EXPORT))
                .startsWith("new: " + REFUSED, "install: " + REFUSED, "new: " + REFUSED, "install: " + REFUSED)
                .contains("process: java.util.ServiceConfigurationError by " + REFUSED, "new again: done");
    }

    @Test
    void aForeignFactoryOfListenersLeavesSocketsAsTheyWere() throws Exception {
        String refused = "java.lang.IllegalStateException: java.net.ServerSocket cannot use urma4j: the process has set"
                + " another factory of it";

        assertThat(linesOf("-D" + FOREIGN + "=true"))
                .containsExactly(
                        "new: done",
                        "install: " + refused,
                        "new: done",
                        "install: " + refused,
                        "process: done",
                        "Socket without a factory: done",
                        "new again: done",
                        "install again: " + refused,
                        "Socket still without one: done");
    }
}
