// Statements of handlers: their rows with a type, and replies that Postgres builds.
import type { Knex } from 'knex'
import { onlyRow } from '../../shared/database/database.ts'
import type { Message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { type JsonTextSql, selectedText } from '../../shared/schemas/json.ts'
import type { JsonText } from '../../shared/utilities/json-text.ts'

/** By position, or by name. */
export type Values = readonly unknown[] | Readonly<Record<string, unknown>>

export async function queryAll<Row>(database: Knex, sql: string, values: Values = []): Promise<Row[]> {
  return (await database.raw<{ rows: Row[] }>(sql, values as Knex.RawBinding[])).rows
}

export async function queryFirst<Row>(database: Knex, sql: string, values: Values): Promise<Row | undefined> {
  return (await queryAll<Row>(database, sql, values))[0]
}

/** For a statement that always returns one row. */
export async function queryOnly<Row>(database: Knex, sql: string, values: Values): Promise<Row> {
  return onlyRow(await queryAll<Row>(database, sql, values))
}

/** Refuses the write if there is no row. */
export async function requireRow<Row>(
  database: Knex,
  sql: string,
  values: Values,
  missing: Message,
): Promise<Row> {
  const found = await queryFirst<Row>(database, sql, values)
  if (!found) throw new Refusal('not_found', missing)
  return found
}

export async function queryIds(database: Knex, sql: string, values: Values): Promise<number[]> {
  return (await queryAll<{ id: number }>(database, sql, values)).map(({ id }) => id)
}

/** The reply, built from the one row of `rows`, which are SQL: what follows FROM. */
export async function queryReply<Reply>(
  database: Knex,
  reply: JsonTextSql<Reply>,
  rows: string,
  values: Values,
): Promise<JsonText<Reply>> {
  const { text } = await queryOnly<{ text: string }>(database, `SELECT ${reply} AS text FROM ${rows}`, values)
  return selectedText(reply, text)
}
