// Finds a token by the secret that it had before its rotation.
import type { Knex } from 'knex'

export const config = { transaction: false }

export async function up(database: Knex): Promise<void> {
  // What a try that died has left.
  await database.raw('DROP INDEX CONCURRENTLY IF EXISTS tokens__previous_hash')
  await database.raw(
    'CREATE UNIQUE INDEX CONCURRENTLY tokens__previous_hash ON tokens (previous_hash) WHERE previous_hash IS NOT NULL',
  )
}

export async function down(database: Knex): Promise<void> {
  await database.raw('DROP INDEX CONCURRENTLY IF EXISTS tokens__previous_hash')
}
