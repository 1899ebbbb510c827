// What spark-sql-kafka calls of spark-token-provider-kafka-0-10, for clusters without security: parameters are put
// together as they are, there are no delegation tokens, and nothing has to be hidden in a log.
package org.apache.spark.kafka010

import java.{util => ju}

import org.apache.spark.SparkConf

case class KafkaTokenClusterConf(identifier: String)

class KafkaConfigUpdater(module: String, kafkaParams: Map[String, Object]) {
  private val parameters = new ju.HashMap[String, Object]()
  kafkaParams.foreach { case (key, value) => parameters.put(key, value) }

  def set(key: String, value: Object): this.type = {
    parameters.put(key, value)
    this
  }

  def setIfUnset(key: String, value: Object): this.type = {
    parameters.putIfAbsent(key, value)
    this
  }

  def setAuthenticationConfigIfNeeded(): this.type = this

  def setAuthenticationConfigIfNeeded(cluster: Option[KafkaTokenClusterConf]): this.type = this

  def build(): ju.Map[String, Object] = parameters
}

object KafkaRedactionUtil {
  def redactParams(parameters: Seq[(String, Object)]): Seq[(String, String)] =
    parameters.map { case (key, value) => (key, if (value == null) null else value.toString) }
}

object KafkaTokenUtil {
  def findMatchingTokenClusterConfig(conf: SparkConf, bootstrapServers: String): Option[KafkaTokenClusterConf] = None

  def needTokenUpdate(parameters: ju.Map[String, Object], cluster: Option[KafkaTokenClusterConf]): Boolean = false
}
