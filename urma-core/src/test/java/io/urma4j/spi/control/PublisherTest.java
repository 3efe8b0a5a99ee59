package io.urma4j.spi.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.Refused;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PublisherTest {
    private static final long RETRY_NANOS = 5_000_000;

    private final Home home = new Home();
    private final Set<String> files = new HashSet<>();
    private final Publisher publisher = new Publisher(home, this::take);
    private final ExportedSegment<Home.Grant> segment =
            home.segment(2000, 5, Access.READ_WRITE, TokenPolicy.PLAIN_TEXT);

    private Optional<Runnable> take(String name, int tokenId) {
        if (name.contains("/")) {
            throw new IllegalArgumentException("no name of a file");
        }
        return files.add(name) ? Optional.of(() -> files.remove(name)) : Optional.empty();
    }

    private static UrmaStatus failure(CompletableFuture<Void> published) {
        return ((UrmaException) published.exceptionNow()).status();
    }

    @Test
    void aLookupOfItsNameGivesTheSegment() {
        assertThat(publisher.publish(segment, "orders", true)).isCompleted();
        var _ = publisher.publish(segment, "prices", false);

        assertThat(publisher.lookedUp(9, new Lookup(1, "orders", true))).isInstanceOfSatisfying(Named.class, named -> {
            assertThat(named.request()).isEqualTo(9);
            assertThat(named.tokenId()).isEqualTo(2000);
            assertThat(named.key()).isEqualTo(5);
            assertThat(named.token()).isEqualTo(Home.TOKEN);
        });
        assertThat(((Named) publisher.lookedUp(9, new Lookup(1, "orders", false))).token())
                .isNull();
        assertThat(((Named) publisher.lookedUp(9, new Lookup(1, "prices", true))).token())
                .isNull();
    }

    @Test
    void namesEndWithTheirSegment() {
        var other = home.segment(2001, 6, Access.READ, TokenPolicy.NONE);
        var _ = publisher.publish(segment, "orders", false);
        var _ = publisher.publish(other, "prices", false);

        publisher.unpublish(segment);

        assertThat(files).containsExactly("prices");
        assertThat(publisher.lookedUp(9, new Lookup(1, "orders", false))).isInstanceOf(Refused.class);
        assertThat(publisher.lookedUp(9, new Lookup(1, "prices", false))).isInstanceOf(Named.class);
    }

    /** The segment is revoked afterwards, whatever the file system answers. */
    @Test
    void aNameThatCannotBeFreedKeepsNoOther() {
        Publisher stubborn = new Publisher(
                home,
                (name, _) -> Optional.of(() -> {
                    files.remove(name);
                    throw new IllegalStateException(name + " cannot be removed");
                }));
        files.addAll(Set.of("orders", "prices"));
        var _ = stubborn.publish(segment, "orders", false);
        var _ = stubborn.publish(segment, "prices", false);

        stubborn.unpublish(segment);

        assertThat(files).isEmpty();
        assertThat(stubborn.lookedUp(9, new Lookup(1, "orders", false))).isInstanceOf(Refused.class);
    }

    @Test
    void aNameThatIsTakenIsTriedAgainForAMoment() {
        files.add("orders");
        files.add("prices");
        var freed = publisher.publish(segment, "orders", false);
        var taken = publisher.publish(segment, "prices", false);

        home.pass(RETRY_NANOS);
        files.remove("orders");
        home.pass(RETRY_NANOS);
        assertThat(freed).isCompleted();
        home.pass(RETRY_NANOS);
        assertThat(taken).isNotDone();
        home.pass(RETRY_NANOS);

        assertThat(failure(taken)).isEqualTo(UrmaStatus.EEXIST);
    }

    @Test
    void whatCannotBeImportedHasNoName() {
        var local = home.segment(2001, 6, Access.LOCAL_ONLY, TokenPolicy.PLAIN_TEXT);
        segment.markRevoked();

        assertThat(failure(publisher.publish(local, "orders", false))).isEqualTo(UrmaStatus.EINVAL);
        assertThat(failure(publisher.publish(segment, "orders", false))).isEqualTo(UrmaStatus.EINVAL);
        assertThat(failure(publisher.publish(home.onDevice(2002, 7), "orders", false)))
                .isEqualTo(UrmaStatus.EINVAL);
        assertThat(files).isEmpty();
    }

    @Test
    void aNameThatIsNoFileIsInvalid() {
        assertThat(failure(publisher.publish(segment, "a/b", false))).isEqualTo(UrmaStatus.EINVAL);
    }
}
