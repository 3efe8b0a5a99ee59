package io.urma4j.shm.control;

/**
 * The identity of a peer context.
 *
 * @param address name of its socket in the runtime directory, never reused
 * @param incarnation of the context (S1.5)
 */
public record PeerId(String address, long incarnation) {}
