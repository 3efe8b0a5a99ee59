/** {@code urma pingpong}: the other end of Linux's {@code ibv_rc_pingpong} and {@code ibv_ud_pingpong}. */
@NullMarked
package io.urma4j.tools.pingpong;

import org.jspecify.annotations.NullMarked;
