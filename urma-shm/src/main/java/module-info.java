/** The shared-memory provider: found through the SPI, so it exports nothing. */
module io.urma4j.shm {
    requires io.urma4j.core;
    requires io.urma4j.libc;
    // only annotations: JSpecify is not needed at run time
    requires static org.jspecify;

    provides io.urma4j.spi.UrmaProvider with
            io.urma4j.shm.ShmProvider;
}
