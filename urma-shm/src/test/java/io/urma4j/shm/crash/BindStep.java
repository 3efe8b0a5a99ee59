package io.urma4j.shm.crash;

import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.TransportMode;

/** Binds a Jetty to one of the home's, and unbinds it. */
final class BindStep implements Trouble.Step {
    @Override
    public void run(Trouble trouble, long round) {
        var context = trouble.context;
        try (var target = context.importJetty(trouble.connected);
                var jfc = context.createJfc(JfcConfig.DEFAULT);
                var jfr = context.createJfr(
                        jfc, JfrConfig.builder().mode(TransportMode.RC).build());
                var jetty = context.createJetty(
                        jfc, jfr, JfsConfig.builder().mode(TransportMode.RC).build())) {
            trouble.imports.incrementAndGet();
            jetty.bind(target);
            jetty.unbind();
        }
    }
}
