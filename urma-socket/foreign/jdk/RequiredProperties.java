import java.util.Map;
import java.util.concurrent.Callable;

/** What jtreg tells tests of the JVM, for their {@code @requires}. */
public final class RequiredProperties implements Callable<Map<String, String>> {
    @Override
    public Map<String, String> call() {
        return Map.of("vm.graal.enabled", "false", "vm.flagless", "true");
    }
}
