package io.urma4j.udma.control;

/**
 * One end of the connection of two contexts, as the other end must know it: what a greeting brings.
 *
 * @param number of the end-to-end context, that packets to this end carry
 * @param firstPsn of the requests that this end sends
 * @param mtuBytes most payload that it takes in a packet
 */
public record ConnectionEnd(int number, int firstPsn, int mtuBytes) {}
