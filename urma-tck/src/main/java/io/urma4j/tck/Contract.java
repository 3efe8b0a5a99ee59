package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * What all contracts begin with: a {@link Pair} in each topology that the suite asks for. {@link Conformance} has a nested
 * subclass for each contract.
 */
@ParameterizedClass(allowZeroInvocations = true) // a sample leaves contracts out
@ArgumentsSource(TopologiesOfSuite.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EndsWithin(seconds = 60)
@ExtendWith(Contract.SharesTheHomeProcess.class)
@ExtendWith(Contract.SaysHowToReplay.class)
public abstract class Contract {
    private final String device;

    @Parameter
    @SuppressWarnings("NullAway.Init") // JUnit injects it
    Topology topology;

    @SuppressWarnings("NullAway.Init") // its extension injects it
    HomeProcess homeProcess;

    Pair pair;

    Contract(String device) {
        this.device = device;
    }

    @BeforeEach
    void openPair() {
        pair = Pair.open(device, topology, homeProcess::opener, opensDeviceMemory(), hasSlowDevices());
    }

    /** Whether the initiator opens device memory of homes that share it, instead of asking them for copies. */
    boolean opensDeviceMemory() {
        return false;
    }

    /** Whether simulated devices of the initiator copy so slowly that a test comes between. */
    boolean hasSlowDevices() {
        return false;
    }

    @AfterEach
    void closePair() {
        try {
            pair.close();
            assertThat(pair.leftovers()).as("files that closing left behind").isEmpty();
        } catch (RuntimeException | AssertionError e) {
            DriverProcess process = homeProcess.process();
            boolean killed = process != null && process.wasKilled();
            homeProcess.close(); // it is in an unknown state
            if (!(killed && e instanceof DriverProcess.PeerGoneException)) {
                throw e;
            }
        }
    }

    Topology topology() {
        return topology;
    }

    /** The home's process, in the topology that has one. */
    DriverProcess processOfHome() {
        DriverProcess process = homeProcess.process();
        if (process == null) {
            throw new IllegalStateException("in topology " + topology + " the home is no process of its own");
        }
        return process;
    }

    String deviceName() {
        return device;
    }

    /** {@code call} fails with this status; more can be asserted on its message. */
    static AbstractThrowableAssert<?, UrmaException> assertRefused(UrmaStatus status, ThrowingCallable call) {
        UrmaException refusal = catchThrowableOfType(UrmaException.class, call);
        assertThat(refusal).as("refusal with " + status).isNotNull();
        assertThat(refusal.status()).as(refusal.toString()).isEqualTo(status);
        return assertThat(refusal);
    }

    /** Gives each contract the process of its run, which JUnit closes. */
    static final class SharesTheHomeProcess implements TestInstancePostProcessor {
        private static final ExtensionContext.Namespace OURS = ExtensionContext.Namespace.create(HomeProcess.class);

        @Override
        public void postProcessTestInstance(Object contract, ExtensionContext context) {
            ((Contract) contract).homeProcess = context.getRoot()
                    .getStore(OURS)
                    .computeIfAbsent(HomeProcess.class, key -> new HomeProcess(), HomeProcess.class);
        }
    }

    /** Prints the seed with each failure. */
    static final class SaysHowToReplay implements TestWatcher {
        @Override
        public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
            System.err.println(context.getRequiredTestClass().getSimpleName() + "." + context.getDisplayName()
                    + " failed; " + Seed.replayLine());
        }
    }
}
