// The core of the HTTP suite, run against a Redis that was set up for it: what a caller sees of bookings, events, imports,
// exports, idempotency keys and rate limits must be the same on every engine.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { projectDirectory } from '../../../local/folders.ts'

// The machine may be busy, and starts a process for each file that is imported.
const TEST_MS_MAX = '600000'

export const CORE = [
  'test/gateway/api/bookings.test.ts',
  'test/gateway/api/events.test.ts',
  'test/gateway/api/users-export.test.ts',
  'test/gateway/auth/rate-limit.test.ts',
  'test/pipeline/idempotency.test.ts',
  'test/pipeline/batches.test.ts',
]

type Given = {
  /** REDIS_URL and its like. */
  settings: Record<string, string>
  /** URLs of the servers that are emptied before each world. */
  empty: string[]
  environment?: Record<string, string>
}

/** Throws with what it printed where a test fails. It uses the Postgres of this run. */
export async function runSuite({ settings, empty, environment = {} }: Given, files = CORE): Promise<void> {
  const chosen = process.env.SUITE ? process.env.SUITE.split(',') : files
  const child = spawn(
    process.execPath,
    ['node_modules/mocha/bin/mocha.js', ...chosen, '--timeout', TEST_MS_MAX],
    {
      cwd: projectDirectory,
      env: {
        ...process.env,
        TEST_REDIS_SETTINGS: JSON.stringify(settings),
        TEST_REDIS_EMPTY: empty.join(','),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => output.push(data.toString()))
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The suite failed (${code}):\n${output.join('')}`)
  console.log(output.join('').trim().split('\n').at(-1))
}
