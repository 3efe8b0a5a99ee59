package io.urma4j.tools.demo;

import io.urma4j.tools.Line;
import java.io.IOException;

/** What a process of the demo is: its home, or one of its initiators. */
sealed interface Role permits Home, Initiator {
    /** The answer to the request that began it: how others reach it. */
    Line greeting();

    /** Does what the leader asks; a failure it throws is the answer, too. */
    Line answer(Line request) throws IOException, InterruptedException;
}
