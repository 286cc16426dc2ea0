// Lists planted deviations of a server. The check of each rule must find its deviation.
import type { Change } from '../harness/answer-proxy.ts'
/** Maps each check to a change of an answer that breaks the rule of the check. */
export const PLANTED_DEVIATIONS: Record<string, Change> = {
  'authentication.abilities': ({ path, status }) =>
    path.includes('export') && status === 403 ? { status: 200 } : {},
  'users.get': ({ path, text }) =>
    /users\/\d+$/.test(path) ? { text: text.replace('"name"', '"fullName"') } : {},
  'import.result': ({ path, text }) =>
    path.endsWith('import') ? { text: text.replace('"rows":1', '"rows":2') } : {},
  'import.dry-run': ({ path, status }) =>
    path.includes('by-email/conformance') && status === 404 ? { status: 200 } : {},
  'occupancy.list': ({ path, text }) =>
    path.endsWith('occupancy') ? { text: text.replace('"occupied"', '"booking_next":null,"occupied"') } : {},
  'listing.shape bookings': ({ path, text }) =>
    path.includes('/v1/bookings?') ? { text: text.replaceAll('.000000Z', 'Z') } : {},
  'range.week events': ({ path, status }) =>
    path.includes('/events?') && status === 422 ? { status: 200 } : {},
  'bookables.tags': ({ method, path, text }) =>
    method === 'PATCH' && path.includes('bookables') ? { text: text.replace('"two"', '"Two"') } : {},
  'bookables.status-assigned': ({ method, path, status }) =>
    method === 'PATCH' && path.includes('bookables') && status === 422 ? { status: 200 } : {},
  'events.create': ({ method, path, text }) =>
    method === 'POST' && path.endsWith('events') ? { text: text.replace('"attendees":[', '"people":[') } : {},
  'bookings.create': ({ method, path, text }) =>
    method === 'POST' && path.endsWith('bookings')
      ? { text: text.replace('{"data":[', '{"data":').replace(/\]\}$/, '}') }
      : {},
  'additions.event-patch': ({ method, path, text }) =>
    method === 'PATCH' && path.includes('/events/')
      ? { text: text.replace('"classification":1', '"classification":3') }
      : {},
  'additions.free-busy': ({ path, text }) =>
    path.endsWith('free-busy') ? { text: text.replace('{"from"', '{"name":"Desk 1","from"') } : {},
  'additions.move': ({ path, status }) => (path.endsWith('/move') && status === 409 ? { status: 200 } : {}),
  'additions.filters': ({ path, text }) =>
    path.includes('tag=') ? { text: text.replace('"data":[]', '"data":null') } : {},
  'additions.free-busy-events': ({ path, text }) =>
    path.endsWith('free-busy') ? { text: text.replace(/"taken":\[.*?\]/, '"taken":[]') } : {},
  'additions.free-busy-refused': ({ path, status }) =>
    path.endsWith('free-busy') && status === 422 ? { status: 200 } : {},
  'additions.plan': ({ path, text }) =>
    /locations\/\d+$/.test(path) ? { text: text.replace('"width":40', '"width":41') } : {},
  'additions.plan-etag': ({ path, status }) =>
    path.endsWith('/plan') && status === 304 ? { status: 200 } : {},
  'additions.building-write': ({ method, path, text }) =>
    method === 'PATCH' && path.includes('/buildings/')
      ? { text: text.replace('"Asia/Kathmandu"', '"UTC"') }
      : {},
  'additions.location-write': ({ method, path, text }) =>
    method === 'POST' && path.endsWith('/locations') ? { text: text.replace('"code":"A"', '"code":""') } : {},
  'additions.bookable-write': ({ method, path, text }) =>
    method === 'GET' && /bookables\/\d+$/.test(path)
      ? { text: text.replace('"tags":["three"]', '"tags":["two","one","three"]') }
      : {},
  'additions.place-refused': ({ path, status }) =>
    path.endsWith('/bookables') && status === 422 ? { status: 200 } : {},
  'additions.place-delete': ({ method, path, status }) =>
    method === 'DELETE' && path.includes('/buildings/') && status === 409 ? { status: 204, text: '' } : {},
  'additions.place-if-match': ({ path, status }) =>
    path.includes('/locations/') && status === 412 ? { status: 200 } : {},
  'additions.place-limited': ({ method, path, status }) =>
    method === 'DELETE' && path.includes('/locations/') && status === 404 ? { status: 409 } : {},
  'additions.place-abilities': ({ method, status }) =>
    method === 'PATCH' && status === 403 ? { status: 200 } : {},
  'additions.in-the-way refuse': ({ path, text }) =>
    path.includes('in_the_way=refuse') ? { text: text.replace('"type":"booking"', '"type":"event"') } : {},
  'additions.in-the-way release': ({ path, text }) =>
    /events\/\d+$/.test(path) ? { text: text.replace('"status":1', '"status":2') } : {},
  'additions.in-the-way move': ({ method, path, text }) =>
    method === 'GET' && /bookings\/\d+$/.test(path)
      ? { text: text.replace(/"bookable":\{"id":\d+/, '"bookable":{"id":0') }
      : {},
  'additions.user-lifecycle': ({ path, status }) =>
    path.includes('by-email/') && status === 404 ? { status: 200 } : {},
  'additions.user-write': ({ path, status }) =>
    path.includes('/users/') && status === 412 ? { status: 200 } : {},
  'bookings.delete': ({ method, status }) => (method === 'DELETE' && status === 204 ? { status: 200 } : {}),
}
