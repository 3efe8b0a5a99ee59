package io.urma4j.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

class ChartTest {
    private static Document drawn(String... peers) throws Exception {
        SequencedMap<String, SequencedMap<Long, Double>> values = new LinkedHashMap<>();
        for (String peer : peers) {
            values.put(peer, new LinkedHashMap<>(Map.of(8L, 1.5, 4096L, 20.0)));
        }
        String svg = Chart.svg(new Report.Drawing("shm: READ, one at a time", "µs", values));
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void eachCurveHasItsNameInItsColour() throws Exception {
        Document drawing = drawn("urma4j", "a <peer> & co");

        NodeList curves = drawing.getElementsByTagName("polyline");
        NodeList texts = drawing.getElementsByTagName("text");
        assertThat(curves.getLength()).isEqualTo(2);
        for (int i = 0; i < 2; i++) {
            var name = texts.item(texts.getLength() - 2 + i);
            assertThat(name.getTextContent()).isEqualTo(i == 0 ? "urma4j" : "a <peer> & co");
            assertThat(name.getAttributes().getNamedItem("fill").getNodeValue())
                    .isEqualTo(curves.item(i)
                            .getAttributes()
                            .getNamedItem("stroke")
                            .getNodeValue());
        }
    }

    @Test
    void unitAndTitleAreThere() throws Exception {
        assertThat(drawn("urma4j").getDocumentElement().getTextContent())
                .contains("shm: READ, one at a time", "µs", "bytes");
    }
}
