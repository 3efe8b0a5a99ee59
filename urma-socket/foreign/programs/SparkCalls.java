import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** The driver of Spark: sorts 1 GB by a shuffle over all executors, and compares order, count and sum before and after. */
public final class SparkCalls {
    private static final int PARTITIONS = 16;
    private static final int RECORDS = 655_360; // of a partition
    private static final int RECORD_BYTES = 100;

    private SparkCalls() {}

    /** With the master's URL and the jar of this class. */
    public static void main(String[] arguments) {
        SparkConf configuration = new SparkConf()
                .setMaster(arguments[0])
                .setAppName("sort")
                .setJars(new String[] {arguments[1]})
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.ui.enabled", "false")
                .set("spark.cores.max", "2")
                .set("spark.executor.cores", "1")
                .set("spark.executor.memory", "1g");
        List<Integer> seeds = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            seeds.add(i);
        }
        try (JavaSparkContext spark = new JavaSparkContext(configuration)) {
            JavaPairRDD<Long, byte[]> records =
                    spark.parallelize(seeds, PARTITIONS).flatMapToPair(seed -> records(seed).iterator());
            long before = records.map(record -> sumOf(record._1(), record._2())).reduce(Long::sum);
            List<long[]> sorted = records.sortByKey(true, PARTITIONS)
                    .mapPartitions(partition -> List.of(summary(partition)).iterator())
                    .collect();
            long count = 0;
            long after = 0;
            long last = Long.MIN_VALUE;
            for (long[] partition : sorted) {
                if (partition[0] > 0) {
                    if (partition[2] < last) {
                        throw new AssertionError("partitions are not in order");
                    }
                    last = partition[3];
                }
                count += partition[0];
                after += partition[1];
            }
            if (count != (long) PARTITIONS * RECORDS || before != after) {
                throw new AssertionError(count + " records; sums " + before + ", " + after);
            }
            System.out.println(count + " records of " + RECORD_BYTES + " bytes sorted");
        }
    }

    private static Iterable<Tuple2<Long, byte[]>> records(int seed) {
        return () -> {
            SplittableRandom random = new SplittableRandom(seed);
            return java.util.stream.IntStream.range(0, RECORDS)
                    .mapToObj(i -> {
                        byte[] bytes = new byte[RECORD_BYTES - Long.BYTES];
                        random.nextBytes(bytes);
                        return new Tuple2<>(random.nextLong(), bytes);
                    })
                    .iterator();
        };
    }

    private static long sumOf(long key, byte[] bytes) {
        long sum = key;
        for (byte one : bytes) {
            sum = 31 * sum + one;
        }
        return sum;
    }

    /** Count, sum, least and greatest key of a sorted partition. */
    private static long[] summary(java.util.Iterator<Tuple2<Long, byte[]>> partition) {
        long[] summary = new long[4];
        while (partition.hasNext()) {
            Tuple2<Long, byte[]> record = partition.next();
            if (summary[0] == 0) {
                summary[2] = record._1();
            } else if (record._1() < summary[3]) {
                throw new AssertionError("a partition is not in order");
            }
            summary[3] = record._1();
            summary[0]++;
            summary[1] += sumOf(record._1(), record._2());
        }
        return summary;
    }
}
