// Holds: they keep a bookable for somebody who has not booked it yet. The claim of a pending hold is a row of bookings
// with neither user nor event. The row of the hold is the first thing that a write locks.
import { type Times, timesText } from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import { spanColumns, timestampText } from '../../../shared/schemas/json.ts'
import type { AuditedRow, Recorder, Write } from '../../runtime/write.ts'
import type { TimeRange } from './conflicts.ts'
import { changeWaits } from './waits.ts'

export type HoldKind = 'request' | 'offer'
export type HoldState = 'pending' | 'approved' | 'declined' | 'withdrawn' | 'lapsed' | 'released'

type Details = {
  guest_name?: string | null | undefined
  guest_email?: string | null | undefined
  booking_info?: string | null | undefined
  user_vehicle_id?: number | null | undefined
}

export type NewHold = TimeRange &
  Details & {
    kind: HoldKind
    bookable_id: number
    user_id: number
    /** False for a home office. */
    exclusive: boolean
    expiresAt: string
  }

/**
 * Returns the id, or undefined if there is no room. The checks of a booking come before it. Never a plain INSERT of the
 * claim, for the reason in bookings/insert-bookings.ts.
 */
export async function createHold(
  write: Recorder & Pick<Write, 'now'>,
  hold: NewHold,
): Promise<number | undefined> {
  const { guest_name, guest_email, booking_info, user_vehicle_id, ...rest } = hold
  const given = { guest_name, guest_email, booking_info, user_vehicle_id }
  const details = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value || null]))
  const created = await write.first<{ id: number }>(
    `WITH claim AS (
       INSERT INTO bookings (bookable_id, hold_id, during, exclusive)
       VALUES (:bookable_id, nextval('holds_id_seq'), tstzrange(:from, :to), :exclusive)
       ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
       RETURNING hold_id, bookable_id, during
     )
     INSERT INTO holds (id, kind, bookable_id, user_id, during, guest_name, guest_email, booking_info, vehicle_id,
       created_at, expires_at)
     OVERRIDING SYSTEM VALUE
     SELECT hold_id, :kind, bookable_id, :user_id, during, :guest_name, :guest_email, :booking_info,
       CAST(:user_vehicle_id AS bigint), :now, :expiresAt
     FROM claim
     RETURNING id`,
    { ...rest, ...details, now: write.now },
  )
  return created?.id
}

export type Hold = TimeRange & {
  id: number
  kind: HoldKind
  state: HoldState
  bookable_id: number
  location_id: number
  user_id: number
  vehicle_id: number | null
  guest_name: string | null
  guest_email: string | null
  booking_info: string | null
  expiresAt: string
}

const HOLD = `holds.id, kind, state, bookable_id, user_id, vehicle_id, guest_name, guest_email, booking_info,
  (SELECT location_id FROM bookables WHERE bookables.id = bookable_id) AS location_id,
  ${spanColumns('holds')}, ${timestampText('expires_at')} AS "expiresAt"`

/** Another who decides it at the same time waits. */
export function lockHold(write: Recorder, kind: HoldKind, id: number): Promise<Hold | undefined> {
  return write.first<Hold>(`SELECT ${HOLD} FROM holds WHERE id = ? AND kind = ? FOR UPDATE`, [id, kind])
}

/** Frees what a pending hold keeps. To book it in the same transaction leaves nobody else a chance. */
export async function freeHold(write: Recorder, { id }: Pick<Hold, 'id'>): Promise<void> {
  await write.run('DELETE FROM bookings WHERE hold_id = ?', [id])
}

export type Decision = {
  state: Exclude<HoldState, 'pending'>
  /** Of an approved hold. */
  bookingId?: number
  reason?: string | undefined
  /** Absent if nobody decided. */
  by?: Pick<Write, 'actor' | 'userId'>
}

// Only requests are recorded.
const ACTIONS = {
  approved: 'booking_requests.approve',
  declined: 'booking_requests.decline',
  withdrawn: 'booking_requests.withdraw',
  lapsed: 'booking_requests.lapse',
  released: 'booking_requests.release',
} as const

/** Decides holds that are locked and pending, and frees what they keep. */
export async function decideHolds(
  write: Recorder,
  ids: number[],
  { state, bookingId, reason, by }: Decision,
): Promise<void> {
  const former = await write.readFormer('booking_requests', ids)
  const before = await write.all<DecidedRow>(
    `SELECT id, kind, to_jsonb(holds) AS row FROM holds WHERE id = ANY(?::bigint[]) ORDER BY id`,
    [ids],
  )
  await write.run('DELETE FROM bookings WHERE hold_id = ANY(?::bigint[])', [ids])
  const after = await write.all<DecidedRow>(
    `UPDATE holds SET state = :state, decided_at = now(), decided_by_user_id = :user, decided_by_admin_id = :admin,
       reason = :reason, booking_id = :booking
     WHERE id = ANY(CAST(:ids AS bigint[])) AND state = 'pending'
     RETURNING id, kind, to_jsonb(holds) AS row`,
    {
      ids,
      state,
      user: by?.userId ?? null,
      admin: by?.actor.type === 'admin' ? by.actor.id : null,
      reason: reason || null,
      booking: bookingId ?? null,
    },
  )
  const requests = (rows: DecidedRow[]) => rows.filter(({ kind }) => kind === 'request')
  const offers = after.filter(({ kind }) => kind === 'offer').map(({ id }) => id)
  await settleWaits(write, offers, state)
  await write.auditRows(ACTIONS[state], former, { before: requests(before), after: requests(after) })
}

const WAITS_END = {
  approved: { action: 'waits.accept', set: "state = 'taken', ended_at = now()" },
  declined: { action: 'waits.decline', set: "state = 'declined', ended_at = now()" },
  withdrawn: { action: 'waits.cancel', set: "state = 'cancelled', ended_at = now()" },
  lapsed: { action: 'waits.miss', set: "state = 'missed', ended_at = now()" },
  // What was offered became unavailable, which is not the person's fault: they keep their place in the line.
  released: { action: 'waits.release', set: "state = 'waiting', hold_id = NULL" },
} as const

/** The waits to which these were offered end, or go on. */
async function settleWaits(
  write: Recorder,
  offers: number[],
  state: Exclude<HoldState, 'pending'>,
): Promise<void> {
  if (offers.length === 0) return
  const where = "hold_id = ANY(?::bigint[]) AND state = 'offered'"
  await changeWaits(write, { ...WAITS_END[state], where, values: [offers] })
}

type DecidedRow = AuditedRow & { kind: HoldKind }

type Unavailable = { ids: number[]; times: Times; keptUsers?: number[] | undefined }

/** Before bookables become unavailable at some times: what is held there then cannot be booked any more. */
export async function releaseHolds(write: Write, { ids, times, keptUsers = [] }: Unavailable): Promise<void> {
  const released = await write.ids(
    `SELECT id FROM holds
     WHERE state = 'pending' AND bookable_id = ANY(CAST(:ids AS bigint[]))
       AND during && CAST(:times AS tstzmultirange) AND user_id <> ALL(CAST(:keptUsers AS bigint[]))
     ORDER BY id FOR UPDATE`,
    { ids, times: timesText(times, write.now), keptUsers },
  )
  if (released.length > 0) await decideHolds(write, released, { state: 'released', by: write })
}
