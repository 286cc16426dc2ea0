// What all commands share: `--help`, closing the database, and failures as one sentence on stderr with exit
// code 1. Only unexpected failures show a stack.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { findEnvironment } from '../local/tools/record.ts'
import { CliError, formatError, print, printError } from '../local/tools/terminal.ts'
import { audit } from '../shared/audit/audit.ts'
import type { AuditAction } from '../shared/audit/audit-actions.ts'
import type { Author } from '../shared/changes/author.ts'
import { connectDatabase } from '../shared/database/database.ts'
import { explainConnectionFault, isDatabaseUnavailable, isLockTimeout } from '../shared/database/faults.ts'
import { findAddressProblem } from '../shared/database/hosts.ts'
import { parseDateTime } from '../shared/utilities/date-times.ts'

export async function runCommand(usage: string, run: (args: string[]) => Promise<void>): Promise<void> {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) return print(usage)
  try {
    await run(args)
  } catch (error) {
    printError(describeFailure(error))
    process.exitCode = 1
  }
}

/** The first argument is the action; the others belong to it. */
export async function runAction(
  actions: Record<string, (args: string[]) => Promise<void>>,
  [name, ...args]: string[],
): Promise<void> {
  const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action) return action(args)
  const known = Object.keys(actions).join(', ')
  throw new CliError(
    name === undefined
      ? `Missing command: use one of ${known} (see --help).`
      : `Unknown command “${name}”: use one of ${known} (see --help).`,
  )
}

export async function withDatabase<T>(work: (database: Knex) => Promise<T>): Promise<T> {
  const database = connectDatabase(findDatabaseUrl(), { applicationName: 'berth-command' })
  // Otherwise knex prints the stack of a refused connection on stdout, and then throws it as well.
  database.client.logger.warn = () => undefined
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}

/** Writes of a command, each with its entry in the audit log; no entry if `describe` returns undefined. */
export function auditedWrites(command: string) {
  return <T>(
    action: Extract<AuditAction, `${'admins' | 'tokens'}.${string}`>,
    write: (trx: Knex.Transaction) => Promise<T>,
    describe: (result: T) => { id: number; after?: object } | undefined,
  ): Promise<T> =>
    withDatabase((database) =>
      database.transaction(async (trx) => {
        const result = await write(trx)
        const written = describe(result)
        if (written) await audit(trx, authorOf(command), { action, ...written })
        return result
      }),
    )
}

type Cell = string | number | string[] | null

type Columns<Row> = { [Name in keyof Row]?: string }

/** One JSON value for scripts, or a table of the named members for people. */
export function printList<Row extends object>(
  rows: Row[],
  { json, none, columns }: { json: boolean; none: string; columns: Columns<Row> },
): void {
  if (json) print(JSON.stringify(rows))
  else print(rows.length === 0 ? none : formatTable(rows, columns))
}

function formatTable<Row extends object>(rows: Row[], columns: Columns<Row>): string {
  const names = Object.keys(columns) as Array<keyof Row & string>
  const cells = rows.map((row) => names.map((name) => formatCell(name, row[name] as Cell)))
  const lines = [names.map((name) => columns[name] ?? ''), ...cells]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const format = (line: string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return lines.map((line) => format(line).trimEnd()).join('\n')
}

function formatCell(name: string, value: Cell): string {
  if (!name.endsWith('At')) return String(value)
  return value === null ? '-' : `${String(value).slice(0, 16).replace('T', ' ')} UTC`
}

/** The database returns instants in the connection's time zone, with a space. */
export function toInstant(text: string | null): string | null {
  return text === null ? null : (parseDateTime(text.replace(' ', 'T'))?.instant ?? null)
}

/** The author of a command's writes in the audit log. */
export function authorOf(command: string): Author {
  return {
    actor: { type: 'system', id: null, name: command },
    requestId: randomUUID(),
    attempt: randomUUID(),
  }
}

function findDatabaseUrl(): string {
  const { databaseUrl } = findEnvironment()
  const problem = findAddressProblem(databaseUrl)
  if (problem === undefined) return databaseUrl
  throw new CliError(`DATABASE_URL ${problem}.`)
}

/** The only argument of an action on one thing, such as `npm run token -- revoke ID`. */
export function readId([text = '', ...others]: string[], noun: 'token' | 'user', action: string): number {
  if (/^[1-9]\d{0,14}$/.test(text) && others.length === 0) return Number(text)
  throw new CliError(`Give the id of one ${noun}: npm run ${noun} -- ${action} ID.`)
}

type Limits = { min: number; max: number }

/** The values of these options, which are whole numbers. */
export const readNumbers = <Name extends string>(
  values: Record<NoInfer<Name>, string>,
  options: Record<Name, Limits>,
) =>
  Object.fromEntries(
    (Object.keys(options) as Name[]).map((name) => [
      name,
      readWholeNumber(name, values[name], options[name]),
    ]),
  ) as Record<Name, number>

export function readWholeNumber(name: string, text: string, { min, max }: Limits): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new CliError(`--${name} must be a whole number from ${min} to ${max}, not “${text}”.`)
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error) || error instanceof CliError) return formatError(error)
  const { code = '', message } = error as NodeJS.ErrnoException
  // Node's message continues; its first sentence names the option.
  if (code.startsWith('ERR_PARSE_ARGS')) return `${firstSentence(message)} (see --help).`
  if (code === '42P01') return 'The database is not up to date. Run npm run migrate.'
  const reason = explainConnectionFault(error)
  if (reason !== undefined) return `Cannot connect to the database: it ${reason} (${message}).`
  if (isLockTimeout(error))
    return 'A table is in use for too long: end what holds it (see pg_locks), and try again. Nothing was changed.'
  if (/^[0-9A-Z]{5}$/.test(code)) return `Database error: ${lastPart(message)}.`
  if (isDatabaseUnavailable(error)) return `Cannot connect to the database: ${message || code}.`
  return formatError(error)
}

const firstSentence = (message: string) => message.split(/\.\s|\n/)[0]?.replace(/\.$/, '') ?? message

// knex puts the whole statement before Postgres's message.
const lastPart = (message: string) => message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '')
