// An entry of the audit log may undo an earlier one.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE audit_log ADD COLUMN undoes bigint`

export const down = sql`ALTER TABLE audit_log DROP COLUMN undoes`
