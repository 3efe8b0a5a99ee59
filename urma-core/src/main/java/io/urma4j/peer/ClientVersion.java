package io.urma4j.peer;

import io.urma4j.internal.Checks;

/** The version of a client, or of one of its tables; both parts lie in 0…65535. */
public record ClientVersion(int major, int minor) {
    public ClientVersion {
        Checks.inRange("peer memory version", "major", major, 0, 0xffff);
        Checks.inRange("peer memory version", "minor", minor, 0, 0xffff);
    }

    /** Whether what was built for {@code built} can use this: the same major version, and no lower minor one. */
    public boolean isCompatibleWith(ClientVersion built) {
        return major == built.major && minor >= built.minor;
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
