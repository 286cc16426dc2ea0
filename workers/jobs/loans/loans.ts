// Creates and deletes loans. Each write locks the bookable first, so that nobody books it while its owner ends the
// loan.
import { NEWLY_CREATED } from '../../../shared/changes/former-state.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { LOANS_MAX } from '../../../shared/loans/loans.ts'
import {
  AUDITED_LOAN_SQL,
  FIRST_LENT_DAY_SQL,
  LAST_LENT_DAY_SQL,
  loanJson,
} from '../../../shared/loans/loans-shape.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { isHiddenFromSql } from '../../../shared/people/visibility.ts'
import { instantsOfDaysSql } from '../../../shared/schemas/days.ts'
import { dataBodyText, spanColumns } from '../../../shared/schemas/json.ts'
import type { AuditedRow, Handlers, Write } from '../../runtime/write.ts'
import { lockBookable } from '../claims/locks.ts'
import { refuseUnlessOwner } from '../rows/personal-tokens.ts'

export type Days = { from: string; to: string }

const LOAN_NOT_FOUND = message`This desk or room has no loan with this id.`
const NOT_ASSIGNED = message`The desk or room is not assigned to this person.`

export const loanHandlers: Handlers<`loans.${string}`> = {
  async 'loans.create'(write, { bookable_id, user_id, ...days }) {
    if (write.userId !== undefined) refuseUnlessOwner(write, user_id ?? write.userId)
    const { row } = await lockBookable(write, bookable_id)
    const owner = await requireOwner(write, bookable_id, user_id)
    await refuseEndedOrTooMany(write, bookable_id, days)
    await refuseOverlappingLoan(write, String(row['name']), bookable_id, days)
    const id = await insertLoan(write, { bookable_id, user_id: owner, ...days })
    return write.reply(dataBodyText(loanJson), 'loans WHERE loans.id = ?', [id])
  },

  /** Deletes a loan, unless somebody else has booked the bookable on its days. */
  async 'loans.delete'(write, { bookable_id, loan_id }) {
    await lockBookable(write, bookable_id)
    const loan = await write.requireRow<{ user_id: number }>(
      'SELECT user_id FROM loans WHERE id = ? AND bookable_id = ? FOR UPDATE',
      [loan_id, bookable_id],
      LOAN_NOT_FOUND,
    )
    if (write.userId !== undefined && write.userId !== loan.user_id)
      throw new Refusal('not_found', LOAN_NOT_FOUND)
    await refuseIfBookedByOthers(write, loan_id)
    await endLoans(write, [loan_id])
    return null
  },
}

export async function insertLoan(
  write: Write,
  { bookable_id, user_id, from, to, id }: Days & { bookable_id: number; user_id: number; id?: number },
): Promise<number> {
  const columns = id === undefined ? '' : 'id, '
  const inserted = await write.only<AuditedRow>(
    `INSERT INTO loans (${columns}bookable_id, user_id, days) ${id === undefined ? '' : 'OVERRIDING SYSTEM VALUE'}
     VALUES (${id === undefined ? '' : '?, '}?, ?, daterange(?, ?, '[]')) RETURNING id, ${AUDITED_LOAN_SQL} AS row`,
    [...(id === undefined ? [] : [id]), bookable_id, user_id, from, to],
  )
  await write.audit({ action: 'loans.create', id: inserted.id, former: NEWLY_CREATED, after: inserted.row })
  return inserted.id
}

/** Deletes loans and records them in the audit log. Bookings of other people on these days stay. */
export async function endLoans(write: Write, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const former = await write.readFormer('loans', ids)
  const before = await write.all<AuditedRow>(
    `DELETE FROM loans WHERE id = ANY(?::bigint[]) RETURNING id, ${AUDITED_LOAN_SQL} AS row`,
    [ids],
  )
  await write.auditRows('loans.delete', former, { before, after: [] })
}

/**
 * Ends the loans of the bookables by people who stop being their owners. Call this before deleting the assignments: the
 * database then deletes the remaining loans, without a record.
 */
export async function endLoansOfOthers(write: Write, bookableIds: number[], kept: number[]): Promise<void> {
  const ids = await write.ids(
    'SELECT id FROM loans WHERE bookable_id = ANY(?::bigint[]) AND user_id <> ALL(CAST(? AS bigint[])) ORDER BY id',
    [bookableIds, kept],
  )
  await endLoans(write, ids)
}

