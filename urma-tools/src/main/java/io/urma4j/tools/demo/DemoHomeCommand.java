package io.urma4j.tools.demo;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** The demo's home: a process that the demo starts. */
@Command(name = "demo-home", hidden = true, description = "Internal part of 'urma demo'.")
public final class DemoHomeCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return Part.run((session, leader, request) -> new Home(session, leader, request.number("size")));
    }
}
