package io.urma4j.shm.control;

import io.urma4j.ContextOptions;

/**
 * Settings of a control plane.
 *
 * @param context the application's options
 * @param ringBytes size of the message rings; equal for all contexts of a version
 * @param greetingNanos timeout for the greeting of a connecting peer
 * @param trustsHugePages whether segments on pages of the machine's pool are mapped
 * @param limits the maximum number of peers
 */
record ControlSettings(
        ContextOptions context, long ringBytes, long greetingNanos, boolean trustsHugePages, PeerLimits limits) {}