export async function requireOwner(
  write: Write,
  bookableId: number,
  wanted: InputOf<'loans.create'>['user_id'],
): Promise<number> {
  const asked = wanted ?? write.userId ?? null
  const owners = await write.all<{ user_id: number }>(
    `SELECT user_id FROM bookable_assignees WHERE bookable_id = :bookableId
       AND (CAST(:asked AS bigint) IS NULL OR user_id = CAST(:asked AS bigint)) ORDER BY user_id LIMIT 2`,
    { bookableId, asked },
  )
  const [owner] = owners
  if (!owner) throw invalidFields({ user_id: [NOT_ASSIGNED] })
  if (owners.length === 1) return owner.user_id
  throw invalidFields({ user_id: [message`Several people have this desk or room. Specify who lends it.`] })
}

async function refuseEndedOrTooMany(write: Write, bookableId: number, { to }: Days): Promise<void> {
  const { is_over, number } = await write.only<{ is_over: boolean; number: number }>(
    `SELECT CAST(:to AS date) < today AS is_over, (
       SELECT count(*)::int FROM loans WHERE bookable_id = :bookableId AND upper(days) > today) AS number
     FROM (SELECT timezone(buildings.timezone, CAST(:now AS timestamptz))::date AS today
       FROM bookables JOIN locations ON locations.id = location_id JOIN buildings ON buildings.id = building_id
       WHERE bookables.id = :bookableId) AS local`,
    { bookableId, to, now: write.now },
  )
  if (is_over) throw invalidFields({ to: [message`This day is over.`] })
  if (number >= LOANS_MAX)
    throw new Refusal(
      'in_use',
      message`A desk or room can have at most ${LOANS_MAX} current and upcoming loans.`,
    )
}

/** Refuses days on which the bookable is already lent. */
export async function refuseOverlappingLoan(
  write: Write,
  name: string,
  bookableId: number,
  { from, to }: Days,
): Promise<void> {
  const other = await write.first<Days>(
    `SELECT to_char(${FIRST_LENT_DAY_SQL}, 'YYYY-MM-DD') AS "from", to_char(${LAST_LENT_DAY_SQL}, 'YYYY-MM-DD') AS "to"
     FROM loans WHERE bookable_id = ? AND days && daterange(?, ?, '[]') ORDER BY days LIMIT 1`,
    [bookableId, from, to],
  )
  if (!other) return
  const [first, last] = [{ date: other.from }, { date: other.to }]
  throw new Refusal('in_use', message`${name} is already lent from ${first} to ${last}.`)
}

type BookingInLoan = { name: string; who: string | null; from: string; to: string | null; zone: string }

/** Refuses if somebody other than an owner has booked the bookable on remaining days of the loan. */
export async function refuseIfBookedByOthers(write: Write, loanId: number): Promise<void> {
  const taken = await write.first<BookingInLoan>(
    `SELECT bookables.name, buildings.timezone AS zone, ${spanColumns('bookings')},
       CASE WHEN NOT ${isHiddenFromSql('users.id', 'CAST(:viewer AS bigint)')} THEN users.name END AS who
     FROM loans JOIN bookables ON bookables.id = loans.bookable_id
     JOIN locations ON locations.id = bookables.location_id JOIN buildings ON buildings.id = locations.building_id
     JOIN bookings ON bookings.bookable_id = loans.bookable_id AND bookings.released_at IS NULL
       AND bookings.during && ${instantsOfDaysSql('loans.days', 'buildings.timezone')}
       AND bookings.during && tstzrange(CAST(:now AS timestamptz), NULL)
     LEFT JOIN events ON events.id = bookings.event_id LEFT JOIN holds ON holds.id = bookings.hold_id
     LEFT JOIN users ON users.id = coalesce(bookings.user_id, events.organizer_user_id, holds.user_id)
     WHERE loans.id = :loanId AND NOT EXISTS (SELECT FROM bookable_assignees AS own
       WHERE own.bookable_id = loans.bookable_id AND own.user_id = users.id)
     ORDER BY lower(bookings.during), bookings.id LIMIT 1`,
    { loanId, now: write.now, viewer: write.userId ?? null },
  )
  if (!taken) return
  const { name, who, ...span } = taken
  throw new Refusal(
    'in_use',
    who === null
      ? message`Somebody has reserved ${name} ${span}, so the loan cannot end yet.`
      : message`${who} has reserved ${name} ${span}, so the loan cannot end yet.`,
  )
}
