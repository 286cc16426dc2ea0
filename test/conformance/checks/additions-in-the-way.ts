// Checks what happens to the bookings of a bookable that is blocked, assigned or deleted: refuse, release or move.
import { create, expectRefusal, FREE_SLOT_HOURS, getDataAt } from '../additions.ts'
import { type Check, hours, type TestData, toNumber } from '../data.ts'
import type { Exchange, Session } from '../session.ts'
import { anything, at, integer, type Json, listOf, object, oneOf, timestamp } from '../shapes.ts'
import { createBookable, createPlace } from './additions-places.ts'

const FIRST_SLOT_HOURS = FREE_SLOT_HOURS + 40
const [BLOCKED, ROOM] = [1, 2]

const inTheWay = object({
  in_the_way: listOf(
    object({
      type: oneOf('booking', 'event'),
      id: integer,
      bookable_id: integer,
      from: timestamp,
      to: anything,
    }),
  ),
})

type AffectedBooking = { type: 'booking' | 'event'; id: number; bookable_id: number }

function bookIn(session: Session, { user }: TestData, place: { location: number; bookable: number }) {
  return create(session, 'bookings', {
    bookable_id: place.bookable,
    location_id: place.location,
    user_id: user.id,
    from_time: hours(FIRST_SLOT_HOURS),
    to_time: hours(FIRST_SLOT_HOURS + 1),
  })
}

/** Expects a 409 in_use that lists the affected bookings. */
function expectAffectedBookings(session: Session, answer: Exchange, wanted: AffectedBooking[]): void {
  expectRefusal(session, answer, 409, 'in_use', 'there are upcoming bookings')
  const problems = inTheWay(answer.json, 'body')
  session.must(problems.length === 0, 'a list in_the_way', problems)
  const list = at(answer.json, 'in_the_way')
  const got = (Array.isArray(list) ? list : []).map((each) =>
    ['type', 'id', 'bookable_id'].map((name) => at(each, name)).join(' '),
  )
  const named = wanted.map(({ type, id, bookable_id }) => `${type} ${id} ${bookable_id}`)
  session.must(String(got) === String(named), `in the way: ${named}`, got)
}

const findBookable = async (session: Session, booking: number): Promise<Json | undefined> =>
  getDataAt(await session.ask(`GET bookings/${booking}`), 'bookable', 'id')

const findStatus = async (session: Session, bookable: number) =>
  toNumber(getDataAt(await session.ask(`GET bookables/${bookable}`), 'status'))

export const inTheWayChecks: Check[] = [
  {
    name: 'additions.in-the-way refuse',
    rule: '4 in_the_way refuse: 409 with the list of what is in the way, and nothing changes',
    async run(session, found) {
      const place = await createPlace(session)
      const { bookable } = place
      const booking = await bookIn(session, found, place)
      const named: AffectedBooking[] = [{ type: 'booking', id: booking, bookable_id: bookable }]
      const path = `bookables/${bookable}`
      expectAffectedBookings(session, await session.ask(`DELETE ${path}`), named)
      expectAffectedBookings(session, await session.ask(`DELETE ${path}?in_the_way=refuse`), named)
      const block = { status: BLOCKED, in_the_way: 'refuse' }
      expectAffectedBookings(session, await session.ask(`PATCH ${path}`, block), named)
      const other = await session.ask(`PATCH ${path}`, { assigned_user_ids: [], in_the_way: 'refuse' })
      session.answered(other, 200)
      session.must(
        (await findStatus(session, bookable)) === 0,
        'status 0',
        await findStatus(session, bookable),
      )
      session.must((await findBookable(session, booking)) === bookable, 'the booking where it was', booking)
      const unknown = await session.ask(`DELETE ${path}?in_the_way=other`)
      expectRefusal(session, unknown, 422, 'validation_failed', 'there is no such value')
      session.answered(await session.ask(`PATCH ${path}`, { status: BLOCKED }), 200)
      session.must((await findBookable(session, booking)) === bookable, 'the booking left as it is', booking)
    },
  },
  {
    name: 'additions.in-the-way release',
    rule: '4 in_the_way release: upcoming bookings are deleted, rooms are taken from their events',
    async run(session, found) {
      const place = await createPlace(session, ROOM)
      const { bookable, location } = place
      const booking = await bookIn(session, found, place)
      const event = await create(session, 'events', {
        name: 'Conformance',
        organizer_user_id: found.user.id,
        from_time: hours(FIRST_SLOT_HOURS + 2),
        to_time: hours(FIRST_SLOT_HOURS + 3),
        attendees: [{ type: 'bookable', id: bookable }],
      })
      const named: AffectedBooking[] = [
        { type: 'booking', id: booking, bookable_id: bookable },
        { type: 'event', id: event, bookable_id: bookable },
      ]
      expectAffectedBookings(session, await session.ask(`DELETE bookables/${bookable}`), named)
      session.answered(await session.ask(`DELETE bookables/${bookable}?in_the_way=release`), 204)
      session.refused(await session.ask(`GET bookings/${booking}`), 'the booking is gone')
      const read = await session.ask(`GET events/${event}`)
      session.answered(read, 200)
      const rooms = getDataAt(read, 'bookables')
      session.must(Array.isArray(rooms) && rooms.length === 0, 'an event without a room', rooms)
      session.must(
        getDataAt(read, 'status') === 1,
        'an event that is not cancelled',
        getDataAt(read, 'status'),
      )
      const blocked = { location, bookable: await createBookable(session, location) }
      const second = await bookIn(session, found, blocked)
      const body = { status: BLOCKED, in_the_way: 'release' }
      session.answered(await session.ask(`PATCH bookables/${blocked.bookable}`, body), 200)
      session.refused(await session.ask(`GET bookings/${second}`), 'the booking is gone')
    },
  },
  {
    name: 'additions.in-the-way move',
    rule: '4 in_the_way move: to a free bookable of the type in the building; 409 with those that cannot',
    async run(session, found) {
      const place = await createPlace(session)
      const { bookable } = place
      const free = await createBookable(session, place.location)
      const booking = await bookIn(session, found, place)
      const body = { status: BLOCKED, in_the_way: 'move' }
      session.answered(await session.ask(`PATCH bookables/${bookable}`, body), 200)
      const now = await findBookable(session, booking)
      session.must(now === free, `the booking ${booking} at ${free}`, now)
      session.must(
        (await findStatus(session, bookable)) === BLOCKED,
        'status 1',
        await findStatus(session, bookable),
      )
      const nowhere = await session.ask(`DELETE bookables/${free}?in_the_way=move`)
      expectAffectedBookings(session, nowhere, [{ type: 'booking', id: booking, bookable_id: free }])
      session.must((await findBookable(session, booking)) === free, 'the booking where it was', booking)
    },
  },
]
