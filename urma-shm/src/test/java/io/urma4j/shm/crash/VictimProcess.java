package io.urma4j.shm.crash;

import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.nio.file.Path;

/** The victim in its own process; {@code TckDriver} makes it by its name. */
final class VictimProcess implements Victim {
    private Urma urma;
    private UrmaContext context;

    @Override
    public void open(String runtimeDirectory) {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(Path.of(runtimeDirectory)));
        context = urma.device("shm0").openContext();
    }

    @Override
    public Doors beHome(String name, long revokeEveryMicros) {
        var home = new BusyHome(context, name, revokeEveryMicros);
        return new Doors(home.jetty(), home.connected());
    }

    @Override
    public void troubleHome(String name, Doors doors) {
        new Trouble(context, name, doors.jetty(), doors.connected());
    }

    @Override
    public void beginToClose() {
        Thread.ofPlatform().daemon().start(urma::close);
    }
}
