/** The public API of urma4j, the SPI of providers, and the control plane that providers share. */
module io.urma4j.core {
    // annotations alone: nothing needs JSpecify at run time
    requires static org.jspecify;
}
