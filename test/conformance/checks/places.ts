// Checks buildings, locations and who occupies their bookables.
import { type Check, hours, toNumber } from '../data.ts'
import { building, detailedOccupancy, occupancy, taggedBookable } from '../resources.ts'
import { at, data, items, listOf } from '../shapes.ts'

export const placeChecks: Check[] = [
  {
    name: 'buildings.list',
    rule: '4 GET api/v1/buildings: {data: [Building with locations...]}',
    async run(session) {
      await session.read('buildings', data(listOf(building)))
    },
  },
  {
    name: 'locations.bookables',
    rule: '4 GET api/v1/locations/{location_id}/bookables: id, name, type, status, tags',
    async run(session, { location_id }) {
      await session.read(`locations/${location_id}/bookables`, data(listOf(taggedBookable)))
      session.refused(await session.ask('GET locations/999999999/bookables'), 'there is no such location')
    },
  },
  {
    name: 'occupancy.list',
    rule: '2 Occupancy entry: booking_current and booking_next only with details=true',
    async run(session, { location_id }) {
      await session.read(`locations/${location_id}/bookables/occupancy`, data(listOf(occupancy)))
      await session.read(
        `locations/${location_id}/bookables/occupancy?details=false`,
        data(listOf(occupancy)),
      )
    },
  },
  {
    name: 'occupancy.details',
    rule: '4 GET …/occupancy, details: booking_current and booking_next are included per entry',
    async run(session, { location_id }) {
      const path = `locations/${location_id}/bookables/occupancy?details=true`
      await session.read(path, data(listOf(detailedOccupancy)))
    },
  },
  {
    name: 'occupancy.occupied',
    rule: '2 Occupancy entry: occupied',
    async run(session, { user, desk, location_id }) {
      const now = async () =>
        items(
          await session.read(`locations/${location_id}/bookables/occupancy`, data(listOf(occupancy))),
        ).find((entry) => at(entry, 'name') === desk.name)
      if (at(await now(), 'occupied') === true) return
      const body = {
        bookable_id: desk.id,
        location_id,
        user_id: user.id,
        from_time: null,
        to_time: hours(0.1),
      }
      const booked = session.answered(await session.ask('POST bookings', body), 200)
      const id = toNumber(at(booked, 'data', 0, 'id'))
      session.deleteLater(`the booking ${id}`, () => session.ask(`DELETE bookings/${id}`))
      session.must(at(await now(), 'occupied') === true, `occupied true for ${desk.name}`, await now())
      session.answered(await session.ask(`DELETE bookings/${id}`), 204)
      session.must(at(await now(), 'occupied') === false, `occupied false for ${desk.name}`, await now())
    },
  },
]
