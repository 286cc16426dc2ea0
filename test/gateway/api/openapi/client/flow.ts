// An integrator's program, which uses the types that openapi-typescript generates from the document.
// generated-client.test.ts compiles and runs it. The program imports nothing from Berth.
import createClient from 'openapi-fetch'
import type { components, paths } from '#berth'

type Booking = components['schemas']['BookingDetails']

const [baseUrl = '', token = '', email = ''] = process.argv.slice(2)
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } })
const hours = (number: number) => new Date(Date.now() + number * 3_600_000).toISOString()

/** Returns the data of an answer; throws if there is none. */
function getData<Data>({ data, response }: { data?: Data | undefined; response: Response }): Data {
  if (data === undefined) throw new Error(`${response.url}: ${response.status}`)
  return data
}

const me = getData(await api.GET('/api/v1/me'))
const user = getData(
  await api.GET('/api/v1/users/by-email/{user_email}', { params: { path: { user_email: email } } }),
)
const { data: buildings } = getData(await api.GET('/api/v1/buildings'))
const location = buildings[0]?.locations[0]
if (!location) throw new Error('There is no location')

const place = { params: { path: { location_id: location.id } } }
const { data: bookables } = getData(await api.GET('/api/v1/locations/{location_id}/bookables', place))
const { data: occupancy } = getData(
  await api.GET('/api/v1/locations/{location_id}/bookables/occupancy', place),
)
const taken = new Set(occupancy.filter(({ occupied }) => occupied).map(({ name }) => name))
const desk = bookables.find(
  ({ name, type, status, tags }) => type === 0 && status === 0 && tags.includes('window') && !taken.has(name),
)
if (!desk) throw new Error('There is no desk at a window')

const body = {
  bookable_id: desk.id,
  location_id: location.id,
  user_id: user.data.id,
  from_time: hours(24),
  to_time: hours(26),
}
const booked = getData(await api.POST('/api/v1/bookings', { body }))
const [{ id }] = booked.data
const params = { path: { id } }

const refused = await api.POST('/api/v1/bookings', { body })
if (refused.error?.code !== 'booking_conflict') throw new Error('It was booked twice')

const found = await api.GET('/api/v1/bookings/{id}', { params })
const before: Booking = getData(found).data
const etag = found.response.headers.get('ETag') ?? ''
const change = { params: { ...params, header: { 'If-Match': etag } }, body: { to_time: hours(27) } }
const changed = getData(await api.PATCH('/api/v1/bookings/{id}', change))
const late = await api.PATCH('/api/v1/bookings/{id}', change)
if (late.error?.code !== 'precondition_failed') throw new Error('A change was written over')

const range = { query: { from: hours(0), to: hours(48) }, path: { user_id: user.data.id } }
const listed = getData(await api.GET('/api/v1/users/{user_id}/bookings', { params: range }))
const deleted = await api.DELETE('/api/v1/bookings/{id}', { params })

console.log(
  JSON.stringify({
    token: me.data.name,
    desk: desk.name,
    isLonger: changed.data.to !== before.to,
    isListed: listed.data.some((each) => each.id === id),
    deleted: deleted.response.status,
  }),
)
