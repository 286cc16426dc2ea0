// The language of the page on which somebody asked for a sign-in link. The mail is in this language if its person has none yet.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE mails ADD COLUMN language text`

export const down = sql`ALTER TABLE mails DROP COLUMN language`
