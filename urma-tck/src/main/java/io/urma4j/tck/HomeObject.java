package io.urma4j.tck;

/**
 * An object of the home that a test calls. If the home is a separate process, the test holds a proxy, which forwards
 * each call. So arguments and results are values of {@link Wire}, or again such objects.
 */
public interface HomeObject {}
