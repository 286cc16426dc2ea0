// Runs the core of the HTTP suite against a configured Redis or Postgres: bookings, events, imports, exports,
// idempotency keys and rate limits must work the same on every engine. `SUITE` names other files.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { projectDirectory } from '../../../local/tools/folders.ts'

// The machine may be busy, and each import starts a process.
const TEST_MS_MAX = '600000'

export const CORE_TESTS = [
  'test/gateway/api/rest/bookings/bookings.test.ts',
  'test/gateway/api/rest/events/events.test.ts',
  'test/gateway/api/rest/users/users-export.test.ts',
  'test/gateway/auth/rate-limit.test.ts',
  'test/pipeline/idempotency.test.ts',
  'test/pipeline/batches.test.ts',
]

// Test files that use COPY and long transactions.
const POSTGRES_TESTS = [
  ...CORE_TESTS,
  'test/gateway/api/rest/users/users-import-formats.test.ts',
  'test/gateway/server/http/listings-stream.test.ts',
]

type SuiteOptions = {
  /** REDIS_URL and related settings. */
  settings: Record<string, string>
  /** URLs of the servers that are emptied before each world. */
  empty: string[]
  environment?: Record<string, string>
}

type GivenPostgres = {
  /** The address that Berth uses. */
  databaseUrl: string
  /** The direct connection URL for the tests' own queries, if Berth uses a pooler. */
  ownerUrl?: string
  /** The connection URL for reads. The server must show committed data immediately, because tests write
   * directly to the database. / */
  replicaUrl?: string
}

/** Throws with the output if a test fails. Uses the Postgres of this run. */
export async function runSuite(
  { settings, empty, environment = {} }: SuiteOptions,
  files = CORE_TESTS,
): Promise<void> {
  const redis = { TEST_REDIS_SETTINGS: JSON.stringify(settings), TEST_REDIS_EMPTY: empty.join(',') }
  await run({ ...redis, ...environment }, files)
}

/** Runs the suite on another Postgres, with the Redis of this run. */
export async function runSuiteOn(
  { databaseUrl, ownerUrl = databaseUrl, replicaUrl = '' }: GivenPostgres,
  files = POSTGRES_TESTS,
): Promise<void> {
  const addresses = {
    TEST_DATABASE_URL: databaseUrl,
    TEST_OWNER_DATABASE_URL: ownerUrl,
    TEST_REPLICA_URL: replicaUrl,
  }
  await run(addresses, files)
}

async function run(environment: Record<string, string>, files: string[]): Promise<void> {
  const chosen = process.env.SUITE ? process.env.SUITE.split(',') : files
  const parameters = ['node_modules/mocha/bin/mocha.js', ...chosen, '--timeout', TEST_MS_MAX]
  const child = spawn(process.execPath, parameters, {
    cwd: projectDirectory,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => output.push(data.toString()))
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The suite failed (${code}):\n${output.join('')}`)
  console.log(output.join('').trim().split('\n').at(-1))
}
