// New bookings: as many as come together, in one statement each for what the checks ask about, for the claims, and for what
// is said of those that were refused. The exclusion constraint alone decides whether there is room.
import { insertChanges } from '../../../shared/changes/record.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { Refusal, type RefusalCode } from '../../../shared/refusal.ts'
import { writtenBookingJson } from '../../../shared/shapes/bookings.ts'
import { CHANGED_SHAPES } from '../../../shared/shapes/changes.ts'
import { dataText, onlyItemJson, selectedText } from '../../../shared/shapes/json.ts'
import type { JsonText } from '../../../shared/shapes/json-text.ts'
import { atOnce, type Connection } from '../../connection.ts'
import type { BatchHandler, Write } from '../../context.ts'
import { lockClaimsOfSeveral } from '../bookables/locks.ts'
import { findWithin } from '../building-limits.ts'
import { countsBookings, findBrokenRules } from '../rules/broken-rules.ts'
import { checkInWindow } from '../rules/check-in-windows.ts'
import { type Counted, findBrokenCounts, lockUserBookings } from '../rules/counted-rules.ts'
import { requireKept } from '../rules/overrides.ts'
import type { RuleFacts } from '../rules/rule-facts.ts'
import { refuseInvalid, refuseUnbookable } from './checks.ts'
import { findConflict, type OpenSpan } from './conflicts.ts'
import { type BookingFacts, lockBookingFacts } from './facts.ts'

type Input = (InputOf<'bookings.create'> | InputOf<'bookings.create-open'>) & { series_id?: number }
type Reply = ReplyOf<'bookings.create'>
type NewBooking = { write: Write<Input>; fact: BookingFacts; overridden: RefusalCode[] }
type Decision = JsonText<Reply> | Refusal | undefined

const REPLY = dataText<Reply['data']>(onlyItemJson(writtenBookingJson('wanted.base_url')))

// A claim in the way may be gone again before it can be named; then there is room after all.
const INSERT_TRIES = 5

export const createBookings: BatchHandler<Input, BookingFacts, Reply> = {
  async lockFacts(connection, writes) {
    const subjects = writes.map(({ input }) => input)
    const bookableIds = subjects.map(({ bookable_id }) => bookable_id)
    const [, facts] = await atOnce(
      connection,
      () => lockClaimsOfSeveral(connection, bookableIds),
      () => lockBookingFacts(connection, subjects),
    )
    return hideElsewhere(connection, writes, facts)
  },

  async perform(connection, writes) {
    const bookings = writes.map((each) => ({ ...each, overridden: [] }))
    const decisions: Decision[] = bookings.map(refusalByChecks)
    const batch = { connection, bookings, decisions }
    for (const round of await lockRounds(batch)) await performRound(batch, round)
    return decisions.map((decision) => decision ?? beingTaken())
  },
}

// A token that is limited to buildings knows of no bookable elsewhere. Those of one limit are asked about together.
async function hideElsewhere(connection: Connection, writes: Array<Write<Input>>, facts: BookingFacts[]) {
  const limits = new Map(writes.map(({ context }) => [String(context.buildingIds), context]))
  const hidden = new Set<number>()
  for (const limit of limits.values()) {
    const theirs = [...writes.entries()].filter(
      ([, { context }]) => String(context.buildingIds) === String(limit.buildingIds),
    )
    const within = await findWithin(
      connection,
      limit,
      'bookables',
      theirs.map(([, { input }]) => input.bookable_id),
    )
    for (const [index, { input }] of theirs) if (within && !within.has(input.bookable_id)) hidden.add(index)
  }
  return facts.map(({ bookable, ...fact }, index) => (hidden.has(index) ? fact : { bookable, ...fact }))
}

type Batch = { connection: Connection; bookings: NewBooking[]; decisions: Decision[] }
type Round = { indices: number[]; counts: boolean }

/** Whose bookings are counted has one booking in each round at most: the next one sees those before. */
async function lockRounds({ connection, bookings, decisions }: Batch): Promise<Round[]> {
  const rounds: Round[] = [{ indices: [], counts: false }]
  const counted = new Map<number, number>()
  bookings.forEach(({ write, fact }, index) => {
    if (decisions[index]) return
    const counts = fact.rules !== undefined && countsBookings(fact.rules.rules)
    const { user_id } = write.input
    const number = counts ? (counted.get(user_id) ?? 0) : 0
    const round = rounds[number] ?? { indices: [], counts }
    rounds[number] = { indices: [...round.indices, index], counts: round.counts || counts }
    if (counts) counted.set(user_id, number + 1)
  })
  if (counted.size > 0) await lockUserBookings(connection, [...counted.keys()])
  return rounds
}

async function performRound({ connection, bookings, decisions }: Batch, { indices, counts }: Round) {
  const decideOpen = async (decide: (open: NewBooking[]) => Promise<Decision[]>) => {
    const open = indices.filter((index) => !decisions[index])
    if (open.length === 0) return
    const decided = await decide(open.flatMap((index) => bookings[index] ?? []))
    open.forEach((index, position) => {
      decisions[index] = decided[position]
    })
  }
  if (counts) await decideOpen((open) => refusalsByCounts(connection, open))
  for (let tries = 0; tries < INSERT_TRIES; tries++) {
    await decideOpen((open) => insertBookings(connection, open))
    await decideOpen((open) =>
      Promise.all(open.map((booking) => findConflict(connection, subjectOf(booking), spanOf(booking)))),
    )
  }
}

const beingTaken = () =>
  new Refusal('booking_conflict', 'Others are booking and cancelling this time right now. Try again.')

