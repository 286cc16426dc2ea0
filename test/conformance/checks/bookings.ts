// Checks POST, PUT, PATCH and DELETE of bookings in part 4.
import { type Check, DISTANT_SLOT_HOURS, hours, range, type TestData, toNumber } from '../data.ts'
import { bookings } from '../resources.ts'
import { DeviationError, type Session, SkippedError } from '../session.ts'
import { at, data, items, type Json, listOf } from '../shapes.ts'

const FREE_SLOT_HOURS = DISTANT_SLOT_HOURS + 72

const createBookingBody = ({ desk, user, location_id }: TestData, from: number, more: object = {}) => ({
  bookable_id: desk.id,
  location_id,
  user_id: user.id,
  from_time: hours(from),
  to_time: hours(from + 1),
  ...more,
})

async function postBooking(session: Session, body: object): Promise<Json | undefined> {
  const shape = data(listOf(bookings(session.target.url).written))
  const { json } = { json: session.answered(await session.ask('POST bookings', body), 200, shape) }
  session.must(items(json).length === 1, 'an array of one booking', json)
  const id = toNumber(at(json, 'data', 0, 'id'))
  session.deleteLater(`the booking ${id}`, () => session.ask(`DELETE bookings/${id}`))
  return at(json, 'data', 0)
}

const createRefusalCheck = (name: string, rule: string, change: object): Check => ({
  name: `bookings.${name}`,
  rule,
  async run(session, found) {
    session.refused(
      await session.ask('POST bookings', createBookingBody(found, FREE_SLOT_HOURS, change)),
      rule,
    )
  },
})

const createChangeChecks = (method: 'PUT' | 'PATCH', slot: number): Check[] => [
  {
    name: `bookings.${method.toLowerCase()}`,
    rule: `4 ${method} bookings/{id}: {data: Booking}, an object`,
    async run(session, found) {
      const id = at(await postBooking(session, createBookingBody(found, slot)), 'id')
      const to_time = hours(slot + 2)
      const answer = await session.ask(`${method} bookings/${id}`, { to_time })
      const changed = session.answered(answer, 200, data(bookings(session.target.url).written))
      session.must(at(changed, 'data', 'id') === id, `the booking ${id}`, changed)
      const to = new Date(String(at(changed, 'data', 'to'))).toISOString()
      session.must(to === to_time, `to ${to_time}`, to)
      session.refused(await session.ask(`${method} bookings/${id}`, {}), 'to_time is required')
      session.answered(await session.ask(`DELETE bookings/${id}`), 204)
    },
  },
  {
    name: `bookings.${method.toLowerCase()}-unknown`,
    rule: '7.4 An unknown id is a failed call',
    async run(session) {
      const answer = await session.ask(`${method} bookings/999999999`, { to_time: hours(1) })
      session.refused(answer, 'there is no such booking')
    },
  },
]

