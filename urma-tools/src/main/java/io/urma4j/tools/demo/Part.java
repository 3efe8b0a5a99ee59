package io.urma4j.tools.demo;

import io.urma4j.tools.Line;
import io.urma4j.tools.MemoryChoice;
import io.urma4j.tools.Session;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A process of the demo: the first request sets its role, it serves the others, and then closes. */
final class Part implements AutoCloseable {
    /** Makes the role from the first request. */
    interface Opening {
        Role open(Session session, Leader leader, Line request);
    }

    private final Leader leader;
    private final Opening opening;
    private @Nullable Session session;
    private @Nullable Role role;

    private Part(Leader leader, Opening opening) {
        this.leader = leader;
        this.opening = opening;
    }

    /** Serves until the leader sends no more; returns the exit code. */
    static int run(Opening opening) {
        Leader leader = Leader.onStdin();
        try (Part part = new Part(leader, opening)) {
            leader.serve(part::answer);
            return 0;
        } catch (InterruptedException e) {
            return 1; // Ctrl-C reaches all processes of the demo, but only the leader reports it
        }
    }

    private Line answer(Line request) throws IOException, InterruptedException {
        if (session == null) {
            MemoryChoice memory = MemoryChoice.parse(request.values().getOrDefault("memory", "host"));
            session = Session.open(request.text("device"), 0, memory);
        }
        if (role == null) {
            role = opening.open(session, leader, request);
            return role.greeting();
        }
        return role.answer(request);
    }

    @Override
    public void close() {
        if (session != null) {
            session.close();
        }
    }
}
