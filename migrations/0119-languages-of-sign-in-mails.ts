// Stores the language of the page on which somebody requested a sign-in link. The mail with the link uses this language
// if the person has none yet.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE mails ADD COLUMN language text`

export const down = sql`ALTER TABLE mails DROP COLUMN language`
