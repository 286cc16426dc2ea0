// The same program as hey-api.ts, with the client that orval generates.
import * as berth from '#orval'
import { BookableType, type BookingBody, type Change } from '#orval/model'

const [baseUrl = '', token = '', group = ''] = process.argv.slice(2)
const options = { headers: { Authorization: `Bearer ${token}` } }
const to_time = new Date(Date.now() + 3_600_000).toISOString()
// Adds the base URL, because the generated functions contain only paths.
const { fetch: send } = globalThis
globalThis.fetch = (path, init) => send(new URL(String(path), baseUrl), init)

function describeChange(change: Change): string {
  if (change.type === 'booking') return change.data?.bookable.name ?? ''
  return change.type === 'group' ? (change.previous?.name ?? '') : change.type
}

const files = []
for (const format of ['csv', 'xlsx'] as const) {
  const { data } = await berth.exportUsers({ format }, options)
  if (!(data instanceof Blob)) throw new Error('It is no file')
  files.push(Buffer.from(await data.arrayBuffer()).toString('base64'))
}
const query = {
  from: to_time,
  to: to_time,
  building_id: 1,
  type: BookableType.Desk,
  tag: ['window', 'quiet'],
}
const free = await berth.listAvailableBookables(query, options)
const refused = free.status === 422 ? free.data.errors : undefined
const unknown: BookingBody = { bookable_id: 999_999, location_id: 1, user_id: 1, to_time }
const batch = await berth.createBookings({ bookings: [unknown] }, options)
const [item] = batch.status === 200 ? batch.data.data : []
const code = item?.status === 200 ? undefined : item?.code
const start = await berth.listChanges({}, options)
if (start.status !== 200) throw new Error('There is no cursor')
const { status } = await berth.deleteGroup(Number(group), options)
const seen = await berth.listChanges({ after: start.data.next, wait: 10 }, options)
const changes = seen.status === 200 ? seen.data.data.map(describeChange) : []
console.log(JSON.stringify({ files, refused, code, status, changes }))
