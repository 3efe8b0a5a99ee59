package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.spi.support.BindRequests;
import io.urma4j.spi.support.BindRequests.Answer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** S5.7: which Jetty is bound to an RC Jetty, when the requests of its peers arrive in another order than they were made. */
class BindRequestsTest {
    private static final String PEER = "peer";
    private static final int ORDER = 1;
    private static final int QUEUE = 5;
    private static final int OTHER_QUEUE = 6;

    private final BindRequests<String> requests = new BindRequests<>(ORDER, _ -> false);

    @BeforeEach
    void importIt() {
        requests.imported(PEER);
    }

    private Answer bind(long number, int queue) {
        return requests.requested(PEER, number, queue, ORDER, true);
    }

    @Test
    void anUnbindFreesTheJetty() {
        assertThat(bind(1, QUEUE)).isEqualTo(Answer.BOUND);
        assertThat(bind(2, OTHER_QUEUE)).isEqualTo(Answer.TAKEN);

        requests.unrequested(PEER, 3, QUEUE);

        assertThat(bind(4, OTHER_QUEUE)).isEqualTo(Answer.BOUND);
    }

    /** It was lost and retransmitted, and its queue was bound anew meanwhile. */
    @Test
    void anUnbindDoesNotEndALaterBinding() {
        assertThat(bind(1, QUEUE)).isEqualTo(Answer.BOUND);
        assertThat(bind(3, QUEUE)).isEqualTo(Answer.BOUND);

        requests.unrequested(PEER, 2, QUEUE);

        assertThat(bind(4, OTHER_QUEUE)).isEqualTo(Answer.TAKEN);
        requests.unrequested(PEER, 5, QUEUE);
        assertThat(bind(6, OTHER_QUEUE)).isEqualTo(Answer.BOUND);
    }

    @Test
    void requestsThatAreInOrderNeedNoNumbers() {
        assertThat(bind(0, QUEUE)).isEqualTo(Answer.BOUND);

        requests.unrequested(PEER, 0, QUEUE);

        assertThat(bind(0, OTHER_QUEUE)).isEqualTo(Answer.BOUND);
    }
}
