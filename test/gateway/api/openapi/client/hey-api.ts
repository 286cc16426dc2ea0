// An integrator's program with the client that @hey-api/openapi-ts generates. generators.test.ts compiles and
// runs it.

import * as berth from '#hey-api'
import { createClient } from '#hey-api/client'

const [baseUrl = '', token = '', group = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, auth: () => token })
const given = { client, throwOnError: true } as const
const to_time = new Date(Date.now() + 3_600_000).toISOString()

/** Describes a change. The type of the change determines the type of its data. */
function describeChange(change: berth.Change): string {
  if (change.type === 'booking') return change.data?.bookable.name ?? ''
  return change.type === 'group' ? (change.previous?.name ?? '') : change.type
}

const files = []
for (const format of ['csv', 'xlsx'] as const) {
  // The generated client reads text/csv as text by default, whatever type the document declares.
  const { data } = await berth.exportUsers({ ...given, query: { format }, parseAs: 'blob' })
  if (!(data instanceof Blob)) throw new Error('It is no file')
  files.push(Buffer.from(await data.arrayBuffer()).toString('base64'))
}
const type: berth.BookableType = 0
const query = { from: to_time, to: to_time, building_id: 1, type, tag: ['window', 'quiet'] }
const free = await berth.listAvailableBookables({ client, query })
const unknown: berth.BookingBody = { bookable_id: 999_999, location_id: 1, user_id: 1, to_time }
const [item] = (await berth.createBookings({ ...given, body: { bookings: [unknown] } })).data.data
const code: berth.RefusalCode | undefined = item?.status === 200 ? undefined : item?.code
const { data: start } = await berth.listChanges(given)
const deleted = await berth.deleteGroup({ ...given, path: { id: Number(group) } })
const seen = await berth.listChanges({ ...given, query: { after: start.next, wait: 10 } })
const changes = seen.data.data.map(describeChange)
console.log(
  JSON.stringify({ files, refused: free.error?.errors, code, status: deleted.response.status, changes }),
)
