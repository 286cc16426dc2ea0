// The user export: the active users by id. Postgres writes the csv itself; a spreadsheet is written from its rows.
import type { Readable } from 'node:stream'

import { finished } from 'node:stream/promises'

import { to as copyTo } from 'pg-copy-streams'
import { rawConnection } from '../connection.ts'
import type { Transaction } from '../context.ts'
import { copiedRows } from '../sheets/copy-format.ts'
import { writeXlsx } from '../sheets/write/xlsx.ts'

export const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

export type ExportSource = { source: AsyncIterable<Buffer | string>; contentType: string }

export async function openUserExport(trx: Transaction, format: 'csv' | 'xlsx'): Promise<ExportSource> {
  // Room to sort and to join some hundred thousand users without the disk.
  await trx.raw("SET LOCAL work_mem = '64MB'")
  const attributes = await attributesInUse(trx)
  const connection = await rawConnection(trx)
  const copied = (statement: string) => readToEnd(connection.query(copyTo(statement)))
  if (format === 'csv') return { source: copied(csvStatement(attributes)), contentType: CONTENT_TYPES.csv }
  const header = columnsOf(attributes).map(([name]) => name)
  const rows = copiedRows(copied(`COPY (${exportedUsersSql(attributes, (cell) => cell)}) TO STDOUT`))
  return { source: writeXlsx(header, rows), contentType: CONTENT_TYPES.xlsx }
}

const csvStatement = (attributes: string[]) =>
  `COPY (${exportedUsersSql(attributes, guardFormula)}) TO STDOUT WITH (FORMAT csv, HEADER)`

// A COPY that is broken off leaves its connection in the middle of a conversation, in which no ROLLBACK is heard: when
// its caller has gone, the rest is read and thrown away.
async function* readToEnd(copied: Readable): AsyncGenerator<Buffer> {
  try {
    yield* copied.iterator({ destroyOnReturn: false })
  } finally {
    if (!copied.readableEnded && !copied.destroyed) await finished(copied.resume())
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

export function exportedUsersSql(attributes: string[], write: (cell: string) => string): string {
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
// number is left as it is. Most cells begin with a letter or a digit, and comparing them takes a tenth of matching them.
export const guardFormula = (cell: string) => `CASE
  WHEN ${cell} COLLATE "C" >= 'A' THEN ${cell}
  WHEN ${cell} COLLATE "C" >= '0' AND ${cell} COLLATE "C" < '=' THEN ${cell}
  WHEN ${cell} ~ E'^\\'*[=+\\\\-@\\t\\r]' AND ${cell} !~ '^\\+[0-9 ]+$' THEN '''' || ${cell}
  ELSE nullif(${cell}, '') END`

// Nearly always the first thousand users have them all: to see that the others have no more takes half as long as to
// list what each of them has.
export async function attributesInUse(trx: Transaction): Promise<string[]> {
  const { rows } = await trx.raw(`
    WITH active AS NOT MATERIALIZED (
      SELECT extension_attributes AS attributes FROM users WHERE deactivated_at IS NULL
    ), known AS MATERIALIZED (
      SELECT coalesce(array_agg(DISTINCT key), '{}') AS keys
      FROM (SELECT attributes FROM active LIMIT 1000) AS first, jsonb_object_keys(first.attributes) AS key
    ), others AS MATERIALIZED (
      SELECT DISTINCT jsonb_object_keys(attributes - known.keys) AS key
      FROM active, known WHERE attributes - known.keys <> '{}'
    )
    SELECT key FROM (SELECT unnest(keys) AS key FROM known UNION ALL SELECT key FROM others) AS used
    WHERE key ~ '^extensionAttribute[1-9][0-9]{0,1}$'`)
  const numberOf = (name: string) => Number(name.replace(/\D/g, ''))
  return rows.map((row: { key: string }) => row.key).sort((a: string, b: string) => numberOf(a) - numberOf(b))
}
