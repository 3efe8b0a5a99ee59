package io.urma4j.tck;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Which test proves which rule of SEMANTICS.md, read from the tests themselves. */
public final class RuleIndex {
    /** All contracts, in the order of the sections that they prove. */
    public static final List<Class<? extends Contract>> CONTRACTS = List.of(
            IdentitiesContract.class,
            DevicesContract.class,
            LifecycleContract.class,
            ClosingContract.class,
            JettiesContract.class,
            NotifierContract.class,
            DatagramsContract.class,
            GroupsContract.class,
            StatesContract.class,
            SuspensionContract.class,
            QuiescenceContract.class,
            ErrorScopeContract.class,
            SegmentsContract.class,
            TokensContract.class,
            SeveralContextsContract.class,
            LinearizabilityContract.class,
            RevocationContract.class,
            MappingContract.class,
            WindowsContract.class,
            WindowsOnlyContract.class,
            WindowPostsContract.class,
            RegionsContract.class,
            WorkRequestsContract.class,
            PostingContract.class,
            CompletionsContract.class,
            EventsContract.class,
            OwnJfcContract.class,
            SignalsContract.class,
            NotReadyContract.class,
            SoakContract.class,
            LivesContract.class,
            LongReadsContract.class,
            UsersContract.class,
            RemoteMemoryContract.class,
            MessageChannelContract.class,
            PipesContract.class,
            PipeEndsContract.class,
            SleepingPipesContract.class,
            BuffersContract.class,
            PoolsContract.class,
            RegistrationCacheContract.class,
            PoolWaitersContract.class,
            ExportsContract.class,
            ExportEndsContract.class,
            TransfersContract.class,
            TransferQueuesContract.class,
            DeviceRangesContract.class,
            DeviceEventsContract.class,
            DeviceSegmentsContract.class,
            CopiesInProgressContract.class,
            GivenUpCopiesContract.class,
            DeviceSegmentEndsContract.class,
            OpenedSegmentsContract.class,
            PreparedTransferContract.class,
            TransferNoticesContract.class,
            PreparedTransferEndsContract.class);

    private static final Pattern ID = Pattern.compile("S(\\d+)\\.(\\d+)");

    private final NavigableMap<String, List<String>> testsByRule;

    private RuleIndex(NavigableMap<String, List<String>> testsByRule) {
        this.testsByRule = testsByRule;
    }

    /** Reads the annotations of these classes' tests. */
    public static RuleIndex of(List<? extends Class<?>> classes) {
        NavigableMap<String, List<String>> index = new TreeMap<>(Comparator.comparingInt(RuleIndex::order));
        for (Class<?> type : classes) {
            for (Method method : type.getDeclaredMethods()) {
                Rule rules = method.getAnnotation(Rule.class);
                if (rules != null) {
                    for (String rule : rules.value()) {
                        index.computeIfAbsent(rule, any -> new ArrayList<>())
                                .add(type.getSimpleName() + "." + method.getName());
                    }
                }
            }
        }
        index.values().forEach(tests -> tests.sort(Comparator.naturalOrder()));
        return new RuleIndex(index);
    }

    /** Section times thousand plus number. */
    private static int order(String rule) {
        var matcher = ID.matcher(rule);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + rule + "' is no id of a rule, such as S7.8");
        }
        return Integer.parseInt(matcher.group(1)) * 1000 + Integer.parseInt(matcher.group(2));
    }

    /** The tests of each rule, in the order of the rules. */
    public Map<String, List<String>> testsByRule() {
        return testsByRule;
    }

    /** A line per rule: its id, and its tests. */
    public String toText() {
        return testsByRule.entrySet().stream()
                .map(entry -> String.format("%-6s %s", entry.getKey(), String.join(", ", entry.getValue())))
                .collect(Collectors.joining("\n"));
    }

    /** Prints the index of {@link #CONTRACTS}. */
    public static void main(String[] args) {
        System.out.println(of(CONTRACTS).toText());
    }
}
