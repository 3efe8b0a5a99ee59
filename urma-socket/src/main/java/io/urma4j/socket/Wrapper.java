package io.urma4j.socket;

/** A channel of ours around one of the JDK. */
interface Wrapper {
    Delegate delegate();
}
