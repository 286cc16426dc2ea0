// A migration step that consists of SQL only.
import type { Knex } from 'knex'

export const sql =
  (texts: TemplateStringsArray, ...values: string[]) =>
  (database: Knex) =>
    database.raw(String.raw({ raw: texts }, ...values))
