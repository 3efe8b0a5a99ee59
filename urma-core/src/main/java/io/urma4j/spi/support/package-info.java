/**
 * Code shared by the providers of urma4j: id spaces, spin locks, and the order of a send queue. Exported only to their modules.
 *
 * <p>Of the order, start with {@link io.urma4j.spi.support.SendOrder}; then {@link io.urma4j.spi.support.SendActions}, which a
 * provider implements, and {@link io.urma4j.spi.support.SendEntry}, which it fills.
 */
package io.urma4j.spi.support;
