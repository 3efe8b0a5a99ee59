import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.tools.ProducerPerformance;

/** Sends records to a broker, reads them, and verifies their bytes and their order; then runs Kafka's own load. */
final class KafkaCalls {
    private static final int RECORDS = 20_000;
    private static final int RECORD_BYTES = 1_000;
    private static final int LOAD = 100_000; // records

    public static void main(String[] arguments) throws Exception {
        String broker = "127.0.0.1:" + arguments[0];
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker, "default.api.timeout.ms", "60000"))) {
            admin.createTopics(List.of(new NewTopic("verified", 1, (short) 1), new NewTopic("load", 1, (short) 1)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
        long sent = send(broker);
        long received = receive(broker);
        if (sent != received) {
            throw new AssertionError("records differ: " + Long.toHexString(sent) + ", " + Long.toHexString(received));
        }
        ProducerPerformance.main(new String[] {
            "--topic", "load", "--num-records", String.valueOf(LOAD), "--record-size", String.valueOf(RECORD_BYTES),
            "--throughput", "-1", "--producer-props", "bootstrap.servers=" + broker
        });
        System.out.println(RECORDS + " records verified");
        System.exit(0);
    }

    private static long send(String broker) {
        CRC32C all = new CRC32C();
        Random random = new Random(1);
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                byte[] value = new byte[RECORD_BYTES];
                random.nextBytes(value);
                all.update(value);
                producer.send(new ProducerRecord<>("verified", value));
            }
        }
        return all.getValue();
    }

    private static long receive(String broker) {
        CRC32C all = new CRC32C();
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker, "group.id", "calls", "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(List.of("verified"));
            int count = 0;
            for (long end = System.nanoTime() + 60_000_000_000L; count < RECORDS && System.nanoTime() - end < 0; ) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
                    all.update(record.value());
                    count++;
                }
            }
        }
        return all.getValue();
    }
}
