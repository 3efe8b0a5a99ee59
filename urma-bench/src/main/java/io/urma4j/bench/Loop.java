package io.urma4j.bench;

/** Something that is done again and again, one after the other. */
@FunctionalInterface
public interface Loop {
    /**
     * Does it so often.
     *
     * @return a value that depends on every result, so that the JIT can leave none out
     */
    long run(int operations);
}
