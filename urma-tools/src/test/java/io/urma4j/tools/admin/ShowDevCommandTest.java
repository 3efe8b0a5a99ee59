package io.urma4j.tools.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShowDevCommandTest {
    private static ContextView contextWith(Resource... resources) {
        return new ContextView(7, 1, "pid 17", List.of(resources), "");
    }

    @Test
    void aPortIsChosenByItsNumberAndNotByItsFirstCounter() {
        Resource drops = Resource.builder(Kind.DROPS, 1).add("drop_peers", 5).build();

        assertThat(ShowDevCommand.only(contextWith(drops), 1).resources()).containsExactly(drops);
        assertThat(ShowDevCommand.only(contextWith(drops), 5).resources()).isEmpty();
    }

    @Test
    void aSegmentIsChosenByItsTokenId() {
        Resource segment = Resource.builder(Kind.SEG, 7).add("token_id", 513).build();

        assertThat(ShowDevCommand.only(contextWith(segment), 513).resources()).containsExactly(segment);
        assertThat(ShowDevCommand.only(contextWith(segment), 7).resources()).isEmpty();
    }

    @Test
    void aQueueIsChosenByItsId() {
        Resource one = Resource.builder(Kind.JFS, 1027).add("jfs_id", 1027).build();
        Resource another = Resource.builder(Kind.JFS, 5).add("jfs_id", 5).build();

        assertThat(ShowDevCommand.only(contextWith(one, another), 1027).resources())
                .containsExactly(one);
    }
}
