import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.acl.*;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.*;
import org.apache.kafka.common.resource.*;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Lives in a cluster, for tests and samples. Arguments: BOOTSTRAP SEED. For each line of the input it does a few things
 * that change topics, configurations, ACLs, quotas, users, groups and offsets, waits until groups are at rest, and prints
 * what the admin client says then, as a line of JSON. A line "go" leaves to it what it does, another one has the names
 * of things to do. Members of groups, and transactions that are open, stay between the lines.
 */
public final class LiveState {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private final Admin admin;
    private final String bootstrap;
    private final Random random;
    private final List<String> topics = new ArrayList<>();
    private final Map<String, List<Consumer<byte[], byte[]>>> consumers = new TreeMap<>();
    private final Map<String, List<KafkaShareConsumer<byte[], byte[]>>> sharers = new TreeMap<>();
    private final Map<String, List<StreamsMember>> streamers = new TreeMap<>();
    private final Map<String, String> sources = new HashMap<>();
    private final List<AclBinding> acls = new ArrayList<>();
    private final List<KafkaProducer<byte[], byte[]>> open = new ArrayList<>();
    private final Map<String, KafkaProducer<byte[], byte[]>> begun = new TreeMap<>();
    private final Set<String> held = new TreeSet<>();
    private int number = 0;

    private LiveState(String bootstrap, long seed) {
        this.bootstrap = bootstrap;
        this.random = new Random(seed);
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    public static void main(String[] arguments) throws Exception {
        LiveState live = new LiveState(arguments[0], Long.parseLong(arguments[1]));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        live.createTopic();
        live.createTopic();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            List<String> done = live.step(line);
            Map<String, Object> state = live.atRest();
            state.put("done", done);
            out.println(MAPPER.writeValueAsString(state));
        }
        Runtime.getRuntime().halt(0);
    }

    private interface Action {
        void run() throws Exception;
    }

    private List<String> step(String line) throws Exception {
        Map<String, Action> actions = new LinkedHashMap<>();
        actions.put("createTopic", this::createTopic);
        actions.put("deleteTopic", this::deleteTopic);
        actions.put("alterConfig", this::alterConfig);
        actions.put("produce", this::produce);
        actions.put("commitByAdmin", this::commitByAdmin);
        actions.put("joinClassic", () -> join("classic"));
        actions.put("joinConsumer", () -> join("consumer"));
        actions.put("leave", this::leave);
        actions.put("share", this::share);
        actions.put("leaveShare", this::leaveShare);
        actions.put("acl", this::acl);
        actions.put("quota", this::quota);
        actions.put("scram", this::scram);
        actions.put("deleteOffsets", this::deleteOffsets);
        actions.put("commitInTransaction", this::commitInTransaction);
        actions.put("streams", () -> streams("streams" + random.nextInt(2), topics.get(0), 0));
        actions.put("leaveStreams", this::leaveStreams);
        actions.put("beginOrEnd", this::beginOrEnd);
        List<String> names = new ArrayList<>(actions.keySet());
        // What only a line that names it does.
        actions.put("commit", () -> transaction("committed", KafkaProducer::commitTransaction));
        actions.put("abort", () -> transaction("aborted", KafkaProducer::abortTransaction));
        actions.put("begin", () -> transaction("open", open::add));
        actions.put("joinByExpression", this::joinByExpression);
        actions.put("acknowledge", this::acknowledge);
        actions.put("addPartitions", this::addPartitions);
        actions.put("streamsOfNoTopic", () -> streams("waiting", "missing", 0));
        // 4.4.0 answers heartbeats of members with an endpoint with UNKNOWN_SERVER_ERROR while a topic is missing.
        actions.put("streamsWithEndpoint", () -> streams("queries", topics.get(0), 8080));
        List<String> done = new ArrayList<>();
        if (line.equals("go")) {
            for (int count = 3 + random.nextInt(3); count > 0; count--) {
                done.add(names.get(random.nextInt(names.size())));
            }
        } else {
            done.addAll(List.of(line.split(" ")));
        }
        for (String name : done) {
            actions.get(name).run();
        }
        return done;
    }

    private String topic() {
        return topics.get(random.nextInt(topics.size()));
    }

