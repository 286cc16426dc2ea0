// The user export: the active users by id. Postgres writes the csv itself; a spreadsheet is written from its rows.
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import Cursor from 'pg-cursor'
import { rawConnection } from '../connection.ts'
import type { Transaction } from '../context.ts'
import { writeXlsx } from '../sheets/write-users.ts'

export const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

export type ExportSource = { source: AsyncIterable<Buffer | string>; contentType: string }

const BATCH = 1_000

export async function exportSource(trx: Transaction, format: 'csv' | 'xlsx'): Promise<ExportSource> {
  const attributes = await attributesInUse(trx)
  const connection = await rawConnection(trx)
  const contentType = CONTENT_TYPES[format]
  if (format === 'csv') {
    const statement = `COPY (${usersSql(attributes, harmless)}) TO STDOUT WITH (FORMAT csv, HEADER)`
    return { source: toItsEnd(connection.query(copyTo(statement)) as unknown as Readable), contentType }
  }
  const header = columnsOf(attributes).map(([name]) => name)
  return {
    source: writeXlsx(
      header,
      rowsOf(
        connection,
        usersSql(attributes, (cell) => cell),
      ),
    ),
    contentType,
  }
}

// A COPY that is broken off leaves its connection in the middle of a conversation, in which no ROLLBACK is heard: when
// its caller has gone, the rest is read and thrown away.
async function* toItsEnd(copied: Readable): AsyncGenerator<Buffer> {
  try {
    yield* copied.iterator({ destroyOnReturn: false })
  } finally {
    if (!copied.readableEnded && !copied.destroyed) await finished(copied.resume())
  }
}

async function* rowsOf(connection: pg.Client, text: string): AsyncGenerator<string[]> {
  const cursor = connection.query(new Cursor<string[]>(text, [], { rowMode: 'array' }))
  try {
    for (;;) {
      const rows = await cursor.read(BATCH)
      if (rows.length === 0) return
      for (const row of rows) yield row.map((cell) => cell ?? '')
    }
  } finally {
    await cursor.close()
  }
}

type Column = readonly [name: string, expression: string]

function columnsOf(attributes: string[]): Column[] {
  return [
    ['id', 'users.id::text'],
    ['email', 'users.email'],
    ['name', 'users.name'],
    ['upn', 'users.upn'],
    ['groups', 'memberships.names'],
    ['license_plates', 'plates.names'],
    ...attributes.map((name) => [name, `(users.extension_attributes ->> '${name}')`] as const),
  ]
}

function usersSql(attributes: string[], write: (cell: string) => string): string {
  const cells = columnsOf(attributes).map(([name, expression]) => `${write(expression)} AS "${name}"`)
  return `
    SELECT ${cells.join(', ')}
    FROM users
    LEFT JOIN (
      SELECT group_members.user_id, string_agg(groups.name, ';' ORDER BY groups.name) AS names
      FROM group_members JOIN groups ON groups.id = group_members.group_id
      GROUP BY group_members.user_id
    ) AS memberships ON memberships.user_id = users.id
    LEFT JOIN (
      SELECT user_id, string_agg(license_plate, ';' ORDER BY license_plate) AS names FROM vehicles GROUP BY user_id
    ) AS plates ON plates.user_id = users.id
    WHERE users.deactivated_at IS NULL
    ORDER BY users.id`
}

// A cell that a spreadsheet would take for a formula gets one apostrophe; the import takes it off again. A telephone
// number is left as it is.
const harmless = (cell: string) => `CASE
  WHEN ${cell} ~ E'^\\'*[=+\\\\-@\\t\\r]' AND ${cell} !~ '^\\+[0-9 ]+$' THEN '''' || ${cell}
  ELSE nullif(${cell}, '') END`

async function attributesInUse(trx: Transaction): Promise<string[]> {
  const { rows } = await trx.raw(`
    SELECT DISTINCT key FROM users, jsonb_object_keys(extension_attributes) AS key
    WHERE deactivated_at IS NULL AND key ~ '^extensionAttribute[1-9][0-9]{0,1}$'`)
  const numberOf = (name: string) => Number(name.replace(/\D/g, ''))
  return rows.map((row: { key: string }) => row.key).sort((a: string, b: string) => numberOf(a) - numberOf(b))
}
