// SQL that finds claims by time. Most claims last at most a day, so those that overlap a range start at most a day
// before it, and the index of starts finds them. The few longer claims have their own index.

/**
 * Wraps a timestamp parameter of a prepared statement in a subquery. Otherwise Postgres plans the statement again
 * whenever it expects fewer rows for the given values. With years of bookings, planning takes longer than the query
 * itself: half a millisecond or more.
 */
export const timestampSql = (value: string): string => `(SELECT ${value}::timestamptz)`

/**
 * SQL that searches exclusive claims and other claims separately, because each kind has its own index by bookable and
 * time. Only a home office can have several claims at the same time.
 */
export const claimsSql = (condition: string): string =>
  ['bookings.exclusive', 'NOT bookings.exclusive']
    .map((kind) => `SELECT * FROM bookings WHERE ${kind} AND ${condition}`)
    .join(' UNION ALL ')

// Must match the index bookings__long_lookup. The interval is 24 hours and not one day, because a day may have 23 or 25
// hours.
const DAY_SQL = "interval '24 hours'"
const IS_LONGER_THAN_DAY_SQL = `(upper_inf(bookings.during) OR upper(bookings.during) - lower(bookings.during) > ${DAY_SQL})`
const dayBeforeSql = (moment: string) => `(${moment}::timestamptz - ${DAY_SQL})`

const startedWithinDaySql = (from: string, to: string) =>
  `lower(bookings.during) >= ${dayBeforeSql(from)} AND lower(bookings.during) < ${to}
    AND bookings.during && tstzrange(${from}, ${to})`
const startedEarlierSql = (from: string) =>
  `${IS_LONGER_THAN_DAY_SQL} AND lower(bookings.during) < ${dayBeforeSql(from)} AND bookings.during @> ${from}::timestamptz`

/**
 * Returns two queries for the claims that overlap the range and meet the condition. `bookables` is SQL that selects the
 * ids of their bookables; by default, all bookables count. The second query has so few rows that Postgres reads it
 * completely (OFFSET 0): otherwise Postgres would search the whole history in the order of starts for the first rows of
 * a page.
 */
export function claimsBetweenSql(from: string, to: string, condition: string, bookables?: string): string[] {
  const [recent, older] = [
    startedWithinDaySql(from, to),
    `${startedEarlierSql(from)} AND ${condition} OFFSET 0`,
  ]
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
 * Returns two queries for the claims of these users that overlap the range. `users` is SQL for an array of ids. Because
 * of IS TRUE, only the index bookings__long_user_lookup fits the second query: with another index, Postgres would read
 * everything that the users have ever booked.
 */
export const claimsOfUsersSql = (users: string, from: string, to: string): string => `
  SELECT * FROM bookings WHERE bookings.user_id = ANY (${users}) AND ${startedWithinDaySql(from, to)}
  UNION ALL
  SELECT * FROM bookings WHERE bookings.user_id = ANY (${users}) AND ${IS_LONGER_THAN_DAY_SQL}
    AND (lower(bookings.during) < ${dayBeforeSql(from)} AND bookings.during @> ${from}::timestamptz) IS TRUE`

/** SQL that selects the claims that occupy the current row of bookables at a moment. */
export const claimsAtSql = (moment: string): string => `
  SELECT * FROM bookings
  WHERE bookings.bookable_id = bookables.id AND lower(bookings.during) >= ${dayBeforeSql(moment)}
    AND lower(bookings.during) <= ${moment} AND bookings.during @> ${moment}::timestamptz
  UNION ALL
  (SELECT * FROM bookings WHERE bookings.bookable_id = bookables.id AND ${startedEarlierSql(moment)} OFFSET 0)`

/** SQL that selects the claims on one bookable that overlap the range. */
export const claimsOfBookableSql = (bookable: string, from: string, to: string): string => `
  SELECT * FROM bookings WHERE bookings.bookable_id = ${bookable} AND ${startedWithinDaySql(from, to)}
  UNION ALL
  (SELECT * FROM bookings WHERE bookings.bookable_id = ${bookable} AND ${startedEarlierSql(from)} OFFSET 0)`

/** SQL condition that an exclusive claim occupies the current row of bookables at some moment of the range.
 * Postgres checks row by row (OFFSET 0) with the index of starts. The index of the exclusion constraint would
 * take three times as long, so the condition is written in a form that does not match that index. */
export const isTakenSql = (from: string, to: string): string => {
  const claim = (when: string) => `EXISTS (SELECT FROM bookings
    WHERE bookings.bookable_id = bookables.id AND bookings.exclusive::int = 1 AND ${when} OFFSET 0)`
  return `(${claim(startedWithinDaySql(from, to))} OR ${claim(startedEarlierSql(from))})`
}
