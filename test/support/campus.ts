// Creates a building with one resource of each kind, whose names contain the building's name, and a request for each
// endpoint.

import { expect } from 'chai'
import type { Knex } from 'knex'
import { getOnlyRow } from '../../shared/database/database.ts'
import { createFloorPlanColumns, drawPng } from './dashboard/pictures.ts'
import { createProviderRoom } from './dashboard/room-calendar-examples.ts'
import { createDelivery } from './dashboard/webhook-examples.ts'
import {
  createAbsence,
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createGroup,
  createHold,
  createLoan,
  createLocation,
  createRoomCalendar,
  createUser,
  createVehicle,
  hoursFromNow,
} from './factories.ts'
import type { Client, RequestOptions } from './http/http.ts'
import { eventually } from './time.ts'

export type Campus = {
  building: number
  location: number
  /** A location without bookables. */
  empty: number
  desk: number
  free: number
  room: number
  user: number
  email: string
  booking: number
  event: number
  series: number
  /** The series of the event. */
  meetings: number
  webhook: number
  delivery: number
  calendar: number
  /** A group that the user leads. */
  group: number
  vehicle: number
  absence: number
  teamDay: number
  /** A bookable that is assigned to the user, and its loan. */
  assigned: number
  loan: number
  /** A deactivated user. */
  gone: number
  guardedFloor: number
  /** A bookable whose approvers are a group without members. */
  guarded: number
  /** A meeting room on the guarded floor. */
  guardedRoom: number
  /** A request of the user, which the user may decide. */
  request: number
}

let counter = 0

export async function createCampus(database: Knex, name: string): Promise<Campus> {
  const building = await createBuilding(database, { name: `${name} tower` })
  const location = await createLocation(database, {
    name: `${name} floor`,
    building_id: building,
    ...createFloorPlanColumns(drawPng(4, 3)),
  })
  const empty = await createLocation(database, { name: `${name} empty floor`, building_id: building })
  const inLocation = (noun: string, row: Record<string, unknown> = {}) =>
    createBookable(database, { name: `${name} ${noun}`, location_id: location, ...row })
  const [desk, free, room] = [
    await inLocation('desk'),
    await inLocation('free'),
    await inLocation('room', { type: 2 }),
  ]
  const email = `campus${++counter}@example.com`
  const user = await createUser(database, { email })
  const span = { from: hoursFromNow(-2), to: hoursFromNow(2) }
  const repeat = { every: 'day', interval: 1, on: null, until: null, count: 1 }
  const insertSeries = async () =>
    getOnlyRow(await database('series').insert({ repeat, timezone: 'UTC' }).returning<{ id: number }[]>('id'))
      .id
  const series = await insertSeries()
  const meetings = await insertSeries()
  const booking = await createBooking(database, {
    ...span,
    bookable_id: desk,
    user_id: user,
    series_id: series,
  })
  const event = await createEvent(database, {
    ...span,
    name: `${name} meeting`,
    organizer_user_id: user,
    series_id: meetings,
  })
  await createBooking(database, { ...span, bookable_id: room, event_id: event })
  const assigned = await inLocation('assigned', { status: 2 })
  const loan = await createLoan(database, {
    bookable_id: assigned,
    user_id: user,
    days: '[2030-03-01,2030-03-15)',
  })
  const url = `https://${name.toLowerCase()}.example/`
  await createRoomCalendar(database, { bookable_id: room, calendar: `/rooms/${room}/` })
  await createProviderRoom(database, { provider: 'caldav', calendar: `/rooms/${free}/`, name: 'Free' })
  const { id: webhook } = getOnlyRow(
    await database('webhooks')
      .insert({ url, types: ['*'], secret: 'whsec_none', base_url: '', building_ids: [building] })
      .returning<{ id: number }[]>('id'),
  )
  const delivery = await createDelivery(database, webhook)
  const { id: calendar } = getOnlyRow(
    await database('calendars')
      .insert({ hash: Buffer.from(email), bookable_id: desk })
      .returning<{ id: number }[]>('id'),
  )
  const group = await createGroup(database)
  await database('group_members').insert({ group_id: group, user_id: user })
  await database('group_leads').insert({ group_id: group, user_id: user })
  const vehicle = await createVehicle(database, { user_id: user })
  const { id: teamDay } = getOnlyRow(
    await database('team_days').insert({ group_id: group, weekday: 2 }).returning<{ id: number }[]>('id'),
  )
  const absence = await createAbsence(database, { user_id: user, days: '[2030-03-01,2030-03-15)' })
  const gone = await createUser(database, { deactivated_at: new Date() })
  const guardedFloor = await createLocation(database, {
    name: `${name} guarded floor`,
    building_id: building,
  })
  const guard = (noun: string, approvers: object) =>
    createBookable(database, {
      name: `${name} ${noun}`,
      location_id: guardedFloor,
      rules: JSON.stringify({ approvers }),
    })
  const guarded = await guard('guarded', { group_ids: [await createGroup(database)] })
  const guardedRoom = await guard('guarded room', { group_ids: [await createGroup(database)] })
  await database('bookables').where({ id: guardedRoom }).update({ type: 2 })
  const asked = await guard('asked', { user_ids: [user] })
  const later = { from: hoursFromNow(5), to: hoursFromNow(6) }
  const request = await createHold(database, { ...later, bookable_id: asked, user_id: user })
  return {
    building,
    location,
    empty,
    desk,
    free,
    room,
    user,
    email,
    booking,
    event,
    series,
    meetings,
    webhook,
    delivery,
    calendar,
    group,
    vehicle,
    absence,
    teamDay,
    assigned,
    loan,
    gone,
    guardedFloor,
    guarded,
    guardedRoom,
    request,
  }
}

