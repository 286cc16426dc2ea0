// The role of each administrator in the dashboard. Existing ones stay owners, who may do everything.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    ALTER TABLE admins ADD COLUMN role text NOT NULL DEFAULT 'owner',
      ADD CONSTRAINT admins__role_known
        CHECK (role IN ('reader', 'front-desk', 'administrator', 'owner')) NOT VALID
  `)

export const down = (database: Knex) => database.raw('ALTER TABLE admins DROP COLUMN role')
