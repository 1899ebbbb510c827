import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatRequest;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatResponse;

/**
 * A member of a streams group (KIP-1071), as a broker sees it: heartbeats and commits of Kafka's own request classes over
 * a socket, without the library of streams. Its topology has two subtopologies: one reads a topic, keeps a store with a
 * changelog, and writes to a repartition topic, which the other reads.
 */
final class StreamsMember implements AutoCloseable {
    private final Socket socket;
    private final String group;
    private final String source;
    final String id = Uuid.randomUuid().toString();
    private final StreamsGroupHeartbeatRequestData.Endpoint endpoint;
    private int epoch = 0;
    private int number = 0;
    private List<StreamsGroupHeartbeatRequestData.TaskIds> active = List.of();

    /** port: where the member answers queries; 0 if it does not. */
    StreamsMember(String bootstrap, String group, String source, int port) throws IOException, InterruptedException {
        String[] parts = bootstrap.split(":");
        this.socket = new Socket(parts[0], Integer.parseInt(parts[1]));
        this.group = group;
        this.source = source;
        this.endpoint = port == 0 ? null
            : new StreamsGroupHeartbeatRequestData.Endpoint().setHost("localhost").setPort(port);
        // Brokers create the topic of groups when somebody looks for a coordinator.
        FindCoordinatorRequestData data = new FindCoordinatorRequestData().setCoordinatorKeys(List.of(group))
            .setKeyType(FindCoordinatorRequest.CoordinatorType.GROUP.id());
        for (int round = 0; ask(new FindCoordinatorRequest.Builder(data), ApiKeys.FIND_COORDINATOR, (short) 4)
                .errorCounts().getOrDefault(Errors.NONE, 0) == 0 && round < 100; round++) {
            Thread.sleep(100);
        }
    }

    private StreamsGroupHeartbeatRequestData.TopicInfo topic(String name, int partitions) {
        return new StreamsGroupHeartbeatRequestData.TopicInfo().setName(group + "-" + name).setPartitions(partitions)
            .setReplicationFactor((short) 1).setTopicConfigs(List.of(
                new StreamsGroupHeartbeatRequestData.KeyValue().setKey("retention.ms").setValue("-1")));
    }

    private StreamsGroupHeartbeatRequestData.Topology topology() {
        return new StreamsGroupHeartbeatRequestData.Topology().setEpoch(0).setSubtopologies(List.of(
            new StreamsGroupHeartbeatRequestData.Subtopology().setSubtopologyId("0").setSourceTopics(List.of(source))
                .setStateChangelogTopics(List.of(topic("store-changelog", 0)))
                .setRepartitionSinkTopics(List.of(group + "-by-word-repartition")),
            new StreamsGroupHeartbeatRequestData.Subtopology().setSubtopologyId("1")
                .setRepartitionSourceTopics(List.of(topic("by-word-repartition", 2)))));
    }

    /** Sends a heartbeat; returns whether the member has what it is to have, as the broker says, or a topic is missing. */
    boolean heartbeat() throws IOException {
        boolean joins = epoch == 0;
        StreamsGroupHeartbeatRequestData data = new StreamsGroupHeartbeatRequestData().setGroupId(group).setMemberId(id)
            .setMemberEpoch(epoch);
        if (joins) {
            data.setRebalanceTimeoutMs(60000).setTopology(topology()).setProcessId("process-" + id)
                .setUserEndpoint(endpoint)
                .setClientTags(List.of(new StreamsGroupHeartbeatRequestData.KeyValue().setKey("zone").setValue("a")));
        }
        if (epoch >= 0) {
            data.setActiveTasks(active).setStandbyTasks(List.of()).setWarmupTasks(List.of());
        }
        StreamsGroupHeartbeatResponseData answer = ((StreamsGroupHeartbeatResponse) ask(
            new StreamsGroupHeartbeatRequest.Builder(data), ApiKeys.STREAMS_GROUP_HEARTBEAT)).data();
        if (Errors.forCode(answer.errorCode()).exception() instanceof RetriableException) {
            return false; // the coordinator is loading
        }
        if (answer.errorCode() != 0) {
            throw new IOException(Errors.forCode(answer.errorCode()) + ": " + answer.errorMessage());
        }
        boolean changes = answer.memberEpoch() != epoch || answer.activeTasks() != null;
        epoch = answer.memberEpoch();
        if (answer.activeTasks() != null) {
            List<StreamsGroupHeartbeatRequestData.TaskIds> now = new ArrayList<>();
            for (StreamsGroupHeartbeatResponseData.TaskIds one : answer.activeTasks()) {
                now.add(new StreamsGroupHeartbeatRequestData.TaskIds().setSubtopologyId(one.subtopologyId())
                    .setPartitions(one.partitions()));
            }
            active = now;
        }
        return !changes && (answer.status() == null || answer.status().stream().allMatch(
            one -> one.statusCode() == StreamsGroupHeartbeatResponse.Status.MISSING_SOURCE_TOPICS.code()));
    }

    /** Commits an offset of each partition of the source topic that it has. */
    void commit(long offset) throws IOException {
        List<OffsetCommitRequestData.OffsetCommitRequestPartition> partitions = new ArrayList<>();
        for (StreamsGroupHeartbeatRequestData.TaskIds task : active) {
            for (int partition : task.subtopologyId().equals("0") ? task.partitions() : List.<Integer>of()) {
                partitions.add(new OffsetCommitRequestData.OffsetCommitRequestPartition().setPartitionIndex(partition)
                    .setCommittedOffset(offset).setCommittedMetadata("AgAAAYsAAAAA"));
            }
        }
        if (partitions.isEmpty()) {
            return;
        }
        OffsetCommitRequestData data = new OffsetCommitRequestData().setGroupId(group).setMemberId(id)
            .setGenerationIdOrMemberEpoch(epoch).setTopics(List.of(
                new OffsetCommitRequestData.OffsetCommitRequestTopic().setName(source).setPartitions(partitions)));
        OffsetCommitResponse answer =
            (OffsetCommitResponse) ask(OffsetCommitRequest.Builder.forTopicNames(data), ApiKeys.OFFSET_COMMIT, (short) 9);
        answer.errorCounts().forEach((error, count) -> {
            if (error != Errors.NONE && error != Errors.UNKNOWN_TOPIC_OR_PARTITION) { // of a topic that was deleted
                throw error.exception();
            }
        });
    }

    private AbstractResponse ask(AbstractRequest.Builder<?> builder, ApiKeys key) throws IOException {
        return ask(builder, key, (short) 0);
    }

    private AbstractResponse ask(AbstractRequest.Builder<?> builder, ApiKeys key, short version) throws IOException {
        RequestHeader header = new RequestHeader(key, version, "streams-client", ++number);
        ByteBuffer request = builder.build(version).serializeWithHeader(header);
        byte[] bytes = new byte[request.remaining()];
        request.get(bytes);
        socket.getOutputStream().write(ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).array());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] answer = new byte[in.readInt()];
        in.readFully(answer);
        return AbstractResponse.parseResponse(ByteBuffer.wrap(answer), header);
    }

    /** Leaves the group. */
    @Override
    public void close() throws IOException {
        epoch = -1;
        heartbeat();
        socket.close();
    }
}
