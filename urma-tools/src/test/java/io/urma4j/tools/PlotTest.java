package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

class PlotTest {
    private static int circles(String svg) throws Exception {
        var document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
        assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
        return document.getElementsByTagName("circle").getLength();
    }

    @Test
    void eachPointIsDrawnOnceInWellFormedXml() throws Exception {
        var points = List.of(new Plot.Point(2, 0.5), new Plot.Point(4096, 3), new Plot.Point(8 << 20, 900));

        String svg = new Plot("a <b> & c", "µs").line("median", points).svg();

        assertThat(circles(svg)).isEqualTo(3);
        assertThat(svg).doesNotContain("NaN").doesNotContain("Infinity");
    }

    @Test
    void whatHasNoLogarithmIsLeftOut() throws Exception {
        var points = List.of(new Plot.Point(8, 0), new Plot.Point(16, 1));

        assertThat(circles(new Plot("x", "µs").line("a", points).svg())).isEqualTo(1);
        assertThat(circles(new Plot("x", "µs").line("a", List.of()).svg())).isZero();
    }
}
