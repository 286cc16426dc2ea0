// Adds the role of each administrator in the dashboard. Existing administrators become owners, who may do everything.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE admins ADD COLUMN role text NOT NULL DEFAULT 'owner',
      ADD CONSTRAINT admins__role_known
        CHECK (role IN ('reader', 'front-desk', 'administrator', 'owner')) NOT VALID
  `

export const down = sql`ALTER TABLE admins DROP COLUMN role`
