package io.urma4j.tools.demo;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** One of the demo's initiators: a process that the demo starts. */
@Command(name = "demo-initiator", hidden = true, description = "Internal part of 'urma demo'.")
public final class DemoInitiatorCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return Part.run((session, leader, request) -> new Initiator(session, leader, request));
    }
}
