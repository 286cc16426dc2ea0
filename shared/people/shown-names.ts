// Selects what strangers may see of people on a screen or in the calendar of a place: names, initials or nothing. Hidden data
// never leaves the database. It names nobody who is deactivated, or who does not show themselves to everybody.
import { message } from '../messages/message.ts'
import { choice } from '../schemas/fields.ts'
import { isShownToEverybody } from './visibility.ts'

/** `none` also hides what people do. */
export const SHOWN_NAMES = ['full', 'initials', 'none'] as const
export type ShownNames = (typeof SHOWN_NAMES)[number]

export const shownNames = () =>
  choice(SHOWN_NAMES, (name) => message`${name} must be one of ${SHOWN_NAMES.join(', ')}.`)

/** Whether `people`, an alias of users, has a row and this person shows themselves to everybody. */
export const isShown = (people: string): string =>
  `${people}.id IS NOT NULL AND ${isShownToEverybody(`${people}.id`)}`

const initials = (people: string) => `(SELECT string_agg(upper(left(word, 1)), '' ORDER BY position)
  FROM regexp_split_to_table(btrim(${people}.name), '\\s+') WITH ORDINALITY AS words (word, position) WHERE position <= 3)`

/**
 * The name or initials of `people`, depending on `names` (SQL); null if the person is not named. A booking or an event of somebody
 * who is deactivated may still hold its place, but they are not there.
 */
export const shownName = (people: string, names: string, condition = 'true'): string =>
  `CASE WHEN ${condition} AND ${people}.deactivated_at IS NULL AND ${isShown(people)}
     THEN CASE ${names} WHEN 'full' THEN ${people}.name WHEN 'initials' THEN ${initials(people)} END END`
