package io.urma4j.udma.control;

/**
 * One end of the connection of two contexts, as a greeting describes it to the other end.
 *
 * @param number of the end-to-end context, carried by packets to this end
 * @param firstPsn of the requests that this end sends
 * @param mtuBytes maximum payload of a packet to this end, one of RoCE: features of the greeting announce longer ones
 */
public record ConnectionEnd(int number, int firstPsn, int mtuBytes) {}
