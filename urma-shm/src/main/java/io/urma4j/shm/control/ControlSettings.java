package io.urma4j.shm.control;

import io.urma4j.ContextOptions;

/**
 * How a control plane behaves.
 *
 * @param context what the application chose
 * @param ringBytes size of the message rings; all contexts of a version have the same
 * @param greetingNanos within which those who connect must greet
 * @param trustsHugePages whether segments on pages of the machine's pool are mapped
 * @param limits how many peers there may be
 */
record ControlSettings(
        ContextOptions context, long ringBytes, long greetingNanos, boolean trustsHugePages, PeerLimits limits) {}
