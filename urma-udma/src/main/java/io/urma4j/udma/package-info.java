/**
 * The network provider: RoCEv2 over UDP. This package has only what the urma command needs: the endpoint of an RC Jetty for
 * foreign peers.
 */
@NullMarked
package io.urma4j.udma;

import org.jspecify.annotations.NullMarked;
