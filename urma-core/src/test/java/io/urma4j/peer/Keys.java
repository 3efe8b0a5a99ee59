package io.urma4j.peer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The keys of a provider that does not exist: records their calls. */
final class Keys implements RegionUser {
    final List<String> calls = Collections.synchronizedList(new ArrayList<>());

    @Override
    public void revoke(InvalidationReason reason) {
        calls.add("revoke " + reason);
    }

    @Override
    public void invalidated(InvalidationReason reason) {
        calls.add("invalidated " + reason);
    }

    @Override
    public String holder() {
        return "keys of a test";
    }
}
