// Reads spreadsheets as the import does, and parses the lines for COPY as Postgres does.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describeRowError, type RowErrors } from '../../../../shared/imports/headings.ts'
import { mapTextFields, USER_TEXTS, type UserText } from '../../../../shared/imports/user-columns.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { writeEnglish } from '../../../../shared/messages/write-message.ts'
import { openSheet } from '../../../../workers/sheets/formats/open-sheet.ts'
import type { SheetRow } from '../../../../workers/sheets/formats/sheet.ts'
import { spoolFile } from '../../../../workers/sheets/formats/spooled-file.ts'
import type { ChildMessage } from '../../../../workers/sheets/list-lines.ts'
import { LISTS } from '../../../../workers/sheets/lists/lists.ts'
import { readList, type SheetLimits } from '../../../../workers/sheets/read-list.ts'

// The time limit suits a busy machine; another test covers files that take too long.
export const SHEET_LIMITS: SheetLimits = { rowsMax: 200_000, memoryMb: 160, timeMs: 150_000 }

export type StagedRow = Record<UserText, string | null> & {
  row_number: number
  id: string | null
  email: string | null
  attributes: Record<string, string> | null
  groups: string[] | null
  license_plates: string[] | null
  errors: Record<string, string[]> | null
}

export function readSample(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, '../files', name))
}

// Loaded like in the reading process: with sources, a program would otherwise load some modules twice.
const loadReader = () => import('../../../../workers/sheets/list-lines.ts')

/** Reads a file in the test process, which saves half a second each time. */
export async function stageFile(file: Buffer | string) {
  let columns: string[] = []
  let done: number | undefined
  const tell = async (message: ChildMessage) => {
    if (message.kind === 'columns') columns = message.columns
    if (message.kind === 'done') done = message.rows
  }
  const { linesOf } = await loadReader()
  const pieces: Buffer[] = []
  const source = Readable.from([Buffer.from(file)])
  for await (const piece of linesOf(source, { list: 'users', rowsMax: SHEET_LIMITS.rowsMax }, tell))
    pieces.push(piece)
  return { columns, rows: parseLines(Buffer.concat(pieces).toString()), done }
}

/** Reads a file in the test process, and returns the message of the refusal. */
export async function readRefusedMessage(file: Buffer | string): Promise<ChildMessage & { kind: 'refused' }> {
  try {
    await stageFile(file)
  } catch (error) {
    const { refusedMessage } = await loadReader()
    const message = refusedMessage(error)
    if (message.kind === 'refused') return message
  }
  throw new Error('The file was read')
}

/** Reads a file in a separate process, and returns the refusal. */
export async function readRefusal(file: Buffer | string, limits = SHEET_LIMITS): Promise<Refusal> {
  const sheet = readList(Readable.from(splitIntoPieces(Buffer.from(file))), limits)
  sheet.rows.resume()
  try {
    await sheet.done
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('The file was read')
}

/** Returns the rows of a sheet unchanged. Reads the file in the test process. */
export async function readCells(file: Buffer | string): Promise<SheetRow[]> {
  const spooled = await spoolFile(Readable.from([Buffer.from(file)]))
  try {
    const rows: SheetRow[] = []
    for await (const batch of await openSheet(spooled, LISTS.users.nameEach)) rows.push(...batch)
    return rows
  } finally {
    await spooled.handle.close()
  }
}

/** Returns the errors as the API shows them. */
export function writeRowErrors(row: number, json: string): Record<string, string[]> {
  const entries = Object.entries(JSON.parse(json) as RowErrors)
  return Object.fromEntries(
    entries.map(([column, rules]) => [
      column,
      rules.map((rule) => writeEnglish(describeRowError(row, rule))),
    ]),
  )
}

export function parseLines(lines: string): StagedRow[] {
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const values = line.split('\t').map((value) => (value === '\\N' ? null : takeEscapesOff(value)))
      const [number, id = null, email = null, ...others] = values
      const [attributes, groups, plates, errors] = others.slice(USER_TEXTS.length)
      return {
        row_number: Number(number),
        id,
        email,
        ...mapTextFields(USER_TEXTS, (name) => others[USER_TEXTS.indexOf(name)] ?? null),
        attributes: attributes ? JSON.parse(attributes) : null,
        groups: groups ? parseArray(groups) : null,
        license_plates: plates ? parseArray(plates) : null,
        errors: errors ? writeRowErrors(Number(number), errors) : null,
      }
    })
}

function takeEscapesOff(value: string): string {
  return value.replace(/\\(.)/g, (_, sign: string) => ({ t: '\t', n: '\n', r: '\r' })[sign] ?? sign)
}

function parseArray(literal: string): string[] {
  return [...literal.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, item = '']) => item.replace(/\\(.)/g, '$1'))
}

function* splitIntoPieces(bytes: Buffer) {
  for (let start = 0; start < bytes.length; start += 256 * 1024)
    yield bytes.subarray(start, start + 256 * 1024)
}
