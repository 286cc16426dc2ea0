// Runs the queries of pages: for one row, for all rows, and for the rows of a slice with their total.
import type pg from 'pg'
import type { Message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { type Listed, type Slice, toListed, totalSql } from './paging.ts'

export async function listRows<Row>(reads: pg.Pool, text: string, values: unknown[] = []): Promise<Row[]> {
  return (await reads.query(text, values)).rows
}

export async function findRow<Row>(
  reads: pg.Pool,
  text: string,
  values: unknown[],
): Promise<Row | undefined> {
  return (await listRows<Row>(reads, text, values))[0]
}

/** Without a row, the page answers 404 with this message. */
export async function requireRow<Row>(missing: Message, ...query: Parameters<typeof findRow>): Promise<Row> {
  const row = await findRow<Row>(...query)
  if (row === undefined) throw new Refusal('not_found', missing)
  return row
}

/** `from`: the text after FROM, with its conditions. */
type List = { columns: string; from: string; values?: unknown[]; orderBy: string }

export async function listSlice<Row>(
  reads: pg.Pool,
  { columns, from, values = [], orderBy }: List,
  { offset, limit }: Slice,
): Promise<Listed<Row>> {
  const text = `SELECT ${columns}, ${totalSql(from)} AS total FROM ${from}
    ORDER BY ${orderBy} LIMIT $${values.length + 1} OFFSET $${values.length + 2}`
  return toListed(await listRows<Row & { total: number }>(reads, text, [...values, limit, offset]))
}
