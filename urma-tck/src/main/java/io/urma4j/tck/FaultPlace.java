package io.urma4j.tck;

/**
 * A step at which a process can be killed or stopped: the entry of a method.
 *
 * @param name of the step, by which {@link FaultPoints} knows it
 * @param internalClass with slashes, such as {@code io/urma4j/Urma}
 * @param method each of this name in the class
 */
public record FaultPlace(String name, String internalClass, String method) {}
