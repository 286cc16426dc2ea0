// Requests every listing of the interface, with and without results, in pages and without pages.
import type { Ask } from '../recorder.ts'

const WEEK_QUERY = 'from=2026-03-02T00:00:00Z&to=2026-03-09T00:00:00Z'

const LISTINGS_WITH_RESULTS = [
  'users/1',
  'users/4',
  'users/by-email/ada@EXAMPLE.com',
  'users/by-email/grace+navy%40example.com',
  'groups',
  'buildings',
  'locations/1/bookables',
  'locations/2/bookables',
  'locations/1/bookables/occupancy',
  'locations/1/bookables/occupancy?details=true',
  'locations/1/bookables/occupancy?details=False',
  'events/today?building_id=1',
  'events/today?location_id=1&bookable_id=7',
  'events/today?building_id=2',
  `events?${WEEK_QUERY}`,
  `events?${WEEK_QUERY}&building_id=1&location_id=2`,
  `events?${WEEK_QUERY}&bookable_id=9`,
  'events/1',
  'events/3',
  'bookings/2/livemap',
]

const RANGES_TO_REQUEST = [
  'users/1/bookings',
  'users/by-email/grace+navy@example.com/bookings',
  'buildings/1/bookings',
  'buildings/2/bookings',
  'locations/1/bookings',
  'bookables/1/bookings',
  'bookables/5/bookings',
  'bookings',
]

const UNKNOWN_RESOURCES = [
  'users/3',
  'users/99',
  'users/0',
  'users/-1',
  'users/abc',
  'users/9007199254740992',
  'users/1e3',
  'users/by-email/gone@example.com',
  'users/by-email/nobody',
  `users/3/bookings?${WEEK_QUERY}`,
  `users/by-email/nobody@example.com/bookings?${WEEK_QUERY}`,
  `buildings/99/bookings?${WEEK_QUERY}`,
  `buildings/1/bookings?${WEEK_QUERY}&user_id=1&type=0`,
  `bookings?${WEEK_QUERY}&group_id=1`,
  `bookings?${WEEK_QUERY}&user_id=99`,
  `locations/99/bookings?${WEEK_QUERY}`,
  'locations/99/bookables',
  'locations/99/bookables/occupancy',
  `bookables/10/bookings?${WEEK_QUERY}`,
  'events/99',
  `events?${WEEK_QUERY}&building_id=99`,
  'events/today?bookable_id=99',
  'bookings/99/livemap',
  'bookings/11/livemap',
  'jobs/00000000-0000-4000-8000-000000000001',
  'jobs/1',
  'jobs/00000000-0000-4000-8000-000000000001/file',
]

const INVALID_REQUESTS = [
  'bookings',
  'bookings?from=2026-03-02T00:00:00Z',
  'bookings?from=&to=x',
  'bookings?from=2026-03-02&to=2026-03-03',
  'bookings?from=2026-02-30T00:00:00Z&to=2026-03-03T24:00:00Z',
  'bookings?from=2026-03-03T00:00:00Z&to=2026-03-02T00:00:00Z',
  'bookings?from=2026-03-02T00:00:00Z&to=2026-03-09T00:00:00.000001Z',
  'bookings?from=2027-03-01T00:00:00Z&to=2027-03-03T12:00:00.000001Z',
  'bookings?from=2026-03-02T00:00:00Z&from=2026-03-02T00:00:00Z&to=2026-03-03T00:00:00Z',
  `bookings?${WEEK_QUERY}&limit=0`,
  `bookings?${WEEK_QUERY}&limit=1001`,
  `bookings?${WEEK_QUERY}&limit=ten`,
  `bookings?${WEEK_QUERY}&limit=2&cursor=abc`,
  'events/today',
  'events/today?building_id=x',
  'locations/1/bookables/occupancy?details=maybe',
  'users/export?format=pdf',
  'users/export',
]

const RANGES_TAKEN = [
  'from=2026-03-02T01:00:00%2B01:00&to=2026-03-09T00:00:00.0000009Z',
  'from=2026-03-02T00:00&to=2026-03-09T00:00:00,5 00:30',
  'from=2026-03-02T00:00:00-0000&to=2026-03-02T00:00:00.000001z&extra=1',
  'from=2027-03-01T00:00:00Z&to=2027-03-03T12:00:00Z',
]

export async function askListings(ask: Ask): Promise<void> {
  const paths = [
    ...LISTINGS_WITH_RESULTS,
    ...RANGES_TO_REQUEST.map((path) => `${path}?${WEEK_QUERY}`),
    ...UNKNOWN_RESOURCES,
    ...INVALID_REQUESTS,
    ...RANGES_TAKEN.map((range) => `bookings?${range}`),
  ]
  for (const path of paths) await ask(`GET ${path}`)
  await askPages(ask)
  await askAgain(ask)
}

async function askPages(ask: Ask): Promise<void> {
  for (const path of [`bookings?${WEEK_QUERY}`, 'locations/1/bookables', `events?${WEEK_QUERY}`]) {
    const separator = path.includes('?') ? '&' : '?'
    const { headers } = await ask(`GET ${path}${separator}limit=3`)
    const [, next = ''] = /api\/v1\/([^>]+)>/.exec(headers.get('Link') ?? '') ?? []
    if (next) await ask(`GET ${next}`, { note: 'the next page' })
    if (next) await ask(`GET ${next.replace('limit=3', 'limit=1000')}`, { note: 'with another limit' })
    if (next) await ask(`GET groups?limit=3&${next.replace(/.*&/, '')}`, { note: `a cursor of ${path}` })
  }
}

async function askAgain(ask: Ask): Promise<void> {
  const { headers } = await ask('GET groups', { note: 'for its ETag' })
  const etag = headers.get('ETag') ?? ''
  await ask('GET groups', { headers: { 'If-None-Match': etag }, note: 'unchanged' })
  await ask('GET groups', { headers: { 'If-None-Match': `W/"x", ${etag}` }, note: 'unchanged, of several' })
  await ask('GET groups', { headers: { 'If-None-Match': '"x"' }, note: 'changed' })
  await ask('HEAD groups')
  await ask('HEAD users/1')
  await ask('HEAD users/export?format=csv')
  await ask('GET groups/', { note: 'a slash at the end' })
}
