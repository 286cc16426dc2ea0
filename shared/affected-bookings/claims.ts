// The claims at some time. Most last a day at most: those that overlap a range began at most a day before it,
// and the index of starts finds them, whatever their kind. The few that last longer have an index of their
// own.

/**
 * A moment that a prepared statement is given, as a subquery. Postgres plans a statement anew for each use if the values
 * promise it fewer rows, and with years of bookings that takes longer than finding them: half a millisecond and more.
 */
export const momentSql = (value: string): string => `(SELECT ${value}::timestamptz)`

/** Home offices have many claims at the same time; each kind has its own index by bookable and time. */
export const claimsOf = (condition: string): string =>
  ['bookings.exclusive', 'NOT bookings.exclusive']
    .map((kind) => `SELECT * FROM bookings WHERE ${kind} AND ${condition}`)
    .join(' UNION ALL ')

// Matches the index bookings__long_lookup. Not a day, which may have 23 or 25 hours.
const DAY = "interval '24 hours'"
const LASTS_LONGER = `(upper_inf(bookings.during) OR upper(bookings.during) - lower(bookings.during) > ${DAY})`
const dayBefore = (moment: string) => `(${moment}::timestamptz - ${DAY})`

const begunWithinADay = (from: string, to: string) =>
  `lower(bookings.during) >= ${dayBefore(from)} AND lower(bookings.during) < ${to}
    AND bookings.during && tstzrange(${from}, ${to})`
const begunBefore = (from: string) =>
  `${LASTS_LONGER} AND lower(bookings.during) < ${dayBefore(from)} AND bookings.during @> ${from}::timestamptz`

/**
 * The claims that overlap the range and meet the condition, in two parts; `bookables` is SQL that selects the
 * ids of their bookables, by default all. The second part has so few rows that it is read completely (OFFSET
 * 0): for the first rows of a page Postgres would search the whole history in the order of starts.
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

/**
 * The claims of these users (SQL: an array of ids) that overlap the range, in two parts. IS TRUE leaves only the index
 * bookings__long_user_lookup for the second part: with others Postgres would read all that they have ever booked.
 */
export const claimsOfUsers = (users: string, from: string, to: string): string => `
  SELECT * FROM bookings WHERE bookings.user_id = ANY (${users}) AND ${begunWithinADay(from, to)}
  UNION ALL
  SELECT * FROM bookings WHERE bookings.user_id = ANY (${users}) AND ${LASTS_LONGER}
    AND (lower(bookings.during) < ${dayBefore(from)} AND bookings.during @> ${from}::timestamptz) IS TRUE`

/** The claims that hold the current row of bookables at a moment. */
export const claimsAt = (moment: string): string => `
  SELECT * FROM bookings
  WHERE bookings.bookable_id = bookables.id AND lower(bookings.during) >= ${dayBefore(moment)}
    AND lower(bookings.during) <= ${moment} AND bookings.during @> ${moment}::timestamptz
  UNION ALL
  (SELECT * FROM bookings WHERE bookings.bookable_id = bookables.id AND ${begunBefore(moment)} OFFSET 0)`

/** The claims on one bookable that overlap the range. */
export const claimsOfBookable = (bookable: string, from: string, to: string): string => `
  SELECT * FROM bookings WHERE bookings.bookable_id = ${bookable} AND ${begunWithinADay(from, to)}
  UNION ALL
  (SELECT * FROM bookings WHERE bookings.bookable_id = ${bookable} AND ${begunBefore(from)} OFFSET 0)`

/**
 * Whether an exclusive claim holds the current row of bookables at some moment of the range. It checks row by
 * row (OFFSET 0), with the index of starts: that of the exclusion constraint takes three times as long, so
 * the condition is written in a form that does not match it.
 */
export const isTaken = (from: string, to: string): string => {
  const claim = (when: string) => `EXISTS (SELECT FROM bookings
    WHERE bookings.bookable_id = bookables.id AND bookings.exclusive::int = 1 AND ${when} OFFSET 0)`
  return `(${claim(begunWithinADay(from, to))} OR ${claim(begunBefore(from))})`
}
