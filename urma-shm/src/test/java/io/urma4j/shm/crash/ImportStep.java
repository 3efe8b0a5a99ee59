package io.urma4j.shm.crash;

/** Imports the home's segment, checks that it is there, and releases it, as fast as possible. */
final class ImportStep implements Trouble.Step {
    @Override
    public void run(Trouble trouble, long round) {
        try (var remote = trouble.context.importSegment(trouble.context.lookup(trouble.name))) {
            if (remote.lengthBytes() < OneSidedStep.AREA) {
                trouble.wrong("a segment of " + remote.lengthBytes() + " bytes was imported");
            }
            trouble.imports.incrementAndGet();
        }
    }
}
