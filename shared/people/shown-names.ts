// SQL for what the public may see of people on a screen or in the calendar of a place: names, initials or nothing.
// Hidden data never leaves the database. Deactivated people, and people who are not visible to everybody, are never
// named.
import { message } from '../messages/message.ts'
import { choice } from '../schemas/fields.ts'
import { isShownToEverybodySql } from './visibility.ts'

/** The choices of how people are named in public. `none` also hides the purpose of bookings and events. */
export const SHOWN_NAMES = ['full', 'initials', 'none'] as const
export type ShownNames = (typeof SHOWN_NAMES)[number]

export const shownNamesInput = () =>
  choice(SHOWN_NAMES, (name) => message`${name} must be one of ${SHOWN_NAMES.join(', ')}.`)

/** SQL condition that the row `people` (an alias of users) exists, and this person is visible to everybody. */
export const isPersonShownSql = (people: string): string =>
  `${people}.id IS NOT NULL AND ${isShownToEverybodySql(`${people}.id`)}`

const initialsSql = (people: string) => `(SELECT string_agg(upper(left(word, 1)), '' ORDER BY position)
  FROM regexp_split_to_table(btrim(${people}.name), '\\s+') WITH ORDINALITY AS words (word, position) WHERE position <= 3)`

/** SQL for the name or the initials of the person in the row `people`, depending on `names` (SQL), or null if
 * the person must not be named. A deactivated person is not named, although their booking or event may still
 * occupy its place. */
export const shownNameSql = (people: string, names: string, condition = 'true'): string =>
  `CASE WHEN ${condition} AND ${people}.deactivated_at IS NULL AND ${isPersonShownSql(people)}
     THEN CASE ${names} WHEN 'full' THEN ${people}.name WHEN 'initials' THEN ${initialsSql(people)} END END`