    private void createTopic() throws Exception {
        String name = "t" + number++;
        Map<String, String> configs = random.nextBoolean() ? Map.of() : Map.of("retention.ms", "" + (1 + random.nextInt(9)) * 1000000000L);
        admin.createTopics(List.of(new NewTopic(name, 1 + random.nextInt(3), (short) 1).configs(configs))).all().get();
        topics.add(name);
        for (int round = 0; round < 50; round++) { // the broker knows it a little later than the controller
            try {
                admin.describeTopics(List.of(name)).allTopicNames().get();
                return;
            } catch (ExecutionException error) {
                Thread.sleep(100);
            }
        }
    }

    private void deleteTopic() throws Exception {
        int chosen = random.nextInt(topics.size());
        if (topics.size() > 3 && !held.contains(topics.get(chosen))) {
            admin.deleteTopics(List.of(topics.remove(chosen))).all().get();
        }
    }

    private void alterConfig() throws Exception {
        boolean ofTopic = random.nextInt(3) > 0;
        ConfigResource resource = ofTopic
            ? new ConfigResource(ConfigResource.Type.TOPIC, topic())
            : new ConfigResource(ConfigResource.Type.BROKER, random.nextBoolean() ? "" : "1");
        String name = ofTopic ? "segment.bytes" : "message.max.bytes";
        AlterConfigOp op = new AlterConfigOp(new ConfigEntry(name, "" + (2000000 + random.nextInt(1000))),
            random.nextInt(3) == 0 ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(resource, List.of(op))).all().get();
    }

