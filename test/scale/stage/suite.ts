// The core of the HTTP suite, run against a Redis or a Postgres that was set up for it: what a caller sees of bookings, events,
// imports, exports, idempotency keys and rate limits must be the same on every engine. `SUITE` names other files.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { projectDirectory } from '../../../local/tools/folders.ts'

// The machine may be busy, and starts a process for each file that is imported.
const TEST_MS_MAX = '600000'

export const CORE = [
  'test/gateway/api/rest/bookings/bookings.test.ts',
  'test/gateway/api/rest/events/events.test.ts',
  'test/gateway/api/rest/users/users-export.test.ts',
  'test/gateway/auth/rate-limit.test.ts',
  'test/pipeline/idempotency.test.ts',
  'test/pipeline/batches.test.ts',
]

// COPY, and transactions that last.
const POSTGRES_CORE = [
  ...CORE,
  'test/gateway/api/rest/users/users-import-formats.test.ts',
  'test/gateway/server/http/listings-stream.test.ts',
]

type Given = {
  /** REDIS_URL and its like. */
  settings: Record<string, string>
  /** URLs of the servers that are emptied before each world. */
  empty: string[]
  environment?: Record<string, string>
}

type GivenPostgres = {
  /** What Berth is told. */
  databaseUrl: string
  /** For what tests do beside it, like creating databases, where Berth goes through something. */
  ownerUrl?: string
  /** Where it is read. It must show what is committed: tests write beside Berth, and no caller waits for that. */
  replicaUrl?: string
}

/** Throws with what it printed where a test fails. It uses the Postgres of this run. */
export async function runSuite({ settings, empty, environment = {} }: Given, files = CORE): Promise<void> {
  const redis = { TEST_REDIS_SETTINGS: JSON.stringify(settings), TEST_REDIS_EMPTY: empty.join(',') }
  await run({ ...redis, ...environment }, files)
}

/** The same on a Postgres, with the Redis of this run. */
export async function runSuiteOn(
  { databaseUrl, ownerUrl = databaseUrl, replicaUrl = '' }: GivenPostgres,
  files = POSTGRES_CORE,
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
