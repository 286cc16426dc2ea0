// Waits until nothing is left to do for the calendars of two rooms, and checks that both sides say the same.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { CalendarEntry } from '../../../shared/room-calendars/providers/provider.ts'
import type { GraphServer } from '../../support/calendars/graph-server.ts'
import { eventually } from '../../support/time.ts'
import type { RoomEdits } from './room-edits.ts'

const REST_WAIT_MS = 120_000
const QUIET_MS = 2_500
const TRIES_MAX = 4

type Claim = { event_id: number | null; booking_id: number | null; from: string; to: string }
type Row = {
  id: number
  entry_id: string | null
  key: string | null
  uid: string | null
  event_id: number | null
  booking_id: number | null
  conflict: { message: { text: string } } | null
  decline: string | null
  pending_since: string | null
}

/** Waits until both sides say the same, and nothing changes any more. */
export async function expectRest(edits: RoomEdits, waitMs = REST_WAIT_MS): Promise<void> {
  // Faults that nothing has met by now are over.
  edits.calendar.proxy.faults.length = 0
  const since = Date.now()
  for (let tries = 1; ; tries++) {
    await eventually(async () => {
      await letTimePass(edits, since)
      await expectSame(edits)
      await expectInStep(edits, since)
    }, waitMs)
    const before = await describe(edits)
    await wait(QUIET_MS)
    const after = await describe(edits)
    if (JSON.stringify(before) === JSON.stringify(after)) return
    if (tries === TRIES_MAX) expect(after, 'something still changes').to.deep.equal(before)
  }
}

/** Makes due what Berth wants to do minutes later, once it has read the calendars after the last edit. */
async function letTimePass({ database }: RoomEdits, since: number) {
  const failed = await database('room_calendars').whereRaw("retry_at > now() + interval '1 second'")
  if (failed.length > 0) await database('room_calendars').update({ retry_at: null })
  const unread = await database('room_calendars').where('read_at', '<=', new Date(since))
  if (unread.length > 0) return
  const waiting = await database('calendar_entries')
    .whereRaw("next_write_at > now() + interval '1 second'")
    .update({ next_write_at: database.fn.now() })
  if (waiting > 0) await database('room_calendars').update({ next_write_at: database.fn.now() })
}

async function expectInStep({ database }: RoomEdits, since: number) {
  for (const { watch_secret, names, ...calendar } of await database('room_calendars')) {
    const openEntries = await database('calendar_entries')
      .where({ bookable_id: calendar.bookable_id })
      .whereRaw('(pending_since IS NOT NULL OR fault IS NOT NULL OR next_write_at IS NOT NULL)')
      .select('id', 'pending_since', 'queued_at', 'tries', 'fault', 'next_write_at', 'decline', 'key')
    const shown = `of ${JSON.stringify(calendar)} with the open entries ${JSON.stringify(openEntries)}`
    expect(calendar.fault, `the fault ${shown}`).to.equal(null)
    expect(calendar.lease, `the lease of a round ${shown}`).to.equal(null)
    expect(Date.parse(calendar.in_step_at), `the last time in step ${shown}`).to.be.greaterThan(since)
  }
}

const toMs = ({ from, to }: { from: string; to: string }) => [Date.parse(from), Date.parse(to)]

async function listClaims({ database }: RoomEdits, room: number): Promise<Claim[]> {
  const { rows } = await database.raw(
    `SELECT event_id, CASE WHEN event_id IS NULL THEN bookings.id END AS booking_id, lower(bookings.during) AS "from",
       upper(bookings.during) AS "to"
     FROM bookings LEFT JOIN events ON events.id = event_id
     WHERE bookable_id = ? AND released_at IS NULL AND (event_id IS NULL OR status = 1) ORDER BY lower(bookings.during)`,
    [room],
  )
  return rows
}

