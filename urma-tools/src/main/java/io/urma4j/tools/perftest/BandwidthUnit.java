package io.urma4j.tools.perftest;

/** The unit in which bandwidth is printed. */
@SuppressWarnings("MemberName") // as users write them
enum BandwidthUnit {
    MB("MB/s", 1e6),
    MiB("MiB/s", 1 << 20),
    GB("GB/s", 1e9),
    GiB("GiB/s", 1 << 30),
    Gb("Gb/s", 1e9 / 8);

    private final String text;
    private final double bytes;

    BandwidthUnit(String text, double bytes) {
        this.text = text;
        this.bytes = bytes;
    }

    double of(double bytesPerSecond) {
        return bytesPerSecond / bytes;
    }

    String text() {
        return text;
    }
}
