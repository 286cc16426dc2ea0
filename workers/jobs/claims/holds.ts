// Creates, decides and frees holds. A hold reserves a bookable for somebody who has not booked it yet. The claim of a
// pending hold is a row of `bookings` that has neither a user nor an event. A write always locks the row of the hold
// first.
import {
  type AffectedTimes,
  formatMultirange,
} from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import { spanColumns, timestampText } from '../../../shared/schemas/json.ts'
import type { AuditedRow, Recorder, Write } from '../../runtime/write.ts'
import type { TimeRange } from './conflicts.ts'
import { updateWaitlistEntries } from './waits.ts'

export type HoldKind = 'request' | 'offer'
export type HoldState = 'pending' | 'approved' | 'declined' | 'withdrawn' | 'lapsed' | 'released'

type HoldDetails = {
  guest_name?: string | null | undefined
  guest_email?: string | null | undefined
  booking_info?: string | null | undefined
  user_vehicle_id?: number | null | undefined
}

export type NewHold = TimeRange &
  HoldDetails & {
    /** The title of a requested meeting. Unset for everything else. */
    title?: string | null | undefined
    invites?: boolean | undefined
    kind: HoldKind
    bookable_id: number
    user_id: number
    /** False for a hold on a home office. */
    exclusive: boolean
    expiresAt: string
  }

/**
 * Creates a hold. Returns its id, or undefined if the bookable is not free. The caller must run the checks of a booking
 * first. Never use a plain INSERT for the claim, for the reason given in bookings/insert-bookings.ts.
 */
export async function createHold(
  write: Recorder & Pick<Write, 'now'>,
  hold: NewHold,
): Promise<number | undefined> {
  const { guest_name, guest_email, booking_info, user_vehicle_id, title, invites = false, ...rest } = hold
  const given = { guest_name, guest_email, booking_info, user_vehicle_id, title }
  const details = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value || null]))
  const created = await write.first<{ id: number }>(
    `WITH claim AS (
       INSERT INTO bookings (bookable_id, hold_id, during, exclusive)
       VALUES (:bookable_id, nextval('holds_id_seq'), tstzrange(:from, :to), :exclusive)
       ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
       RETURNING hold_id, bookable_id, during
     )
     INSERT INTO holds (id, kind, bookable_id, user_id, during, guest_name, guest_email, booking_info, vehicle_id,
       title, invites, created_at, expires_at)
     OVERRIDING SYSTEM VALUE
     SELECT hold_id, :kind, bookable_id, :user_id, during, :guest_name, :guest_email, :booking_info,
       CAST(:user_vehicle_id AS bigint), :title, :invites, :now, :expiresAt
     FROM claim
     RETURNING id`,
    { ...rest, ...details, invites, now: write.now },
  )
  return created?.id
}

export type Hold = TimeRange & {
  id: number
  kind: HoldKind
  state: HoldState
  bookable_id: number
  user_id: number
  vehicle_id: number | null
  guest_name: string | null
  guest_email: string | null
  booking_info: string | null
  /** The title of a requested meeting. Null for everything else. */
  title: string | null
  invites: boolean
  zone: string
  expiresAt: string
}

const HOLD_COLUMNS = `holds.id, kind, state, bookable_id, user_id, vehicle_id, guest_name, guest_email, booking_info, title, invites,
  (SELECT timezone FROM bookables JOIN locations ON locations.id = location_id JOIN buildings ON buildings.id = building_id
    WHERE bookables.id = bookable_id) AS zone,
  ${spanColumns('holds')}, ${timestampText('expires_at')} AS "expiresAt"`

/** Locks a hold. If somebody else wants to decide the hold at the same time, they wait. */
export function lockHold(write: Recorder, kind: HoldKind, id: number): Promise<Hold | undefined> {
  return write.first<Hold>(`SELECT ${HOLD_COLUMNS} FROM holds WHERE id = ? AND kind = ? FOR UPDATE`, [
    id,
    kind,
  ])
}

/**
 * Frees the bookable that a pending hold reserves. If the same transaction then books the bookable, nobody else can
 * take it in between.
 */
export async function freeHold(write: Recorder, { id }: Pick<Hold, 'id'>): Promise<void> {
  await write.run('DELETE FROM bookings WHERE hold_id = ?', [id])
}

