// Checks what Berth adds to the interface: changing events, moving bookings, filters, and single places, people, groups
// and vehicles. A check is skipped if the server does not have the endpoint.
import {
  answered,
  bookDesk,
  create,
  createRandomName,
  createRandomPlate,
  expectUnknownRefused,
  FREE_SLOT_HOURS,
} from '../additions.ts'
import { type Check, hours, range } from '../data.ts'
import { detailedEvent, group, placed, position, user as userShape, vehicle } from '../resources.ts'
import { anything, at, data, items, listOf, nullable, object, type Shape, text } from '../shapes.ts'

export const additionChecks: Check[] = [
  {
    name: 'additions.event-details',
    rule: '4 GET events, events/{id} and events/today, include=details: all fields, with the ids of people',
    async run(session, { user, desk }) {
      const wish = {
        name: 'Conformance',
        from_time: hours(FREE_SLOT_HOURS),
        to_time: hours(FREE_SLOT_HOURS + 1),
      }
      const id = await create(session, 'events', { ...wish, organizer_user_id: user.id })
      const read = await session.read(`events/${id}?include=details`, data(detailedEvent))
      session.must(at(read, 'data', 'organizer', 'id') === user.id, `the organizer ${user.id}`, read)
      const details = data(listOf(detailedEvent))
      const listed = items(
        await session.read(
          `events?${range(FREE_SLOT_HOURS - 1, FREE_SLOT_HOURS + 2)}&include=details`,
          details,
        ),
      )
      session.must(
        listed.some((each) => at(each, 'id') === id),
        `the event ${id} in the listing`,
        listed,
      )
      await session.read(`events/today?bookable_id=${desk.id}&include=details`, details)
    },
  },
  {
    name: 'additions.event-patch',
    rule: '4 PATCH events/{id}: only what is sent changes',
    async run(session, { user }) {
      const wish = {
        name: 'Conformance',
        from_time: hours(FREE_SLOT_HOURS),
        to_time: hours(FREE_SLOT_HOURS + 1),
        classification: 1,
      }
      const id = await create(session, 'events', { ...wish, organizer_user_id: user.id })
      const path = `events/${id}?include=details`
      const before = at(await session.read(path, data(detailedEvent)), 'data')
      const patched = await session.ask(`PATCH ${path}`, { name: 'Renamed' })
      const after = at(answered(session, patched, 200, data(detailedEvent)), 'data')
      session.must(at(after, 'name') === 'Renamed', 'the name Renamed', after)
      for (const member of ['from', 'to', 'classification', 'attendees', 'description'])
        session.must(
          JSON.stringify(at(after, member)) === JSON.stringify(at(before, member)),
          `${member} as it was`,
          at(after, member),
        )
    },
  },
  {
    name: 'additions.move',
    rule: '4 POST bookings/{id}/move: the booking keeps its id and gets the other time or bookable',
    async run(session, found) {
      const { desk } = found
      const id = await bookDesk(session, found, FREE_SLOT_HOURS)
      await bookDesk(session, found, FREE_SLOT_HOURS + 4)
      const move = (body: object) =>
        session.ask(`POST bookings/${id}/move`, { bookable_id: desk.id, ...body })
      const later = { from_time: hours(FREE_SLOT_HOURS + 2), to_time: hours(FREE_SLOT_HOURS + 3) }
      const moved = at(answered(session, await move(later), 200), 'data')
      session.must(at(moved, 'id') === id, `the booking ${id}`, moved)
      const from = new Date(String(at(moved, 'from'))).toISOString()
      session.must(from === later.from_time, `from ${later.from_time}`, from)
      const taken = { from_time: hours(FREE_SLOT_HOURS + 4), to_time: hours(FREE_SLOT_HOURS + 5) }
      session.refused(await move(taken), 'the desk is taken')
      const kept = items(
        await session.read(
          `bookings?${range(FREE_SLOT_HOURS + 2, FREE_SLOT_HOURS + 3)}`,
          data(listOf(anything)),
        ),
      )
      session.must(
        kept.some((each) => at(each, 'id') === id),
        'the booking where it was',
        kept,
      )
    },
  },
  {
    name: 'additions.filters',
    rule: '4 GET bookings and those of a building or location: user_id, group_id, type and tag must all hold',
    async run(session, found) {
      const { user, desk, building_id, location_id } = found
      const id = await bookDesk(session, found, FREE_SLOT_HOURS + 8)
      const span = range(FREE_SLOT_HOURS + 8, FREE_SLOT_HOURS + 9)
      for (const path of [
        'bookings',
        `buildings/${building_id}/bookings`,
        `locations/${location_id}/bookings`,
      ]) {
        const shows = async (filter: string) => {
          const listed = await session.read(`${path}?${span}&${filter}`, data(listOf(anything)))
          return items(listed).some((each) => at(each, 'id') === id)
        }
        for (const filter of [`user_id=${user.id}`, `type=${desk.type}`])
          session.must(await shows(filter), `the booking ${id} with ${filter}`, path)
        for (const filter of ['type=2', 'tag=no-such-tag'])
          session.must(!(await shows(filter)), `no booking ${id} with ${filter}`, path)
        for (const filter of ['user_id=999999999', 'group_id=999999999'])
          await expectUnknownRefused(session, `${path}?${span}&${filter}`)
      }
    },
  },
  {
    name: 'additions.places',
    rule: '4 GET buildings/{id}, locations/{id}, bookables/{id}: with time zone, opening hours and position',
    async run(session, { building_id, location_id, desk }) {
      const bookable = object({
        ...placed,
        features: listOf(text),
        capacity: anything,
        position: nullable(position),
      })
      const paths: Array<[string, number, Shape]> = [
        ['buildings', building_id, object(placed)],
        ['locations', location_id, object({ ...placed, plan: anything })],
        ['bookables', desk.id, bookable],
      ]
      for (const [path, id, shape] of paths) {
        const found = answered(session, await session.ask(`GET ${path}/${id}`), 200, data(shape))
        session.must(at(found, 'data', 'id') === id, `${path} ${id}`, found)
        await expectUnknownRefused(session, `${path}/999999999`)
      }
    },
  },
  {
    name: 'additions.user-patch',
    rule: '4 PATCH users/{id}: only what is sent changes; GET users/{id}/groups',
    async run(session, { user }) {
      const patched = await session.ask(`PATCH users/${user.id}`, { name: user.name })
      const after = answered(session, patched, 200, data(userShape))
      session.must(at(after, 'data', 'email') === user.email, `the e-mail ${user.email}`, after)
      await session.read(`users/${user.id}/groups`, data(listOf(group)))
    },
  },
  {
    name: 'additions.groups',
    rule: '4 POST, PATCH and DELETE of groups, PUT groups/{id}/members',
    async run(session, { user }) {
      const id = await create(session, 'groups', { name: createRandomName() }, data(group))
      const name = createRandomName()
      const renamed = session.answered(await session.ask(`PATCH groups/${id}`, { name }), 200, data(group))
      session.must(at(renamed, 'data', 'name') === name, `the name ${name}`, renamed)
      session.answered(await session.ask(`PUT groups/${id}/members`, { user_ids: [user.id] }), 200)
      const groups = items(await session.read(`users/${user.id}/groups`, data(listOf(group))))
      session.must(
        groups.some((each) => at(each, 'id') === id),
        `the group ${id} of the user`,
        groups,
      )
      session.answered(await session.ask(`DELETE groups/${id}`), 204)
      await expectUnknownRefused(session, `groups/${id}`)
    },
  },
  {
    name: 'additions.vehicles',
    rule: '4 POST, PATCH and DELETE of users/{id}/vehicles',
    async run(session, { user }) {
      const path = `users/${user.id}/vehicles`
      const id = await create(session, path, { license_plate: createRandomPlate() }, data(vehicle))
      const license_plate = createRandomPlate()
      const changed = await session.ask(`PATCH ${path}/${id}`, { license_plate })
      session.answered(changed, 200, data(vehicle))
      const listed = items(await session.read(path, data(listOf(vehicle))))
      const plate = at(
        listed.find((each) => at(each, 'id') === id),
        'license_plate',
      )
      session.must(plate === license_plate, `the plate ${license_plate}`, listed)
      session.answered(await session.ask(`DELETE ${path}/${id}`), 204)
    },
  },
]
