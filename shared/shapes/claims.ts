// The claims at some time. Most last a day at most: those that overlap a range have begun within a day before it, and are
// found by the index of starts, whatever their kind. The few that last longer have an index of their own.

/** Home offices have many claims at the same time; each kind has an index by bookable and time. */
export const claimsOf = (condition: string): string =>
  ['bookings.exclusive', 'NOT bookings.exclusive']
    .map((kind) => `SELECT * FROM bookings WHERE ${kind} AND ${condition}`)
    .join(' UNION ALL ')

// As the index bookings__long_lookup has it. Not a day, which may have 23 or 25 hours.
const DAY = "interval '24 hours'"
const LASTS_LONGER = `(upper_inf(bookings.during) OR upper(bookings.during) - lower(bookings.during) > ${DAY})`
const dayBefore = (moment: string) => `(${moment}::timestamptz - ${DAY})`

const begunWithinADay = (from: string, to: string) =>
  `lower(bookings.during) >= ${dayBefore(from)} AND lower(bookings.during) < ${to}
    AND bookings.during && tstzrange(${from}, ${to})`
const begunBefore = (from: string) =>
  `${LASTS_LONGER} AND lower(bookings.during) < ${dayBefore(from)} AND bookings.during @> ${from}::timestamptz`

/**
 * Those that overlap the range and for which the condition holds, in two parts; `bookables` is SQL that selects the ids of
 * theirs, without it they are of all. Those of the second part are so few that they are found whole (OFFSET 0): for the
 * first ones of a page Postgres would look through all of history in the order of starts.
 */
export function claimsBetween(from: string, to: string, condition: string, bookables?: string): string[] {
  const [recent, older] = [begunWithinADay(from, to), `${begunBefore(from)} AND ${condition} OFFSET 0`]
  if (bookables === undefined) {
    return [
      `SELECT * FROM bookings WHERE ${condition} AND ${recent}`,
      `(SELECT * FROM bookings WHERE ${older})`,
    ]
  }
  return [
    `SELECT * FROM bookings WHERE bookings.bookable_id = ANY (ARRAY(${bookables})) AND ${condition} AND ${recent}`,
    `(SELECT bookings.* FROM (${bookables}) AS bookables (id)
      JOIN bookings ON bookings.bookable_id = bookables.id WHERE ${older})`,
  ]
}

/** Those on the row of bookables that is looked at which hold it at a moment. */
export const claimsAt = (moment: string): string => `
  SELECT * FROM bookings
  WHERE bookings.bookable_id = bookables.id AND lower(bookings.during) >= ${dayBefore(moment)}
    AND lower(bookings.during) <= ${moment} AND bookings.during @> ${moment}::timestamptz
  UNION ALL
  (SELECT * FROM bookings WHERE bookings.bookable_id = bookables.id AND ${begunBefore(moment)} OFFSET 0)`

/** Those of one bookable that overlap the range. */
export const claimsOfBookable = (bookable: string, from: string, to: string): string => `
  SELECT * FROM bookings WHERE bookings.bookable_id = ${bookable} AND ${begunWithinADay(from, to)}
  UNION ALL
  (SELECT * FROM bookings WHERE bookings.bookable_id = ${bookable} AND ${begunBefore(from)} OFFSET 0)`

/**
 * Whether a claim holds the row of bookables that is looked at for itself alone at some moment of the range. One by one
 * (OFFSET 0), and by the index of starts: that of the exclusion constraint takes three times as long, so it must not be seen
 * that this is its condition.
 */
export const isTaken = (from: string, to: string): string => {
  const claim = (when: string) => `EXISTS (SELECT FROM bookings
    WHERE bookings.bookable_id = bookables.id AND bookings.exclusive::int = 1 AND ${when} OFFSET 0)`
  return `(${claim(begunWithinADay(from, to))} OR ${claim(begunBefore(from))})`
}