    private void produce() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int count = 1 + random.nextInt(20); count > 0; count--) {
                producer.send(new ProducerRecord<>(topic(), new byte[] {1}, new byte[10]));
            }
        }
    }

    private TopicPartition partition() throws Exception {
        String topic = topic();
        int count = admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions().size();
        return new TopicPartition(topic, random.nextInt(count));
    }

    private void commitByAdmin() throws Exception {
        admin.alterConsumerGroupOffsets("admin" + random.nextInt(3), Map.of(partition(),
            new OffsetAndMetadata(random.nextInt(100), Optional.empty(), random.nextBoolean() ? "" : "größe"))).all().get();
    }

    private void commitInTransaction() throws Exception {
        Map<String, Object> options = Map.of("bootstrap.servers", bootstrap, "transactional.id", "x" + random.nextInt(2));
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(options, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic(), new byte[] {1}, new byte[10])).get();
            producer.sendOffsetsToTransaction(Map.of(partition(), new OffsetAndMetadata(random.nextInt(50))),
                new ConsumerGroupMetadata("exactly" + random.nextInt(2)));
            if (random.nextInt(3) > 0) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
    }

    /** Begins a transaction of an id, which stays open, or ends the one that is. */
    private void beginOrEnd() throws Exception {
        String id = "open" + random.nextInt(2);
        KafkaProducer<byte[], byte[]> producer = begun.remove(id);
        if (producer != null) {
            if (random.nextBoolean()) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
            producer.close();
            return;
        }
        producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap, "transactional.id", id, "transaction.timeout.ms", "900000"),
            new ByteArraySerializer(), new ByteArraySerializer());
        producer.initTransactions();
        producer.beginTransaction();
        for (int count = 1 + random.nextInt(3); count > 0; count--) {
            String topic = topic();
            held.add(topic);
            producer.send(new ProducerRecord<>(topic, new byte[] {1}, new byte[10])).get();
        }
        begun.put(id, producer);
    }

    private interface End {
        void of(KafkaProducer<byte[], byte[]> producer) throws Exception;
    }

    /** A transaction that writes to a topic, and ends in a way, or not at all. */
    private void transaction(String id, End end) throws Exception {
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap, "transactional.id", id, "transaction.timeout.ms", "600000"),
            new ByteArraySerializer(), new ByteArraySerializer());
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(topics.get(0), 0, new byte[] {1}, new byte[10])).get();
        producer.send(new ProducerRecord<>(topics.get(1), 0, new byte[] {1}, new byte[10])).get();
        end.of(producer);
        if (!open.contains(producer)) {
            producer.close();
        }
    }

    private void joinByExpression() {
        Map<String, Object> options = Map.of("bootstrap.servers", bootstrap, "group.id", "expression",
            "group.protocol", "consumer", "auto.offset.reset", "earliest", "enable.auto.commit", "false");
        Consumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(options, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(new SubscriptionPattern("t[0-9]+"));
        consumers.computeIfAbsent("expression", name -> new ArrayList<>()).add(consumer);
    }

    /** A member of a share group accepts, releases and rejects records by turns, and leaves. */
    private void acknowledge() throws Exception {
        String group = "turns";
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group), List.of(
            new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET)))).all().get();
        try (KafkaShareConsumer<byte[], byte[]> consumer = new KafkaShareConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "group.id", group, "share.acknowledgement.mode", "explicit"),
                new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topics.get(0), topics.get(1)));
            AcknowledgeType[] types = {AcknowledgeType.ACCEPT, AcknowledgeType.RELEASE, AcknowledgeType.REJECT};
            for (int round = 0, seen = 0; round < 40 && seen < 12; round++) {
                for (ConsumerRecord<byte[], byte[]> one : consumer.poll(Duration.ofMillis(200))) {
                    consumer.acknowledge(one, types[seen++ % types.length]);
                }
                consumer.commitSync();
            }
        }
    }

    private void addPartitions() throws Exception {
        String name = topics.get(topics.size() - 1);
        int count = admin.describeTopics(List.of(name)).allTopicNames().get().get(name).partitions().size();
        admin.createPartitions(Map.of(name, NewPartitions.increaseTo(count + 1))).all().get();
    }

    private void streams(String group, String source, int port) throws Exception {
        List<StreamsMember> members = streamers.computeIfAbsent(group, name -> new ArrayList<>());
        if (members.size() < 2) {
            // A group's topology may not change, even when nobody is left in it.
            members.add(new StreamsMember(bootstrap, group, sources.computeIfAbsent(group, name -> source), port));
        }
    }

    private void leaveStreams() throws Exception {
        for (List<StreamsMember> members : streamers.values()) {
            if (!members.isEmpty() && random.nextBoolean()) {
                members.remove(0).close();
            }
        }
    }

    private void join(String protocol) {
        String group = protocol + random.nextInt(2);
        List<Consumer<byte[], byte[]>> members = consumers.computeIfAbsent(group, name -> new ArrayList<>());
        if (members.size() < 2) {
            Map<String, Object> options = new HashMap<>(Map.of("bootstrap.servers", bootstrap, "group.id", group,
                "group.protocol", protocol, "auto.offset.reset", "earliest", "enable.auto.commit", "false"));
            Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(options, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            consumer.subscribe(List.of(topics.get(0), topics.get(1)));
            members.add(consumer);
        }
    }

    private void leave() {
        for (List<Consumer<byte[], byte[]>> members : consumers.values()) {
            if (!members.isEmpty() && random.nextBoolean()) {
                members.remove(0).close();
            }
        }
    }

    private void share() throws Exception {
        String group = "share" + random.nextInt(2);
        List<KafkaShareConsumer<byte[], byte[]>> members = sharers.computeIfAbsent(group, name -> new ArrayList<>());
        if (members.isEmpty()) {
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group), List.of(
                new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET)))).all().get();
            KafkaShareConsumer<byte[], byte[]> consumer = new KafkaShareConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "group.id", group), new ByteArrayDeserializer(), new ByteArrayDeserializer());
            consumer.subscribe(List.of(topics.get(0)));
            sources.put(group, topics.get(0));
            members.add(consumer);
        }
    }

    private void leaveShare() {
        for (List<KafkaShareConsumer<byte[], byte[]>> members : sharers.values()) {
            if (!members.isEmpty() && random.nextBoolean()) {
                members.remove(0).close();
            }
        }
    }

    private void acl() throws Exception {
        if (!acls.isEmpty() && random.nextInt(3) == 0) {
            admin.deleteAcls(List.of(acls.remove(random.nextInt(acls.size())).toFilter())).all().get();
            return;
        }
        AclBinding binding = new AclBinding(new ResourcePattern(ResourceType.TOPIC, topic(), PatternType.LITERAL),
            new AccessControlEntry("User:u" + number++, "*", AclOperation.READ, AclPermissionType.ALLOW));
        admin.createAcls(List.of(binding)).all().get();
        acls.add(binding);
    }

    private void quota() throws Exception {
        Map<String, String> entity = new HashMap<>();
        entity.put(ClientQuotaEntity.USER, random.nextBoolean() ? null : "u" + random.nextInt(3));
        Double value = random.nextInt(3) == 0 ? null : (double) random.nextInt(100000);
        admin.alterClientQuotas(List.of(new ClientQuotaAlteration(new ClientQuotaEntity(entity),
            List.of(new ClientQuotaAlteration.Op("producer_byte_rate", value))))).all().get();
    }

    private void scram() throws Exception {
        String user = "user" + random.nextInt(3);
        try {
            admin.alterUserScramCredentials(List.of(random.nextInt(3) == 0
                ? new UserScramCredentialDeletion(user, ScramMechanism.SCRAM_SHA_256)
                : new UserScramCredentialUpsertion(user,
                    new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096 + random.nextInt(1000)), "secret"))).all().get();
        } catch (ExecutionException error) { // there is none to delete
        }
    }

    private void deleteOffsets() throws Exception {
        String group = "admin" + random.nextInt(3);
        try {
            if (random.nextBoolean()) {
                admin.deleteConsumerGroups(List.of(group)).all().get();
            } else {
                Set<TopicPartition> there = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().keySet();
                if (!there.isEmpty()) {
                    admin.deleteConsumerGroupOffsets(group, Set.of(there.iterator().next())).all().get();
                }
            }
        } catch (ExecutionException error) { // there is no such group
        }
    }

    /** Polls all members until each group is stable, or has no members; and has them commit. */
    private Map<String, Object> atRest() throws Exception {
        for (int round = 0; round < 60; round++) {
            for (List<Consumer<byte[], byte[]>> members : consumers.values()) {
                for (Consumer<byte[], byte[]> consumer : members) {
                    consumer.poll(Duration.ofMillis(50));
                }
            }
            for (List<KafkaShareConsumer<byte[], byte[]>> members : sharers.values()) {
                for (KafkaShareConsumer<byte[], byte[]> consumer : members) {
                    consumer.poll(Duration.ofMillis(50));
                }
            }
            boolean isSteady = true;
            for (List<StreamsMember> members : streamers.values()) {
                for (StreamsMember member : members) {
                    isSteady &= member.heartbeat();
                }
            }
            if (!isSteady) {
                Thread.sleep(50);
            }
            if (round > 3 && isSteady && isQuiet()) {
                break;
            }
        }
        for (List<Consumer<byte[], byte[]>> members : consumers.values()) {
            for (Consumer<byte[], byte[]> consumer : members) {
                try {
                    consumer.commitSync();
                } catch (org.apache.kafka.common.KafkaException error) { // it has to join again
                }
            }
        }
        for (List<KafkaShareConsumer<byte[], byte[]>> members : sharers.values()) {
            for (KafkaShareConsumer<byte[], byte[]> consumer : members) {
                consumer.commitSync();
            }
        }
        for (List<StreamsMember> members : streamers.values()) {
            for (StreamsMember member : members) {
                member.commit(3);
            }
        }
        Map<String, Object> before = Map.of();
        for (int round = 0; round < 40; round++) {
            Map<String, Object> now;
            try {
                now = state();
            } catch (ExecutionException error) { // a topic that is being deleted is listed for a while
                now = Map.of("error", round);
            }
            if (now.equals(before)) {
                return now;
            }
            before = now;
            Thread.sleep(250);
        }
        return before;
    }

    private boolean isQuiet() throws Exception {
        for (Map.Entry<String, List<Consumer<byte[], byte[]>>> one : consumers.entrySet()) {
            if (!one.getValue().isEmpty()) {
                ConsumerGroupDescription described =
                    admin.describeConsumerGroups(List.of(one.getKey())).all().get().get(one.getKey());
                if (!described.groupState().toString().equals("Stable") || described.members().size() != one.getValue().size()) {
                    return false;
                }
            }
        }
        for (Map.Entry<String, List<KafkaShareConsumer<byte[], byte[]>>> one : sharers.entrySet()) {
            if (!one.getValue().isEmpty() && topics.contains(sources.get(one.getKey()))) {
                Collection<ShareMemberDescription> members =
                    admin.describeShareGroups(List.of(one.getKey())).all().get().get(one.getKey()).members();
                if (members.isEmpty() || members.stream().anyMatch(it -> it.assignment().topicPartitions().isEmpty())) {
                    return false;
                }
            }
        }
        return true;
    }

    // What the admin client says.

    private Map<String, Object> state() throws Exception {
        Map<String, Object> state = new TreeMap<>();
        state.put("topics", topics());
        state.put("groups", groups());
        Map<String, Object> features = new TreeMap<>();
        admin.describeFeatures().featureMetadata().get().finalizedFeatures()
            .forEach((name, range) -> features.put(name, (int) range.maxVersionLevel()));
        state.put("features", features);
        TreeSet<String> found = new TreeSet<>();
        for (AclBinding one : admin.describeAcls(AclBindingFilter.ANY).values().get()) {
            found.add(String.join(" ", "" + one.pattern().resourceType().code(), one.pattern().name(),
                "" + one.pattern().patternType().code(), one.entry().principal(), one.entry().host(),
                "" + one.entry().operation().code(), "" + one.entry().permissionType().code()));
        }
        state.put("acls", new ArrayList<>(found));
        Map<String, Object> quotas = new TreeMap<>();
        admin.describeClientQuotas(ClientQuotaFilter.all()).entities().get()
            .forEach((entity, limits) -> quotas.put(new TreeMap<>(entity.entries()).toString(), limits));
        state.put("quotas", quotas);
        Map<String, Object> users = new TreeMap<>();
        admin.describeUserScramCredentials().all().get().forEach((user, description) ->
            description.credentialInfos().forEach(info -> users.put(user + " " + info.mechanism().type(), info.iterations())));
        state.put("scram", users);
        Map<String, Object> configs = new TreeMap<>();
        for (String broker : List.of("", "1")) {
            configs.put(broker, configs(new ConfigResource(ConfigResource.Type.BROKER, broker),
                broker.isEmpty() ? ConfigEntry.ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
                                 : ConfigEntry.ConfigSource.DYNAMIC_BROKER_CONFIG));
        }
        state.put("configs", configs);
        state.put("transactions", transactions());
        state.put("producers", producers());
        return state;
    }

    private Map<String, Object> transactions() throws Exception {
        Map<String, Object> found = new TreeMap<>();
        List<String> ids = admin.listTransactions().all().get().stream().map(TransactionListing::transactionalId).toList();
        admin.describeTransactions(ids).all().get().forEach((id, one) -> found.put(id, List.of(
            one.state().toString(), one.producerId(), one.producerEpoch(), one.transactionTimeoutMs(),
            one.transactionStartTimeMs().orElse(-1),
            one.topicPartitions().stream().map(TopicPartition::toString).sorted().toList())));
        return found;
    }

    /** The producers with an open transaction in each partition that has one, and its last stable offset. */
    private Map<String, Object> producers() throws Exception {
        Map<String, Object> found = new TreeMap<>();
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        admin.describeTopics(topics).allTopicNames().get().forEach((name, topic) -> topic.partitions().forEach(one ->
            asked.put(new TopicPartition(name, one.partition()), OffsetSpec.latest())));
        Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> stable =
            admin.listOffsets(asked, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED)).all().get();
        admin.describeProducers(asked.keySet()).all().get().forEach((partition, state) -> {
            Map<String, Object> open = new TreeMap<>();
            for (ProducerState one : state.activeProducers()) {
                if (one.currentTransactionStartOffset().isPresent()) {
                    open.put("" + one.producerId(), List.of(one.producerEpoch(), one.coordinatorEpoch().orElse(-1),
                        one.currentTransactionStartOffset().getAsLong(), one.lastTimestamp()));
                }
            }
            if (!open.isEmpty()) {
                found.put(partition.toString(), List.of(stable.get(partition).offset(), open));
            }
        });
        return found;
    }

    private Map<String, String> configs(ConfigResource resource, ConfigEntry.ConfigSource source) throws Exception {
        Map<String, String> found = new TreeMap<>();
        for (ConfigEntry entry : admin.describeConfigs(List.of(resource)).all().get().get(resource).entries()) {
            if (entry.source() == source) {
                found.put(entry.name(), entry.value());
            }
        }
        return found;
    }

    private static List<Integer> ids(Collection<Node> nodes) {
        return nodes == null ? List.of() : nodes.stream().map(Node::id).toList();
    }

    private Map<String, Object> topics() throws Exception {
        Map<String, Object> found = new TreeMap<>();
        Set<String> names = admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        Map<String, TopicDescription> described = admin.describeTopics(names).allTopicNames().get();
        described.forEach((name, topic) -> topic.partitions().forEach(one ->
            asked.put(new TopicPartition(name, one.partition()), OffsetSpec.latest())));
        Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> ends = admin.listOffsets(asked).all().get();
        for (TopicDescription topic : described.values()) {
            List<Object> partitions = new ArrayList<>();
            for (TopicPartitionInfo one : topic.partitions()) {
                partitions.add(List.of(one.leader() == null ? -1 : one.leader().id(), ids(one.replicas()), ids(one.isr()),
                    ids(one.elr()), ends.get(new TopicPartition(topic.name(), one.partition())).offset()));
            }
            found.put(topic.name(), Map.of("id", topic.topicId().toString(), "partitions", partitions, "configs",
                configs(new ConfigResource(ConfigResource.Type.TOPIC, topic.name()), ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG)));
        }
        return found;
    }

    private static Map<String, Object> member(String client, String host, Collection<TopicPartition> assigned) {
        return Map.of("client", client, "host", host, "assigned", assigned.stream().map(TopicPartition::toString).sorted().toList());
    }

    private static void put(Map<String, Object> offsets, TopicPartition partition, OffsetAndMetadata committed) {
        if (committed != null) {
            offsets.put(partition.toString(),
                List.of(committed.offset(), committed.leaderEpoch().orElse(-1), committed.metadata()));
        }
    }

    private Map<String, Object> groups() throws Exception {
        Map<String, Object> found = new TreeMap<>();
        for (GroupListing listing : admin.listGroups().all().get()) {
            String name = listing.groupId();
            Map<String, Object> group = new TreeMap<>();
            Map<String, Object> members = new TreeMap<>();
            Map<String, Object> offsets = new TreeMap<>();
            group.put("kind", listing.type().get().toString().toLowerCase());
            if (listing.type().get() == GroupType.SHARE) {
                ShareGroupDescription described = admin.describeShareGroups(List.of(name)).all().get().get(name);
                group.put("state", described.groupState().toString());
                for (ShareMemberDescription one : described.members()) {
                    members.put(one.consumerId(), member(one.clientId(), one.host(), one.assignment().topicPartitions()));
                }
                admin.listShareGroupOffsets(Map.of(name, new ListShareGroupOffsetsSpec())).partitionsToOffsetInfo(name).get()
                    .forEach((partition, info) -> {
                        if (info != null) {
                            offsets.put(partition.toString(), List.of(info.startOffset()));
                        }
                    });
            } else if (listing.type().get() == GroupType.STREAMS) {
                StreamsGroupDescription described = admin.describeStreamsGroups(List.of(name)).all().get().get(name);
                group.put("state", described.groupState().toString());
                for (StreamsGroupMemberDescription one : described.members()) {
                    List<String> tasks = new ArrayList<>();
                    one.assignment().activeTasks().forEach(task ->
                        task.partitions().forEach(partition -> tasks.add(task.subtopologyId() + "-" + partition)));
                    members.put(one.memberId(), Map.of("client", one.clientId(), "host", one.clientHost(), "assigned",
                        tasks.stream().sorted().toList()));
                }
                admin.listStreamsGroupOffsets(Map.of(name, new ListStreamsGroupOffsetsSpec()))
                    .partitionsToOffsetAndMetadata(name).get().forEach((partition, committed) -> put(offsets, partition, committed));
            } else {
                ConsumerGroupDescription described = admin.describeConsumerGroups(List.of(name)).all().get().get(name);
                group.put("state", described.groupState().toString());
                for (MemberDescription one : described.members()) {
                    members.put(one.consumerId(), member(one.clientId(), one.host(), one.assignment().topicPartitions()));
                }
                admin.listConsumerGroupOffsets(name).partitionsToOffsetAndMetadata().get()
                    .forEach((partition, committed) -> put(offsets, partition, committed));
            }
            group.put("members", members);
            group.put("offsets", offsets);
            found.put(name, group);
        }
        return found;
    }
}
