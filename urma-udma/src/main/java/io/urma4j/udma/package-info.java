/**
 * The network provider: RoCEv2 over UDP. Here is only what the urma command must see: how an RC Jetty is told to a peer
 * that is not urma4j.
 */
@NullMarked
package io.urma4j.udma;

import org.jspecify.annotations.NullMarked;
