// What all commands have in common: `--help`, a database that is closed again, and failures in one sentence on stderr
// with exit code 1. Only what nobody foresaw shows where it happened.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { findEnvironment } from '../local/environment.ts'
import { complain, Problem, say, wordProblem } from '../local/terminal.ts'
import { audit, type Change } from '../shared/audit.ts'
import { connectDatabase } from '../shared/database.ts'

export async function runCommand(usage: string, run: (words: string[]) => Promise<void>): Promise<void> {
  const words = process.argv.slice(2)
  if (words.includes('--help') || words.includes('-h')) return say(usage)
  try {
    await run(words)
  } catch (error) {
    complain(wordFailure(error))
    process.exitCode = 1
  }
}

/** The first word says what to do; the others belong to it. */
export async function runAction(
  actions: Record<string, (words: string[]) => Promise<void>>,
  [name, ...words]: string[],
): Promise<void> {
  const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action) return action(words)
  const known = Object.keys(actions).join(', ')
  throw new Problem(
    name === undefined
      ? `Say what to do: ${known} (--help shows how).`
      : `“${name}” is none of ${known} (--help shows how).`,
  )
}

export async function withDatabase<T>(work: (database: Knex) => Promise<T>): Promise<T> {
  const database = connectDatabase(findDatabaseUrl(), { applicationName: 'berth-command' })
  // knex would print the stack of a refused connection on stdout, and then throw the error all the same.
  database.client.logger.warn = () => undefined
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}

/** A write from a shell, and what the audit log says of it; nothing where `describe` has nothing to say. */
export function withAuditedWrite<T>(
  name: string,
  database: Knex,
  write: (trx: Knex.Transaction) => Promise<T>,
  describe: (result: T) => Change | undefined,
): Promise<T> {
  return database.transaction(async (trx) => {
    const result = await write(trx)
    const change = describe(result)
    const actor = { type: 'system', id: null, name } as const
    if (change) await audit(trx, { actor, requestId: randomUUID() }, change)
    return result
  })
}

// pg takes any text for an address, and then looks for a host that nobody named.
function findDatabaseUrl(): string {
  const { databaseUrl } = findEnvironment()
  const protocol = URL.canParse(databaseUrl) ? new URL(databaseUrl).protocol : ''
  if (protocol === 'postgres:' || protocol === 'postgresql:') return databaseUrl
  throw new Problem('DATABASE_URL must be an address of the form postgres://user:password@host:5432/name.')
}

/** A whole number of an option, given as digits. */
export function readWholeNumber(
  name: string,
  text: string,
  { min, max }: { min: number; max: number },
): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new Problem(`--${name} must be a whole number from ${min} to ${max} (it is “${text}”).`)
}

const CONNECTION_FAULTS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

function wordFailure(error: unknown): string {
  if (!(error instanceof Error) || error instanceof Problem) return wordProblem(error)
  const { code = '', message } = error as NodeJS.ErrnoException
  // Node explains further on; the first sentence names the option.
  if (code.startsWith('ERR_PARSE_ARGS')) return `${firstSentence(message)} (--help shows how).`
  if (code === '42P01')
    return 'A table is missing in this database: bring it up to date with npm run migrate.'
  if (/^[0-9A-Z]{5}$/.test(code)) return `The database refuses: ${lastPart(message)}.`
  if (CONNECTION_FAULTS.has(code) || /timeout|terminated/i.test(message))
    return `The database cannot be reached: ${message || code}.`
  return wordProblem(error)
}

const firstSentence = (message: string) => message.split(/\.\s|\n/)[0]?.replace(/\.$/, '') ?? message

// knex puts the whole statement before what Postgres says.
const lastPart = (message: string) => message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '')