export const bookingChecks: Check[] = [
  createRefusalCheck('bookable-required', '4 POST bookings: bookable_id is required', {
    bookable_id: undefined,
  }),
  createRefusalCheck('to-time-required', '4 POST bookings: to_time is required', { to_time: undefined }),
  createRefusalCheck('user-required', '4 POST bookings: user_id is required', { user_id: undefined }),
  createRefusalCheck('location-required', '4 POST bookings: location_id is required', {
    location_id: undefined,
  }),
  createRefusalCheck('bookable-type', '4 POST bookings: bookable_id is an integer', { bookable_id: 'desk' }),
  createRefusalCheck('user-unknown', '7.4 An unknown id is a failed call', { user_id: 999_999_999 }),
  {
    name: 'bookings.create',
    rule: '4 POST bookings: {data: [Booking]}, an array',
    async run(session, found) {
      const booking = await postBooking(session, createBookingBody(found, FREE_SLOT_HOURS))
      session.must(at(booking, 'user', 'id') === found.user.id, `the user ${found.user.id}`, booking)
      session.must(at(booking, 'bookable', 'id') === found.desk.id, `the desk ${found.desk.id}`, booking)
    },
  },
  {
    name: 'bookings.conflict',
    rule: '7.4 A booking conflict is a failed call',
    async run(session, found) {
      await postBooking(session, createBookingBody(found, FREE_SLOT_HOURS + 4))
      session.refused(
        await session.ask('POST bookings', createBookingBody(found, FREE_SLOT_HOURS + 4.5)),
        'the desk is taken',
      )
    },
  },
  {
    name: 'bookings.guest',
    rule: '2 Booking, guest: null when it is not a guest booking, else the guest’s name',
    async run(session, found) {
      const guest = {
        guest_name: 'Gwen Guest',
        guest_email: 'gwen@conformance.example',
        booking_info: 'Visit',
      }
      const own = at(await postBooking(session, createBookingBody(found, FREE_SLOT_HOURS + 8)), 'id')
      const other = at(
        await postBooking(session, createBookingBody(found, FREE_SLOT_HOURS + 10, guest)),
        'id',
      )
      const listed = items(
        (await session.ask(`GET bookings?${range(FREE_SLOT_HOURS + 7, FREE_SLOT_HOURS + 12)}`)).json,
      )
      const guestOf = (id: Json | undefined) =>
        at(
          listed.find((each) => at(each, 'id') === id),
          'guest',
        )
      session.must(guestOf(own) === null, 'guest null', guestOf(own))
      session.must(guestOf(other) === guest.guest_name, `guest ${guest.guest_name}`, guestOf(other))
    },
  },
  {
    name: 'bookings.license-plate',
    rule: '2 Booking, license_plate: present on parking bookings',
    async run(session, found) {
      const { parkingSpot } = found
      if (!parkingSpot) throw new SkippedError('there is no flexible parking spot')
      const place = { bookable_id: parkingSpot.id, location_id: parkingSpot.location_id }
      const answer = await session.ask('POST bookings', createBookingBody(found, FREE_SLOT_HOURS, place))
      if (answer.status !== 200) throw new SkippedError('the parking spot cannot be booked without a vehicle')
      const id = at(answer.json, 'data', 0, 'id')
      session.deleteLater(`the booking ${id}`, () => session.ask(`DELETE bookings/${id}`))
      const listed = items(
        (await session.ask(`GET bookings?${range(FREE_SLOT_HOURS, FREE_SLOT_HOURS + 1)}`)).json,
      )
      const plate = at(
        listed.find((each) => at(each, 'id') === id),
        'license_plate',
      )
      session.must(plate !== undefined, 'license_plate', plate)
    },
  },
  ...createChangeChecks('PUT', FREE_SLOT_HOURS + 14),
  ...createChangeChecks('PATCH', FREE_SLOT_HOURS + 18),
  {
    name: 'bookings.delete',
    rule: '7.1 Booking deletion returns 204 with an empty body',
    async run(session, found) {
      const id = at(await postBooking(session, createBookingBody(found, FREE_SLOT_HOURS + 22)), 'id')
      const deleted = await session.ask(`DELETE bookings/${id}`)
      session.answered(deleted, 204)
      session.must(deleted.text === '', 'an empty body', deleted.text)
      const listed = items(
        (await session.ask(`GET bookings?${range(FREE_SLOT_HOURS + 22, FREE_SLOT_HOURS + 23)}`)).json,
      )
      if (listed.some((each) => at(each, 'id') === id))
        throw new DeviationError('the booking is gone', 'it is listed')
      session.refused(await session.ask(`DELETE bookings/${id}`), 'there is no such booking any more')
    },
  },
  {
    name: 'bookings.livemap',
    rule: '2 Booking, livemap: a URL of the form {base_url}/api/v1/bookings/<booking_id>/livemap',
    async run(session, found) {
      const booking = await postBooking(session, createBookingBody(found, FREE_SLOT_HOURS + 26))
      const id = at(booking, 'id')
      const expected = `${session.target.url}/api/v1/bookings/${id}/livemap`
      session.must(at(booking, 'livemap') === expected, expected, at(booking, 'livemap'))
      session.answered(await session.ask(`GET bookings/${id}/livemap`), 200)
    },
  },
]