/** Creates a campus whose person has only secret data: name, e-mail, guest, purpose, plate, group and meeting. */
export async function createSecretCampus(database: Knex, name: string): Promise<Campus> {
  const campus = await createCampus(database, name)
  const email = `secret${campus.user}@example.com`
  const booking = {
    guest_name: 'Secret Guest',
    guest_email: 'secret@guest.example',
    booking_info: 'Secret purpose',
    license_plate: 'SECRET 1',
  }
  await database('users').where({ id: campus.user }).update({ name: 'Secret Person', email })
  await database('bookables').where({ id: campus.desk }).update({ type: 1 })
  await database('bookings').where({ id: campus.booking }).update(booking)
  await database('vehicles').where({ id: campus.vehicle }).update({ license_plate: 'SECRET 1' })
  await database('events')
    .where({ id: campus.event })
    .update({ name: 'Secret meeting', description: 'Secret agenda' })
  await database('event_attendees').insert({ event_id: campus.event, email: 'secret@visitor.example' })
  await database('groups')
    .where({ id: campus.group })
    .update({ name: `Secret group ${campus.group}` })
  return { ...campus, email }
}

/** A request about a campus, and the answer for a token limited to another building: 404 by default. With
 * `hidden`, the answer is the usual one without data of the campus. / */
type RequestOutsideBuildings = RequestOptions & { path: string }
export type CampusRequest = { path: string; body?: unknown; outside?: number | 'hidden' }

const DAY_QUERY = `from=${hoursFromNow(0)}&to=${hoursFromNow(24)}`
const LATER_TIMES = { from_time: hoursFromNow(5), to_time: hoursFromNow(6) }
const createWantedTimes = ({ free, location, user }: Campus) => ({
  bookable_id: free,
  location_id: location,
  user_id: user,
  ...LATER_TIMES,
})
const attendees = (id: number) => [{ type: 'bookable', id: String(id) }]

/**
 * For each endpoint, a request for resources that are in no building or belong to the token. A new endpoint needs an
 * entry here or in REQUESTS_IN_BUILDINGS.
 */
export const REQUESTS_OUTSIDE_BUILDINGS: Record<
  string,
  (campus: Campus, client: Client) => RequestOutsideBuildings | Promise<RequestOutsideBuildings>
