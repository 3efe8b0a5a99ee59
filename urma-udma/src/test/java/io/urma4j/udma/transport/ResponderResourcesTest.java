package io.urma4j.udma.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which READ or atomic a PSN belongs to, and which response is sent next. */
class ResponderResourcesTest {
    private final ResponderResources resources = new ResponderResources(2);

    private ResponderResource read(long psn, int packets) {
        ResponderResource resource = resources.add();
        resource.beginRead(1, 0, packets * 1024L, psn, packets, 1, 1);
        return resource;
    }

    @Test
    void aResponseHasThePsnsOfItsPackets() {
        ResponderResource read = read(10, 2);
        assertThat(resources.find(9)).isNull();
        assertThat(resources.find(10)).isSameAs(read);
        assertThat(resources.find(11)).isSameAs(read);
        assertThat(resources.find(12)).isNull();
    }

    @Test
    void theOldestPendingResponseIsNext() {
        ResponderResource one = read(10, 2);
        ResponderResource other = read(12, 2);
        assertThat(resources.hasRoom()).isFalse();
        assertThat(resources.wanted()).isSameAs(one);
        one.letGo();
        assertThat(resources.wanted()).isSameAs(other);
        assertThat(resources.hasRoom()).isTrue();
        resources.wantToo(one, 11, 12);
        assertThat(resources.wanted()).as("a part of it was lost").isSameAs(one);
    }

    @Test
    void theOldestIsEvictedByTheOneThatTakesItsPlace() {
        read(10, 2).letGo();
        ResponderResource other = read(12, 2);
        ResponderResource third = read(14, 1);
        assertThat(resources.find(10)).isNull();
        assertThat(resources.find(13)).isSameAs(other);
        assertThat(resources.find(14)).isSameAs(third);
    }

    @Test
    void nothingIsPendingOnceTheConnectionHasEnded() {
        read(10, 2);
        read(12, 2);
        resources.clear();
        assertThat(resources.wanted()).isNull();
        assertThat(resources.hasRoom()).isTrue();
    }

    @Test
    void withoutAPromiseThereIsNoPlace() {
        assertThat(new ResponderResources(0).isNone()).isTrue();
        assertThat(resources.isNone()).isFalse();
    }
}