async function describe(edits: RoomEdits) {
  const rooms = await Promise.all(
    edits.rooms.map(async (room, index) => [await listClaims(edits, room), await edits.outside.list(index)]),
  )
  return { rooms, writes: edits.countWrites() }
}

async function expectSame(edits: RoomEdits) {
  for (const [index, room] of edits.rooms.entries()) {
    const claims = await listClaims(edits, room)
    const entries = await edits.outside.list(index)
    const rows: Row[] = await edits.database('calendar_entries').where({ bookable_id: room })
    expectNoOverlap(claims)
    const left = expectEachClaimOnce(claims, entries, rows)
    for (const entry of left) expectConflict(edits, entry, rows)
    expectNothingTwice(entries, rows)
  }
  await expectOneEventForEachMeeting(edits)
  if (edits.calendar.provider.name === 'microsoft')
    for (const { comment } of (edits.calendar.server as GraphServer).responses)
      expect(comment, 'the reason of a refusal').to.have.length.greaterThan(10)
}

function expectNoOverlap(claims: Claim[]) {
  for (const [index, claim] of claims.entries()) {
    const next = claims[index + 1]
    if (next) expect(Date.parse(next.from), 'two claims at one time').to.be.at.least(Date.parse(claim.to))
  }
}

/** Returns the entries that are no claim. */
function expectEachClaimOnce(claims: Claim[], entries: CalendarEntry[], rows: Row[]): CalendarEntry[] {
  const left = new Set(entries)
  for (const claim of claims) {
    const shown = entries.filter(({ id }) =>
      rows.some(
        (row) =>
          row.entry_id === id &&
          row.conflict === null &&
          (claim.event_id === null ? row.booking_id === claim.booking_id : row.event_id === claim.event_id),
      ),
    )
    expect(shown, `the entries of ${JSON.stringify(claim)}`).to.have.length(1)
    for (const entry of shown) {
      expect(toMs(entry), `the times of ${entry.title}`).to.deep.equal(toMs(claim))
      left.delete(entry)
    }
  }
  return [...left]
}

/** An entry that Berth does not hold has a reason, and was declined if the provider can decline it. */
function expectConflict({ calendar }: RoomEdits, entry: CalendarEntry, rows: Row[]) {
  const row = rows.find(({ entry_id }) => entry_id === entry.id)
  const shown = `${entry.title} ${entry.from}, which Berth does not hold: ${JSON.stringify(row)}`
  expect(row?.key, shown).to.equal(null)
  expect(entry.key, `an entry of Berth of which nobody knows: ${shown}`).to.equal(null)
  expect(row?.conflict?.message, shown).to.be.an('object')
  expect(row?.decline, shown).to.equal('impossible')
  const isInvited = entry.attendees.some(({ isRoom }) => isRoom)
  if (calendar.provider.name !== 'caldav') expect(isInvited, shown).to.equal(false)
}

function expectNothingTwice(entries: CalendarEntry[], rows: Row[]) {
  const keys = entries.flatMap(({ key }) => key ?? [])
  const uids = entries.filter(({ key, seriesId }) => !key && !seriesId).map(({ uid }) => uid)
  const claims = rows.filter(({ key }) => key).map(({ event_id, booking_id }) => `${event_id} ${booking_id}`)
  for (const [what, values] of Object.entries({ keys, uids, claims }))
    expect(new Set(values).size, `${what} without repetition`).to.equal(values.length)
}

/** A meeting at one time is one event, in whatever rooms it takes place. */
async function expectOneEventForEachMeeting({ database }: RoomEdits) {
  const { rows } = await database.raw(
    `SELECT uid, during, array_agg(DISTINCT event_id) AS events FROM calendar_entries
     WHERE key IS NULL AND event_id IS NOT NULL AND conflict IS NULL AND decline IS NULL
       AND NOT coalesce(CAST(seen ->> 'isGone' AS boolean), false)
     GROUP BY uid, during HAVING count(DISTINCT event_id) > 1`,
  )
  expect(rows, 'meetings with two events').to.deep.equal([])
}
