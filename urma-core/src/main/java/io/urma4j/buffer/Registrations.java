package io.urma4j.buffer;

import io.urma4j.LocalSegment;
import io.urma4j.internal.ApiAccess;
import io.urma4j.spi.ProviderSegment;
import java.util.List;

/** The registrations of one memory. */
final class Registrations {
    private Registrations() {}

    /** How many unfinished work requests name the memory. */
    static int unfinished(List<LocalSegment> registrations) {
        int unfinished = 0;
        for (LocalSegment registration : registrations) {
            if (registration.revocation().isEmpty()
                    && ApiAccess.api().providerOf(registration) instanceof ProviderSegment provider) {
                unfinished += provider.unfinished();
            }
        }
        return unfinished;
    }

    /** Whether peers import the memory, or did not confirm yet that they released it. */
    static boolean areImported(List<LocalSegment> registrations) {
        for (LocalSegment registration : registrations) {
            if (ApiAccess.api().providerOf(registration) instanceof ProviderSegment provider
                    && !provider.importers().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Whether there are some, all have ended, and no peer touches the memory any more. */
    static boolean areRevoked(List<LocalSegment> registrations) {
        for (LocalSegment registration : registrations) {
            if (registration.revocation().isEmpty()) {
                return false;
            }
        }
        return !registrations.isEmpty();
    }
}