> = {
  'GET /me': () => ({ path: 'me' }),
  'GET /me/requests': () => ({ path: 'me/requests' }),
  // test/gateway/api/rest/buildings tests this: a limited token creates no buildings, and a campus has
  // locations.
  'POST /buildings': () => ({ path: 'buildings', body: { name: `New building ${++counter}` } }),
  'DELETE /buildings/{id}': async (_campus, client) => {
    const { json } = await client.post('buildings', { name: `New building ${++counter}` })
    return { path: `buildings/${json.data.id}` }
  },
  'GET /groups': () => ({ path: 'groups' }),
  'POST /groups': () => ({ path: 'groups', body: { name: `New group ${++counter}` } }),
  'GET /groups/{id}': ({ group }) => ({ path: `groups/${group}` }),
  'PATCH /groups/{id}': ({ group }) => ({
    path: `groups/${group}`,
    body: { name: `Changed group ${++counter}` },
  }),
  'DELETE /groups/{id}': ({ group }) => ({ path: `groups/${group}` }),
  'GET /groups/{id}/leads': ({ group }) => ({ path: `groups/${group}/leads` }),
  'PUT /groups/{id}/leads': ({ group }) => ({ path: `groups/${group}/leads`, body: { user_ids: [] } }),
  'GET /groups/{group_id}/team-days': ({ group }) => ({ path: `groups/${group}/team-days` }),
  'POST /groups/{group_id}/team-days': ({ group }) => ({
    path: `groups/${group}/team-days`,
    body: { date: '2100-01-01' },
  }),
  'DELETE /groups/{group_id}/team-days/{team_day_id}': ({ group, teamDay }) => ({
    path: `groups/${group}/team-days/${teamDay}`,
  }),
  'PUT /groups/{id}/members': ({ group, user }) => ({
    path: `groups/${group}/members`,
    body: { user_ids: [user] },
  }),
  'POST /users/{user_id}/vehicles': ({ user }) => ({
    path: `users/${user}/vehicles`,
    body: { license_plate: 'NEW 1' },
  }),
  'PATCH /users/{user_id}/vehicles/{id}': ({ user, vehicle }) => ({
    path: `users/${user}/vehicles/${vehicle}`,
    body: { license_plate: 'NEW 2' },
  }),
  'DELETE /users/{user_id}/vehicles/{id}': ({ user, vehicle }) => ({
    path: `users/${user}/vehicles/${vehicle}`,
  }),
  'GET /users': () => ({ path: 'users?search=ada' }),
  'GET /users/{id}': ({ user }) => ({ path: `users/${user}` }),
  'GET /users/by-email/{user_email}': ({ email }) => ({ path: `users/by-email/${email}` }),
  'GET /users/{user_id}/groups': ({ user }) => ({ path: `users/${user}/groups` }),
  'GET /users/{user_id}/absences': ({ user }) => ({ path: `users/${user}/absences` }),
  'POST /users/{user_id}/absences': ({ user }) => ({
    path: `users/${user}/absences`,
    body: { from: '2100-01-01', to: '2100-01-14' },
  }),
  'DELETE /users/{user_id}/absences/{absence_id}': ({ user, absence }) => ({
    path: `users/${user}/absences/${absence}`,
  }),
  'GET /users/{user_id}/vehicles': ({ user }) => ({ path: `users/${user}/vehicles` }),
  'POST /users': () => ({ path: 'users', body: { name: 'New', email: `new${++counter}@example.com` } }),
  'PATCH /users/{id}': ({ user }) => ({ path: `users/${user}`, body: { name: 'Changed' } }),
  'POST /users/{id}/deactivate': ({ user }) => ({ path: `users/${user}/deactivate` }),
  'POST /users/{id}/restore': ({ user }) => ({ path: `users/${user}/restore` }),
  'POST /users/import': () => {
    const form = new FormData()
    form.set('file', new Blob(['email,name\nada@example.org,Ada\n']), 'users.csv')
    return { path: 'users/import', form }
  },
  'GET /users/export': () => ({ path: 'users/export?format=csv' }),
  'GET /jobs/{id}': async (_campus, client) => ({ path: await exportUsers(client) }),
  'GET /jobs/{id}/file': async (_campus, client) => ({ path: `${await exportUsers(client)}/file` }),
  // test/gateway/api/rest/changes tests this, because the answer depends on what happens.
  'GET /changes': () => ({ path: 'changes' }),
  // A webhook belongs to the buildings of its token.
  'POST /webhooks': () => ({
    path: 'webhooks',
    body: { url: 'https://receiver.example/berth', types: ['booking.created'] },
  }),
  // test/gateway/reads/map tests this: the address replaces a token, and a token has no effect.
  'GET /bookings/{id}/livemap.svg': ({ booking }) => ({ path: `bookings/${booking}/livemap.svg` }),
  // test/gateway/api/rest/calendars tests this: the answer names nothing, and an address gives access to the
  // whole calendar.
  'GET /calendars': ({ user }) => ({ path: `calendars?user_id=${user}` }),
  'GET /calendars/{secret}.ics': () => ({ path: 'calendars/secret.ics' }),
}

