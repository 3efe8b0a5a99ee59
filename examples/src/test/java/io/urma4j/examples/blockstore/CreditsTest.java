package io.urma4j.examples.blockstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import io.urma4j.JettyId;
import org.junit.jupiter.api.Test;

class CreditsTest {
    private final Credits credits = new Credits(2);
    private final JettyId client = new JettyId(Eid.parse("::1"), 7, 1);
    private final JettyId again = new JettyId(Eid.parse("::1"), 7, 2); // another Jetty of the process
    private final JettyId other = new JettyId(Eid.parse("::1"), 8, 1);

    @Test
    void aNewSessionBringsNoFreshCredits() {
        credits.open(client);
        assertThat(credits.begin(client)).isTrue();
        assertThat(credits.begin(client)).isTrue();
        assertThat(credits.begin(client)).isFalse();

        credits.close(client);
        credits.open(again);

        assertThat(credits.begin(again)).isFalse();
        credits.end(client); // of the session before
        assertThat(credits.begin(again)).isTrue();
    }

    @Test
    void clientsDoNotShareCredits() {
        credits.open(client);
        credits.open(other);
        assertThat(credits.begin(client)).isTrue();
        assertThat(credits.begin(client)).isTrue();
        assertThat(credits.begin(other)).isTrue();
    }

    @Test
    void nothingIsRememberedOfAClientThatIsGone() {
        credits.open(client);
        assertThat(credits.begin(client)).isTrue();
        credits.close(client);
        assertThat(credits.clients()).isOne();
        credits.end(client);
        assertThat(credits.clients()).isZero();
        assertThat(credits.begin(client)).as("a request without a session").isFalse();
    }
}