function refusalByChecks(booking: NewBooking): Refusal | undefined {
  const { write, fact } = booking
  const { now } = write.context
  return refusalOf(() => {
    refuseInvalid(write.input, spanOf(booking), fact, now)
    if (fact.bookable) refuseUnbookable(fact.bookable)
    holdTo(booking, findBrokenRules(fact.rules, spanOf(booking), now))
  })
}

async function refusalsByCounts(connection: Connection, open: NewBooking[]): Promise<Decision[]> {
  const counted = open.flatMap((booking) => {
    const facts = booking.fact.rules
    return facts && countsBookings(facts.rules) ? [{ booking, ...countedOf(booking, facts) }] : []
  })
  const broken = await findBrokenCounts(connection, counted)
  const refusals = new Map(
    counted.map(({ booking }, index) => [booking, refusalOf(() => holdTo(booking, broken[index] ?? []))]),
  )
  return open.map((booking) => refusals.get(booking))
}

function countedOf(booking: NewBooking, facts: RuleFacts): Counted {
  const { input, context } = booking.write
  const isForGuest = Boolean(input.guest_name || input.guest_email)
  const { now, buildingIds } = context
  return { userId: input.user_id, facts, span: spanOf(booking), now, isForGuest, buildingIds }
}

function holdTo({ write, overridden }: NewBooking, broken: Refusal[]): void {
  overridden.push(...requireKept(broken, write.input))
}

function refusalOf(check: () => void): Refusal | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function spanOf({ write: { input, context } }: NewBooking): OpenSpan {
  return { from: input.from_time ?? context.now, to: 'to_time' in input ? input.to_time : null }
}

function subjectOf({ write: { input, context }, fact }: NewBooking) {
  return { ...input, hasVehicle: fact.vehicle !== undefined, now: context.now }
}

const CHANGED = CHANGED_SHAPES.bookings

// Never a plain INSERT: inserters that wait on each other for the exclusion constraint deadlock, those that may do nothing
// do not, as long as all insert in the same order. What is not in the answer had no room. Postgres makes itself ready for each
// table that a statement names, as often as it is named: what the answer and the outbox say is read once for both.
const INSERT = `
  WITH wanted AS MATERIALIZED (
    SELECT nextval((SELECT pg_get_serial_sequence('bookings', 'id'))) AS id, asked.*
    FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::boolean[], $6::text[], $7::text[],
      $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[], $16::text[],
      $17::timestamptz[], $18::timestamptz[], $19::bigint[])
      WITH ORDINALITY AS asked (bookable_id, user_id, from_time, to_time, exclusive, guest_name, guest_email, booking_info,
        vehicle_id, license_plate, base_url, actor_type, actor_id, actor_name, request_id, overridden, check_in_from,
        check_in_until, series_id, ordinal)
  ), bookings AS (
    INSERT INTO bookings (id, bookable_id, user_id, during, exclusive, guest_name, guest_email, booking_info, vehicle_id,
      license_plate, check_in_from, check_in_until, series_id)
    OVERRIDING SYSTEM VALUE
    SELECT id, bookable_id, user_id, tstzrange(from_time, to_time), exclusive, guest_name, guest_email, booking_info,
      vehicle_id, license_plate, check_in_from, check_in_until, wanted.series_id
    FROM wanted
    ORDER BY bookable_id, ordinal
    ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
    RETURNING *
  ), written AS MATERIALIZED (
    SELECT ordinal, bookings.id, actor_type, actor_id, actor_name, request_id, locations.building_id,
      CASE WHEN overridden IS NULL THEN to_jsonb(bookings)
      ELSE to_jsonb(bookings) || jsonb_build_object('overridden_rules', string_to_array(overridden, ',')) END AS row,
      ${CHANGED.json} AS data, ${REPLY} AS text
    FROM wanted JOIN (${CHANGED.rows}) ON bookings.id = wanted.id
    ORDER BY ordinal
  ), audited AS (
    INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, after, request_id)
    SELECT actor_type, actor_id, actor_name, 'bookings.create', 'bookings', id, row, request_id FROM written
  ), changed AS (
    ${insertChanges(
      {
        type: "'booking'",
        action: "'created'",
        id: 'id',
        data: 'data',
        buildings: 'ARRAY[building_id]',
      },
      'actor_type, actor_id, actor_name, request_id',
    )} FROM written
  )
  SELECT ordinal, text FROM written`

async function insertBookings(connection: Connection, bookings: NewBooking[]): Promise<Decision[]> {
  const rows = bookings.map(valuesOf)
  const columns = rows[0]?.map((_value, column) => rows.map((row) => row[column])) ?? []
  const inserted = await connection.query<{ ordinal: number; text: string }>({
    name: 'insert-bookings',
    text: INSERT,
    values: columns,
  })
  const replies = new Map(inserted.rows.map(({ ordinal, text }) => [ordinal - 1, selectedText(REPLY, text)]))
  return bookings.map((_booking, index) => replies.get(index))
}

function valuesOf(booking: NewBooking) {
  const { input, context } = booking.write
  const { bookable, vehicle } = booking.fact
  const { from, to } = spanOf(booking)
  const checkIn = checkInWindow(booking.fact.rules, { from, to }, context.now)
  const parked = bookable?.isParkingSpot ? vehicle : undefined
  return [
    input.bookable_id,
    input.user_id,
    from,
    to,
    !bookable?.isHomeOffice,
    input.guest_name || null,
    input.guest_email ?? null,
    input.booking_info || null,
    parked?.id ?? null,
    parked?.licensePlate ?? null,
    context.baseUrl,
    context.actor.type,
    context.actor.id,
    context.actor.name,
    context.requestId,
    booking.overridden.join(',') || null,
    checkIn.from,
    checkIn.until,
    input.series_id ?? null,
  ]
}
