// An integrator's program for a person's day: it finds a desk near the window, checks and books it, follows
// its changes, checks in, and loses a booking without a check-in. It is compiled and run like flow.ts.
import createClient from 'openapi-fetch'
import type { operations, paths } from '#berth'

type NewBooking = operations['createBooking']['requestBody']['content']['application/json']

const [baseUrl = '', token = '', email = '', receiver = ''] = process.argv.slice(2)
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } })
const hours = (number: number) => new Date(Date.now() + number * 3_600_000).toISOString()

/** Returns the data of an answer; throws if the answer is an error. */
function getData<Data>({ data, response }: { data?: Data | undefined; response: Response }): Data {
  if (data === undefined) throw new Error(`${response.url}: ${response.status}`)
  return data
}

let after = getData(await api.GET('/api/v1/changes', { params: { query: {} } })).next

/** Follows the change feed until the feed contains the given change of a booking. */
async function waitForChange(action: string, id: number): Promise<void> {
  for (;;) {
    const query = { after, types: 'booking', wait: 10 }
    const { data, next } = getData(await api.GET('/api/v1/changes', { params: { query } }))
    after = next
    if (data.some((change) => change.action === action && change.id === id)) return
  }
}

const hook = getData(await api.POST('/api/v1/webhooks', { body: { url: receiver, types: ['booking.*'] } }))
const anna = getData(
  await api.GET('/api/v1/users/by-email/{user_email}', { params: { path: { user_email: email } } }),
)
const { data: buildings } = getData(await api.GET('/api/v1/buildings'))
const building = buildings[0]
if (!building) throw new Error('There is no building')

/** Finds a free desk near the window that the person may book. */
async function findDesk(from: string, to: string) {
  const near = { building_id: building?.id ?? 0, type: 0 as const, tag: ['window'], user_id: anna.data.id }
  const { data } = getData(
    await api.GET('/api/v1/availability', { params: { query: { ...near, from, to } } }),
  )
  const [desk] = data
  if (!desk) throw new Error('There is no free desk near the window')
  return desk
}

async function book(from: string | undefined, to: string): Promise<number> {
  const desk = await findDesk(from ?? hours(0), to)
  const body: NewBooking = {
    bookable_id: desk.id,
    location_id: desk.location.id,
    user_id: anna.data.id,
    to_time: to,
    ...(from ? { from_time: from } : {}),
  }
  const checked = getData(await api.POST('/api/v1/bookings/check', { body }))
  if (!checked.data.allowed) throw new Error(checked.data.detail)
  const [{ id }] = getData(await api.POST('/api/v1/bookings', { body })).data
  const again = getData(await api.POST('/api/v1/bookings/check', { body }))
  if (again.data.allowed) throw new Error('What is booked is allowed once more')
  await waitForChange('created', id)
  return id
}

const tomorrow = await book(hours(24), hours(26))
const early = await api.POST('/api/v1/bookings/{id}/check-in', { params: { path: { id: tomorrow } } })

const today = await book(undefined, hours(2))
const present = getData(await api.POST('/api/v1/bookings/{id}/check-in', { params: { path: { id: today } } }))
await waitForChange('checked_in', today)

const missed = await book(undefined, hours(2))
console.log(JSON.stringify({ missed }))
await waitForChange('released', missed)
const gone = getData(await api.GET('/api/v1/bookings/{id}', { params: { path: { id: missed } } }))

console.log(
  JSON.stringify({
    tomorrow,
    early: early.error?.code,
    isPresent: present.data.checked_in_at !== null,
    isReleased: gone.data.to !== null && gone.data.to < hours(1),
    secret: hook.data.secret,
  }),
)
