package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static io.urma4j.FakeHome.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Membership of a group. */
class JettyGroupTest {
    private final FakeHome home = new FakeHome();
    private final Jetty jetty = home.jetty(TransportMode.RM);
    private final JettyGroup group = group();

    @AfterEach
    void close() {
        home.close();
        assertThat(home.fake.open).as("left open in the provider").isEmpty();
    }

    private JettyGroup group() {
        return home.context.createJettyGroup(
                JettyGroupConfig.builder().token(jetty.token()).build());
    }

    @Test
    void aJettyIsAMemberOfOneGroup() {
        group.add(jetty);
        assertThat(group.members()).containsExactly(jetty);
        assertInvalid(() -> group().add(jetty)).withMessageContaining("already a member of " + group);
        group.remove(jetty);
        assertThat(group.members()).isEmpty();
        assertInvalid(() -> group.remove(jetty)).withMessageContaining("is no member");
    }

    @Test
    void aJettyThatTheProviderRefusesIsNoMember() {
        home.fake.memberRefusals.add(new UrmaException(UrmaStatus.ENOMEM, group, "has no room"));

        assertRefused(UrmaStatus.ENOMEM, () -> group.add(jetty));

        assertThat(group.members()).isEmpty();
        group().add(jetty); // it may join another
        group.close();
    }
}
