package io.urma4j.tck;

/**
 * Something at the home that a test talks to. When the home is a process of its own, the test holds a stand-in, and
 * each call travels; so arguments and results are values of {@link Wire}, or again such objects.
 */
public interface HomeObject {}