export type HoldDecision = {
  state: Exclude<HoldState, 'pending'>
  /** The id of the booking or event that an approved hold became. Unset for other decisions. */
  bookingId?: number
  eventId?: number
  reason?: string | undefined
  /** The author of the decision. Unset if nobody decided in time. */
  by?: Pick<Write, 'actor' | 'userId'>
}

// The audit actions of decisions. Only decisions on booking requests are recorded.
const DECISION_ACTIONS = {
  approved: 'booking_requests.approve',
  declined: 'booking_requests.decline',
  withdrawn: 'booking_requests.withdraw',
  lapsed: 'booking_requests.lapse',
  released: 'booking_requests.release',
} as const

/** Decides pending holds and frees the bookables that they reserve. The holds must be locked. */
export async function decideHolds(
  write: Recorder,
  ids: number[],
  { state, bookingId, eventId, reason, by }: HoldDecision,
): Promise<void> {
  const former = await write.readFormer('booking_requests', ids)
  const before = await write.all<DecidedRow>(
    `SELECT id, kind, to_jsonb(holds) AS row FROM holds WHERE id = ANY(?::bigint[]) ORDER BY id`,
    [ids],
  )
  await write.run('DELETE FROM bookings WHERE hold_id = ANY(?::bigint[])', [ids])
  const after = await write.all<DecidedRow>(
    `UPDATE holds SET state = :state, decided_at = now(), decided_by_user_id = :user, decided_by_admin_id = :admin,
       reason = :reason, booking_id = :booking, event_id = :event
     WHERE id = ANY(CAST(:ids AS bigint[])) AND state = 'pending'
     RETURNING id, kind, to_jsonb(holds) AS row`,
    {
      ids,
      state,
      user: by?.userId ?? null,
      admin: by?.actor.type === 'admin' ? by.actor.id : null,
      reason: reason || null,
      booking: bookingId ?? null,
      event: eventId ?? null,
    },
  )
  const requests = (rows: DecidedRow[]) => rows.filter(({ kind }) => kind === 'request')
  const offers = after.filter(({ kind }) => kind === 'offer').map(({ id }) => id)
  await settleWaits(write, offers, state)
  await write.auditRows(DECISION_ACTIONS[state], former, { before: requests(before), after: requests(after) })
}

const WAIT_CHANGES = {
  approved: { action: 'waits.accept', set: "state = 'taken', ended_at = now()" },
  declined: { action: 'waits.decline', set: "state = 'declined', ended_at = now()" },
  withdrawn: { action: 'waits.cancel', set: "state = 'cancelled', ended_at = now()" },
  lapsed: { action: 'waits.miss', set: "state = 'missed', ended_at = now()" },
  // If an offered bookable becomes unavailable, that is not the person's fault, so they keep their place on the
  // waitlist.
  released: { action: 'waits.release', set: "state = 'waiting', hold_id = NULL" },
} as const

/** Ends or resumes the waitlist entries to which these holds were offered. */
async function settleWaits(
  write: Recorder,
  offers: number[],
  state: Exclude<HoldState, 'pending'>,
): Promise<void> {
  if (offers.length === 0) return
  const where = "hold_id = ANY(?::bigint[]) AND state = 'offered'"
  await updateWaitlistEntries(write, { ...WAIT_CHANGES[state], where, values: [offers] })
}

type DecidedRow = AuditedRow & { kind: HoldKind }

type UnavailableBookables = { ids: number[]; times: AffectedTimes; keptUsers?: number[] | undefined }

/** Releases the holds on bookables that become unavailable, because what they reserve can no longer be booked. */
export async function releaseHolds(
  write: Write,
  { ids, times, keptUsers = [] }: UnavailableBookables,
): Promise<void> {
  const released = await write.ids(
    `SELECT id FROM holds
     WHERE state = 'pending' AND bookable_id = ANY(CAST(:ids AS bigint[]))
       AND during && CAST(:times AS tstzmultirange) AND user_id <> ALL(CAST(:keptUsers AS bigint[]))
     ORDER BY id FOR UPDATE`,
    { ids, times: formatMultirange(times, write.now), keptUsers },
  )
  if (released.length > 0) await decideHolds(write, released, { state: 'released', by: write })
}
