// Checks the settings and this machine before connecting, and counts the connections that processes may take.

import { parseDatabaseAddress } from '../../shared/database/hosts.ts'
import { type Config, ConfigError, parseConfig } from '../../shared/settings/config.ts'
import { isLoopback } from '../../shared/utilities/private-networks.ts'
import {
  checkFacts,
  createProblem,
  createWarning,
  type FactChecks,
  type Finding,
  toFindings,
} from './findings.ts'

const NODE_VERSION_MIN = [20, 19]
// Matches gateway/reads/connections: connections for point reads, for people's own pages, and for measuring the
// replica's lag.
const POINT_READ_CONNECTIONS = 4
const PEOPLE_CONNECTIONS_MAX = 4
const RESERVED_CONNECTIONS = 9
const REPLICA_LAG_CONNECTIONS = 2
// The connection with which a process compares clocks and sends heartbeats.
const WATCH_CONNECTIONS = 1
// The number of connections of the webhook process (workers/hooks).
const HOOK_CONNECTIONS = 5
// The number that it opens as well if rooms can have calendars (workers/calendars/engine).
const CALENDAR_CONNECTIONS = 5

export function readSettings(environment: Record<string, string | undefined>): {
  config: Config | undefined
  findings: Finding[]
} {
  const calendarProblems: string[] = []
  const report = (problems: string[]) =>
    problems.flatMap((each) => toFindings('settings', createProblem(each, 'See .env.example.')))
  try {
    const config = parseConfig(environment, { calendarProblems })
    const findings = checkFacts(SETTINGS_CHECKS, { ...config, isUsable: calendarProblems.length === 0 })
    return { config, findings: [...report(calendarProblems), ...findings] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { config: undefined, findings: report([...error.problems, ...calendarProblems]) }
  }
}

const SETTINGS_CHECKS: FactChecks<Config & { isUsable: boolean }> = {
  settings: ({ isUsable }) => (isUsable ? 'can be used' : undefined),
  'gateway role': ({ gatewayDatabaseUrl }) =>
    gatewayDatabaseUrl
      ? undefined
      : createWarning(
          'GATEWAY_DATABASE_URL is not set: the gateway may write every table',
          'Create a role for it (npm run grants -- --help), and set GATEWAY_DATABASE_URL.',
        ),
  TLS: ({ databaseUrl }) => {
    const isNear = parseDatabaseAddress(databaseUrl).hosts.every(({ host }) => isLoopback(host))
    if (isNear || /[?&]sslmode=verify-(ca|full)\b/.test(databaseUrl)) return undefined
    return createWarning(
      'Postgres is reached over a network, and its certificate is not checked',
      'Add sslmode=verify-full to DATABASE_URL (docs/operations.md, Addresses).',
    )
  },
}

export function checkNodeVersion(version = process.versions.node): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [majorMin = 0, minorMin = 0] = NODE_VERSION_MIN
  const isNew = major > majorMin || (major === majorMin && minor >= minorMin)
  const todo = `Install Node ${NODE_VERSION_MIN.join('.')} or later.`
  return toFindings('Node', isNew ? version : createProblem(`${version} is too old`, todo))
}

export type ProcessCounts = { web: number; worker: number; files: number; hooks: number }

/** Returns the maximum number of connections of all processes to the primary. */
export function countConnections(config: Config, counts: ProcessCounts): number {
  const { web, worker, files, hooks } = countProcessConnections(config)
  return counts.web * web + counts.worker * worker + counts.files * files + counts.hooks * hooks
}

/** Returns the maximum number of connections to the replica, which only gateways use. */
export function countReplicaConnections(config: Config, { web }: Pick<ProcessCounts, 'web'>): number {
  return web * config.webConcurrency * (countReadConnections(config) + REPLICA_LAG_CONNECTIONS)
}

/** Returns the URL of the replica, or undefined if reads use the primary. */
export function getReplicaUrl(config: Config): string | undefined {
  const { databaseUrl, gatewayDatabaseUrl, databaseReadUrl } = config
  return [databaseUrl, gatewayDatabaseUrl].includes(databaseReadUrl) ? undefined : databaseReadUrl
}

/**
 * Returns the number of connections to the primary per process of the Procfile. Even with a replica, a gateway keeps
 * connections to the primary.
 */
export function countProcessConnections(config: Config): ProcessCounts {
  const { databaseConnectionsMax: max, writesConcurrency, webConcurrency } = config
  const consumer = (concurrency: number) => Math.min(2 * concurrency + 1, max + 1)
  return {
    web: webConcurrency * (countReadConnections(config) + RESERVED_CONNECTIONS),
    worker: consumer(writesConcurrency) + consumer(1) + WATCH_CONNECTIONS,
    files: consumer(1) + consumer(2) + WATCH_CONNECTIONS,
    hooks: HOOK_CONNECTIONS + (config.calendars ? CALENDAR_CONNECTIONS : 0),
  }
}

const countReadConnections = ({ databaseConnectionsMax, streamConnectionsMax, peoplePages }: Config) =>
  databaseConnectionsMax +
  POINT_READ_CONNECTIONS +
  streamConnectionsMax +
  (peoplePages ? Math.min(PEOPLE_CONNECTIONS_MAX, Math.ceil(databaseConnectionsMax / 2)) : 0)
