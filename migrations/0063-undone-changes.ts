// Lets an audit log entry refer to the earlier entry that it undoes.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE audit_log ADD COLUMN undoes bigint`

export const down = sql`ALTER TABLE audit_log DROP COLUMN undoes`
