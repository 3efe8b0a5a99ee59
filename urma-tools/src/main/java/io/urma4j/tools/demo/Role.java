package io.urma4j.tools.demo;

import io.urma4j.tools.Line;
import java.io.IOException;

/** The role of a process of the demo: its home, or one of its initiators. */
sealed interface Role permits Home, Initiator {
    /** The answer to the first request: how others reach it. */
    Line greeting();

    /** Answers a request of the leader; an exception that it throws is an answer, too. */
    Line answer(Line request) throws IOException, InterruptedException;
}
