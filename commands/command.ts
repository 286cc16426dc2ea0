// Implements what all commands share: `--help`, closing the database, and reporting failures as one sentence
// on stderr with exit code 1. Only unexpected failures print a stack trace.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { findEnvironment } from '../local/tools/record.ts'
import { CliError, formatError, print, printError } from '../local/tools/terminal.ts'
import { recordAudit } from '../shared/audit/audit.ts'
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

/** Runs the action that the first argument names, with the remaining arguments. */
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
  // By default, knex prints the stack trace of a refused connection on stdout, and then throws it as well.
  database.client.logger.warn = () => undefined
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}

/**
 * Returns a function that runs a write of a command and adds an entry to the audit log. Adds no entry if `describe`
 * returns undefined.
 */
export function createAuditedWriter(command: string) {
  return <T>(
    action: Extract<AuditAction, `${'admins' | 'tokens'}.${string}`>,
    write: (trx: Knex.Transaction) => Promise<T>,
    describe: (result: T) => { id: number; after?: object } | undefined,
  ): Promise<T> =>
    withDatabase((database) =>
      database.transaction(async (trx) => {
        const result = await write(trx)
        const written = describe(result)
        if (written) await recordAudit(trx, createCommandAuthor(command), { action, ...written })
        return result
      }),
    )
}

type Cell = string | number | string[] | null

type Columns<Row> = { [Name in keyof Row]?: string }

/** Prints one JSON value for scripts, or a table of the given columns for people. */
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

/** Converts a time as Postgres prints it, with a space and the connection's time zone, to an ISO instant. */
export function toInstant(text: string | null): string | null {
  return text === null ? null : (parseDateTime(text.replace(' ', 'T'))?.instant ?? null)
}

/** Returns the author that the audit log shows for a command's writes. */
export function createCommandAuthor(command: string): Author {
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

/** Reads the id that is the only argument of an action, as in `npm run token -- revoke ID`. */
export function readId([text = '', ...others]: string[], noun: 'token' | 'user', action: string): number {
  if (/^[1-9]\d{0,14}$/.test(text) && others.length === 0) return Number(text)
  throw new CliError(`Give the id of one ${noun}: npm run ${noun} -- ${action} ID.`)
}

type NumberLimits = { min: number; max: number }

/** Reads options whose values are whole numbers. */
export const readNumbers = <Name extends string>(
  values: Record<NoInfer<Name>, string>,
  options: Record<Name, NumberLimits>,
) =>
  Object.fromEntries(
    (Object.keys(options) as Name[]).map((name) => [
      name,
      readWholeNumber(name, values[name], options[name]),
    ]),
  ) as Record<Name, number>

export function readWholeNumber(name: string, text: string, { min, max }: NumberLimits): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new CliError(`--${name} must be a whole number from ${min} to ${max}, not “${text}”.`)
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error) || error instanceof CliError) return formatError(error)
  const { code = '', message } = error as NodeJS.ErrnoException
  // Node's message has several sentences. Only the first one names the option.
  if (code.startsWith('ERR_PARSE_ARGS')) return `${takeFirstSentence(message)} (see --help).`
  if (code === '42P01') return 'The database is not up to date. Run npm run migrate.'
  const reason = explainConnectionFault(error)
  if (reason !== undefined) return `Cannot connect to the database: it ${reason} (${message}).`
  if (isLockTimeout(error))
    return 'A table is in use for too long: end what holds it (see pg_locks), and try again. Nothing was changed.'
  if (/^[0-9A-Z]{5}$/.test(code)) return `Database error: ${removeStatement(message)}.`
  if (isDatabaseUnavailable(error)) return `Cannot connect to the database: ${message || code}.`
  return formatError(error)
}

const takeFirstSentence = (message: string) => message.split(/\.\s|\n/)[0]?.replace(/\.$/, '') ?? message

// Removes the statement that knex puts before Postgres's message.
const removeStatement = (message: string) => message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '')
