// Sorts names as people do, with numbers by value: Desk 0.2 before Desk 0.11.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`CREATE COLLATION natural_order (provider = icu, locale = 'und-u-kn-true')`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP COLLATION natural_order')
}
