import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(process.cwd(), 'eventstore-config/nodes/');

/** What a node of 23.10 takes from its file (ClusterVNodeOptions.cs), without what is deprecated there. */
const OPTIONS = new Set(
  `
  AdvertiseHostToClientAs AdvertiseNodePortToClientAs AdvertiseTcpPortToClientAs AllowAnonymousEndpointAccess
  AllowAnonymousStreamAccess AllowUnknownOptions AuthenticationConfig AuthenticationType AuthorizationConfig
  AuthorizationType CachedChunks CertificateFile CertificatePassword CertificatePrivateKeyFile
  CertificatePrivateKeyPassword CertificateReservedNodeCommonName CertificateStoreLocation CertificateStoreName
  CertificateSubjectName CertificateThumbprint ChunkInitialReaderCount ChunkSize ChunksCacheSize ClusterDns
  ClusterGossipPort ClusterSize CommitTimeoutMs Config ConnectionPendingSendBytesThreshold
  ConnectionQueueSizeThreshold Db DbLogFormat DeadMemberRemovalPeriodSec Dev DisableAdminUi
  DisableFirstLevelHttpAuthorization DisableGossipOnHttp DisableHttpCaching DisableLogFile
  DisableScavengeMerging DisableStatsOnHttp DiscoverViaDns EnableHistograms EnableTrustedAuth EnableUnixSocket
  FaultOutOfOrderProjections GossipAllowedDifferenceMs GossipIntervalMs GossipSeed GossipTimeoutMs
  HashCollisionReadLimit Help Index IndexCacheDepth IndexCacheSize InitializationThreads Insecure
  KeepAliveInterval KeepAliveTimeout LeaderElectionTimeoutMs Log LogConfig LogConsoleFormat
  LogFailedAuthenticationAttempts LogFileInterval LogFileRetentionCount LogFileSize LogHttpRequests LogLevel
  MaxAppendSize MaxAutoMergeIndexLevel MaxMemTableSize MaxTruncation MemDb MinFlushDelayMs NodeHeartbeatInterval
  NodeHeartbeatTimeout NodeHostAdvertiseAs NodeIp NodePort NodePortAdvertiseAs NodePriority NodeTcpPort
  NodeTcpPortAdvertiseAs OverrideAnonymousEndpointAccessForGossip PrepareTimeoutMs ProjectionCompilationTimeout
  ProjectionExecutionTimeout ProjectionThreads ProjectionsQueryExpiry ReadOnlyReplica ReaderThreadsCount
  ReduceFileCachePressure RemoveDevCerts ReplicationHeartbeatInterval ReplicationHeartbeatTimeout
  ReplicationHostAdvertiseAs ReplicationIp ReplicationPort ReplicationTcpPortAdvertiseAs RunProjections
  ScavengeBackendCacheSize ScavengeBackendPageSize ScavengeHashUsersCacheCapacity ScavengeHistoryMaxAge
  SkipDbVerify SkipIndexScanOnReads SkipIndexVerify StartStandardProjections StatsPeriodSec StatsStorage
  StreamExistenceFilterSize StreamInfoCacheCapacity TrustedRootCertificateStoreLocation
  TrustedRootCertificateStoreName TrustedRootCertificateSubjectName TrustedRootCertificateThumbprint
  TrustedRootCertificatesPath Unbuffered UnsafeAllowSurplusNodes UnsafeDisableFlushToDisk UseIndexBloomFilters
  Version WhatIf WorkerThreads WriteStatsToDb WriteThrough WriteTimeoutMs
  `
    .trim()
    .split(/\s+/),
);
/** All that these files need of YAML; the server reads a flat map of its options as well. */
const LINE = /^(?:#.*|(?<name>[A-Z][A-Za-z]*): (?<value>[^\s#][^#]*))?$/;

function optionsOf(file: string): Map<string, string> {
  const [first, ...lines] = readFileSync(`${FOLDER}${file}`, 'utf8').trimEnd().split('\n');
  expect(first).toBe('---');
  const options = new Map<string, string>();
  for (const line of lines) {
    expect(line).toMatch(LINE);
    const { name, value } = LINE.exec(line)!.groups!;
    if (name === undefined) continue;
    expect([name, options.has(name)]).toEqual([name, false]);
    options.set(name, value!);
  }
  return options;
}

const FILES = readdirSync(FOLDER).sort();
const CLUSTER = FILES.filter((file) => file.startsWith('cluster-'));

describe('the configuration files of nodes', () => {
  it('are those of one node and of three', () => {
    expect(FILES).toEqual(['cluster-1.yaml', 'cluster-2.yaml', 'cluster-3.yaml', 'single.yaml']);
  });

  it.each(FILES)('%s names only options that EventStoreDB 23.10 has, each once', (file) => {
    expect([...optionsOf(file).keys()].filter((name) => !OPTIONS.has(name))).toEqual([]);
  });

  it.each(FILES)('%s asks for TLS, and lets nobody in who does not say who they are', (file) => {
    const options = optionsOf(file);
    for (const name of ['CertificateFile', 'CertificatePrivateKeyFile', 'TrustedRootCertificatesPath']) {
      expect(options.get(name)).toMatch(/^\/etc\/eventstore\/certs\//);
    }
    expect(options.get('AllowAnonymousEndpointAccess')).toBe('false');
    expect(options.get('AllowAnonymousStreamAccess')).toBe('false');
    expect(options.has('Insecure')).toBe(false);
  });

  it.each(FILES)('%s runs projections, and none of the server’s own', (file) => {
    const options = optionsOf(file);
    expect([options.get('RunProjections'), options.get('StartStandardProjections')]).toEqual(['All', 'false']);
  });

  it('say of a node of three where the two others are, and nothing else that differs', () => {
    const all = CLUSTER.map(optionsOf);
    const hosts = all.map((options) => options.get('NodeHostAdvertiseAs')!);
    expect(new Set(hosts).size).toBe(3);
    const own = new Set(['NodeHostAdvertiseAs', 'ReplicationHostAdvertiseAs', 'GossipSeed']);
    const rest = all.map((options) => [...options].filter(([name]) => !own.has(name)));
    expect([rest[1], rest[2]]).toEqual([rest[0], rest[0]]);
    all.forEach((options, at) => {
      expect(options.get('ReplicationHostAdvertiseAs')).toBe(hosts[at]);
      expect(options.get('GossipSeed')!.split(',')).toEqual(
        hosts.filter((host) => host !== hosts[at]).map((host) => `${host}:${options.get('NodePort')}`),
      );
      expect(options.get('ClusterSize')).toBe('3');
    });
  });
});
