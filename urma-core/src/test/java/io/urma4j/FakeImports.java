package io.urma4j;

import java.util.Collections;

/** Imported segments of no device, for tests outside of this package. */
public final class FakeImports {
    private FakeImports() {}

    /** How many a context has made. */
    public static int made(UrmaContext context) {
        return FakeContext.of(context).imports.size();
    }

    /** How many of them are not closed. */
    public static int open(UrmaContext context) {
        return Collections.frequency(FakeContext.of(context).open, "import");
    }

    /** Refuses the next window of a context. */
    public static void refuseNextWindow(UrmaContext context, UrmaException refusal) {
        FakeContext.of(context).windowRefusals.add(refusal);
    }

    /** Has homes revoke the next windows of a context before they are opened. */
    public static void takeBackNextWindows(UrmaContext context, boolean whether) {
        FakeContext.of(context).takesWindowsBack = whether;
    }

    /** Has the home revoke the last import just before the nth look from now on, whether it did. */
    public static void revokeAtLook(UrmaContext context, int look) {
        FakeContext.FakeImport last = FakeContext.of(context).imports.getLast();
        last.revokedAtLook = last.looks.get() + look;
    }
}