/** Requests an export, waits until it is done, and returns its path. */
async function exportUsers(client: Client): Promise<string> {
  const answer = await client.get('users/export?format=csv', { Prefer: 'respond-async' })
  const { pathname } = new URL(answer.headers.get('Location') ?? '')
  return eventually(async () => {
    expect((await client.get(pathname)).json.data.state).to.equal('done')
    return pathname.slice('/api/v1/'.length)
  })
}

/** For each endpoint, a request for resources in a building. */
export const REQUESTS_IN_BUILDINGS: Record<string, (campus: Campus) => CampusRequest> = {
  'GET /users/{user_id}/bookings': ({ user }) => ({
    path: `users/${user}/bookings?${DAY_QUERY}`,
    outside: 'hidden',
  }),
  'GET /users/by-email/{user_email}/bookings': ({ email }) => ({
    path: `users/by-email/${email}/bookings?${DAY_QUERY}`,
    outside: 'hidden',
  }),
  'POST /users/{id}/release-bookings': ({ gone }) => ({
    path: `users/${gone}/release-bookings`,
    outside: 'hidden',
  }),
  'GET /buildings': () => ({ path: 'buildings', outside: 'hidden' }),
  'GET /buildings/{id}': ({ building }) => ({ path: `buildings/${building}` }),
  'PATCH /buildings/{id}': ({ building }) => ({ path: `buildings/${building}`, body: { address: 'New' } }),
  'GET /buildings/{building_id}/bookings': ({ building }) => ({
    path: `buildings/${building}/bookings?${DAY_QUERY}`,
  }),
  'GET /buildings/{id}/rules': ({ building }) => ({ path: `buildings/${building}/rules` }),
  'PUT /buildings/{id}/rules': ({ building }) => ({ path: `buildings/${building}/rules`, body: {} }),
  'GET /locations/{location_id}': ({ location }) => ({ path: `locations/${location}` }),
  'POST /locations': ({ building }) => ({
    path: 'locations',
    body: { building_id: building, name: 'New floor' },
    outside: 422,
  }),
  'PATCH /locations/{location_id}': ({ location }) => ({
    path: `locations/${location}`,
    body: { code: 'NEW' },
  }),
  'DELETE /locations/{location_id}': ({ empty }) => ({ path: `locations/${empty}` }),
  'GET /locations/{location_id}/plan': ({ location }) => ({ path: `locations/${location}/plan` }),
  'GET /locations/{location_id}/bookings': ({ location }) => ({
    path: `locations/${location}/bookings?${DAY_QUERY}`,
  }),
  'GET /locations/{location_id}/bookables': ({ location }) => ({ path: `locations/${location}/bookables` }),
  'GET /locations/{location_id}/bookables/occupancy': ({ location }) => ({
    path: `locations/${location}/bookables/occupancy?details=true`,
  }),
  'GET /locations/{id}/rules': ({ location }) => ({ path: `locations/${location}/rules` }),
  'PUT /locations/{id}/rules': ({ location }) => ({ path: `locations/${location}/rules`, body: {} }),
  'GET /bookables/{id}': ({ desk }) => ({ path: `bookables/${desk}` }),
  'POST /bookables': ({ location }) => ({
    path: 'bookables',
    body: { location_id: location, name: 'New desk', type: 0 },
    outside: 422,
  }),
  'DELETE /bookables/{id}': ({ free }) => ({ path: `bookables/${free}` }),
  'PATCH /bookables/{id}': ({ desk }) => ({ path: `bookables/${desk}`, body: { tags: ['changed'] } }),
  'GET /bookables/{bookable_id}/bookings': ({ desk }) => ({
    path: `bookables/${desk}/bookings?${DAY_QUERY}`,
  }),
  'GET /bookables/{id}/availability': ({ desk }) => ({ path: `bookables/${desk}/availability?${DAY_QUERY}` }),
  'GET /bookables/{bookable_id}/loans': ({ assigned }) => ({ path: `bookables/${assigned}/loans` }),
  'POST /bookables/{bookable_id}/loans': ({ assigned }) => ({
    path: `bookables/${assigned}/loans`,
    body: { from: '2100-01-01', to: '2100-01-14' },
  }),
  'DELETE /bookables/{bookable_id}/loans/{loan_id}': ({ assigned, loan }) => ({
    path: `bookables/${assigned}/loans/${loan}`,
  }),
  'GET /bookables/{bookable_id}/calendar': ({ room }) => ({ path: `bookables/${room}/calendar` }),
  'PUT /bookables/{bookable_id}/calendar': ({ free }) => ({
    path: `bookables/${free}/calendar`,
    body: { provider: 'caldav', calendar: `/rooms/${free}/` },
  }),
  'DELETE /bookables/{bookable_id}/calendar': ({ room }) => ({ path: `bookables/${room}/calendar` }),
  'GET /bookables/{id}/rules': ({ desk }) => ({ path: `bookables/${desk}/rules` }),
  'PUT /bookables/{id}/rules': ({ desk }) => ({ path: `bookables/${desk}/rules`, body: {} }),
  'GET /buildings/{id}/in-the-way': ({ building }) => ({ path: `buildings/${building}/in-the-way` }),
  'GET /locations/{id}/in-the-way': ({ location }) => ({ path: `locations/${location}/in-the-way` }),
  'GET /bookables/{id}/in-the-way': ({ desk }) => ({ path: `bookables/${desk}/in-the-way` }),
  'GET /availability': ({ location }) => ({ path: `availability?location_id=${location}&${DAY_QUERY}` }),
  'POST /free-busy': ({ user }) => ({
    path: 'free-busy',
    body: { user_ids: [user], from: hoursFromNow(0), to: hoursFromNow(24) },
    outside: 'hidden',
  }),
  'GET /bookings': () => ({ path: `bookings?${DAY_QUERY}`, outside: 'hidden' }),
  'POST /bookings': (campus) => ({ path: 'bookings', body: createWantedTimes(campus), outside: 422 }),
  'POST /bookings/batch': (campus) => ({
    path: 'bookings/batch',
    body: { bookings: [createWantedTimes(campus)] },
    outside: 'hidden',
  }),
  'POST /bookings/check': (campus) => ({
    path: 'bookings/check',
    body: createWantedTimes(campus),
    outside: 'hidden',
  }),
  'POST /bookings/series': (campus) => ({
    path: 'bookings/series',
    body: { ...createWantedTimes(campus), repeat: { every: 'day', count: 2 } },
    outside: 422,
  }),
  'GET /bookings/{id}': ({ booking }) => ({ path: `bookings/${booking}` }),
  'GET /bookings/{id}/livemap': ({ booking }) => ({ path: `bookings/${booking}/livemap` }),
  'PUT /bookings/{id}': ({ booking }) => ({
    path: `bookings/${booking}`,
    body: { to_time: hoursFromNow(3) },
  }),
  'PATCH /bookings/{id}': ({ booking }) => ({
    path: `bookings/${booking}`,
    body: { to_time: hoursFromNow(3) },
  }),
  'DELETE /bookings/{id}': ({ booking }) => ({ path: `bookings/${booking}` }),
  'POST /bookings/{id}/check-in': ({ booking }) => ({ path: `bookings/${booking}/check-in` }),
  'POST /bookings/{id}/move': ({ booking, free }) => ({
    path: `bookings/${booking}/move`,
    body: { bookable_id: free },
  }),
  'GET /booking-requests': () => ({ path: 'booking-requests', outside: 'hidden' }),
  'GET /booking-requests/{id}': ({ request }) => ({ path: `booking-requests/${request}` }),
  'POST /booking-requests': ({ guarded, guardedFloor, user }) => ({
    path: 'booking-requests',
    body: { bookable_id: guarded, location_id: guardedFloor, user_id: user, ...LATER_TIMES },
    outside: 422,
  }),
  'POST /booking-requests/{id}/approve': ({ request }) => ({ path: `booking-requests/${request}/approve` }),
  'POST /booking-requests/{id}/decline': ({ request }) => ({
    path: `booking-requests/${request}/decline`,
    body: {},
  }),
  'DELETE /booking-requests/{id}': ({ request }) => ({ path: `booking-requests/${request}` }),
  'GET /series/{id}': ({ series }) => ({ path: `series/${series}` }),
  'DELETE /series/{id}': ({ series }) => ({ path: `series/${series}` }),
  'GET /events': () => ({ path: `events?${DAY_QUERY}`, outside: 'hidden' }),
  'GET /events/today': ({ building }) => ({ path: `events/today?building_id=${building}` }),
  'GET /events/{id}': ({ event }) => ({ path: `events/${event}` }),
  'POST /events': ({ free, user }) => ({
    path: 'events',
    body: { name: 'Meeting', ...LATER_TIMES, organizer_user_id: user, attendees: attendees(free) },
    outside: 422,
  }),
  'POST /events/series': ({ free, user }) => ({
    path: 'events/series',
    body: {
      name: 'Meeting',
      ...LATER_TIMES,
      organizer_user_id: user,
      attendees: attendees(free),
      repeat: { every: 'day', count: 2 },
    },
    outside: 422,
  }),
  'GET /event-series/{id}': ({ meetings }) => ({ path: `event-series/${meetings}` }),
  'DELETE /event-series/{id}': ({ meetings }) => ({ path: `event-series/${meetings}` }),
  'PUT /events/{id}': ({ event, room }) => ({
    path: `events/${event}`,
    body: { name: 'Meeting', to_time: hoursFromNow(3), attendees: attendees(room) },
  }),
  'PATCH /events/{id}': ({ event, room }) => ({
    path: `events/${event}`,
    body: { name: 'Meeting', attendees: attendees(room) },
  }),
  'DELETE /events/{id}': ({ event }) => ({ path: `events/${event}` }),
  'POST /events/{id}/check-in': ({ event }) => ({ path: `events/${event}/check-in` }),
  'POST /events/{id}/answer': ({ event, user }) => ({
    path: `events/${event}/answer`,
    body: { user_id: user, status: 1 },
  }),
  'POST /events/{id}/attendees/{attendee_id}/answer': ({ event, user }) => ({
    path: `events/${event}/attendees/${user}/answer`,
    body: { status: 1 },
  }),
  'POST /calendars': ({ location }) => ({ path: 'calendars', body: { location_id: location }, outside: 422 }),
  'DELETE /calendars/{id}': ({ calendar }) => ({ path: `calendars/${calendar}` }),
  'GET /webhooks': () => ({ path: 'webhooks', outside: 'hidden' }),
  'GET /webhooks/{id}': ({ webhook }) => ({ path: `webhooks/${webhook}` }),
  'PATCH /webhooks/{id}': ({ webhook }) => ({ path: `webhooks/${webhook}`, body: { enabled: false } }),
  'DELETE /webhooks/{id}': ({ webhook }) => ({ path: `webhooks/${webhook}` }),
  'POST /webhooks/{id}/rotate-secret': ({ webhook }) => ({ path: `webhooks/${webhook}/rotate-secret` }),
  'GET /webhooks/{id}/deliveries': ({ webhook }) => ({ path: `webhooks/${webhook}/deliveries` }),
  'GET /webhooks/{id}/deliveries/{delivery_id}': ({ webhook, delivery }) => ({
    path: `webhooks/${webhook}/deliveries/${delivery}`,
  }),
  'POST /webhooks/{id}/deliveries/{delivery_id}/send-again': ({ webhook, delivery }) => ({
    path: `webhooks/${webhook}/deliveries/${delivery}/send-again`,
  }),
  'POST /webhooks/{id}/send-failed': ({ webhook }) => ({
    path: `webhooks/${webhook}/send-failed`,
    body: { since: hoursFromNow(-1) },
  }),
  'POST /webhooks/{id}/test': ({ webhook }) => ({ path: `webhooks/${webhook}/test` }),
}
