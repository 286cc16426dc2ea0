// Checks the settings and this machine before connecting, and counts the connections that processes may take.

import { parseDatabaseAddress } from '../../shared/database/hosts.ts'
import { type Config, ConfigError, parseConfig } from '../../shared/settings/config.ts'
import { isLoopback } from '../../shared/utilities/private-networks.ts'
import { type Checks, type Finding, judge, problem, toFinding, warning } from './findings.ts'

const NODE_MIN = [20, 19]
// As in gateway/reads/connections: connections for point reads, for people's own pages, and for measuring the replica's lag.
const POINT_READ_CONNECTIONS = 4
const PEOPLE_CONNECTIONS_MAX = 4
const RESERVED_CONNECTIONS = 9
const REPLICA_LOOKS = 2
// Compares clocks and sends the heartbeat.
const WATCH = 1
// The webhook process: workers/hooks.
const HOOK_CONNECTIONS = 5

export function readSettings(environment: Record<string, string | undefined>): {
  config: Config | undefined
  findings: Finding[]
} {
  try {
    const config = parseConfig(environment)
    return { config, findings: judge(CHECKS, config) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const findings = error.problems.flatMap((each) =>
      toFinding('settings', problem(each, 'See .env.example.')),
    )
    return { config: undefined, findings }
  }
}

const CHECKS: Checks<Config> = {
  settings: () => 'can be used',
  'gateway role': ({ gatewayDatabaseUrl }) =>
    gatewayDatabaseUrl
      ? undefined
      : warning(
          'GATEWAY_DATABASE_URL is not set: the gateway may write every table',
          'Create a role for it (npm run grants -- --help), and set GATEWAY_DATABASE_URL.',
        ),
  TLS: ({ databaseUrl }) => {
    const isNear = parseDatabaseAddress(databaseUrl).hosts.every(({ host }) => isLoopback(host))
    if (isNear || /[?&]sslmode=verify-(ca|full)\b/.test(databaseUrl)) return undefined
    return warning(
      'Postgres is reached over a network, and its certificate is not checked',
      'Add sslmode=verify-full to DATABASE_URL (docs/operations.md, Addresses).',
    )
  },
}

export function checkNode(version = process.versions.node): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [majorMin = 0, minorMin = 0] = NODE_MIN
  const isNew = major > majorMin || (major === majorMin && minor >= minorMin)
  const todo = `Install Node ${NODE_MIN.join('.')} or later.`
  return toFinding('Node', isNew ? version : problem(`${version} is too old`, todo))
}

export type ProcessCounts = { web: number; worker: number; files: number; hooks: number }

/** The maximum number of connections of all processes to the primary. */
export function countConnections(config: Config, counts: ProcessCounts): number {
  const { web, worker, files, hooks } = connectionsOfProcesses(config)
  return counts.web * web + counts.worker * worker + counts.files * files + counts.hooks * hooks
}

/** The same for the replica, which only gateways use. */
export function countReplicaConnections(config: Config, { web }: Pick<ProcessCounts, 'web'>): number {
  return web * config.webConcurrency * (readConnectionsOf(config) + REPLICA_LOOKS)
}

/** Undefined if reads have no separate server. */
export function replicaUrlOf(config: Config): string | undefined {
  const { databaseUrl, gatewayDatabaseUrl, databaseReadUrl } = config
  return [databaseUrl, gatewayDatabaseUrl].includes(databaseReadUrl) ? undefined : databaseReadUrl
}

/** Connections to the primary per process of the Procfile. With a replica, a gateway also keeps its own. */
export function connectionsOfProcesses(config: Config): ProcessCounts {
  const { databaseConnectionsMax: max, writesConcurrency, webConcurrency } = config
  const consumer = (concurrency: number) => Math.min(2 * concurrency + 1, max + 1)
  return {
    web: webConcurrency * (readConnectionsOf(config) + RESERVED_CONNECTIONS),
    worker: consumer(writesConcurrency) + consumer(1) + WATCH,
    files: consumer(1) + consumer(2) + WATCH,
    hooks: HOOK_CONNECTIONS,
  }
}

const readConnectionsOf = ({ databaseConnectionsMax, streamConnectionsMax, peoplePages }: Config) =>
  databaseConnectionsMax +
  POINT_READ_CONNECTIONS +
  streamConnectionsMax +
  (peoplePages ? Math.min(PEOPLE_CONNECTIONS_MAX, Math.ceil(databaseConnectionsMax / 2)) : 0)
