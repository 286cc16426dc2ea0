// Sends requests that are refused before any data is read, because of the path, method, token, body or
// invalid HTTP.
import type { Ask } from '../recorder.ts'

const BOOKING = { bookable_id: 1, to_time: '2026-03-10T10:00:00Z', user_id: 1, location_id: 1 }
const WEEK_QUERY = 'from=2026-03-02T00:00:00Z&to=2026-03-09T00:00:00Z'

export async function askRequests(ask: Ask): Promise<void> {
  await askPaths(ask)
  await askTokens(ask)
  await askBodies(ask)
  await askRaw(ask)
}

async function askPaths(ask: Ask): Promise<void> {
  for (const line of [
    'GET nothing',
    'GET users',
    'GET users/1/2',
    'GET bookings//livemap',
    'POST groups',
    'DELETE users/1',
    'PUT bookables/1',
    'OPTIONS bookings',
    'OPTIONS bookings/1',
    'OPTIONS users/export',
    'GET users/import',
    'GET /elsewhere',
    'POST /api/v1/openapi.json',
  ])
    await ask(line)
  await ask('GET nothing', { headers: { Accept: 'application/problem+json' }, note: 'as a problem' })
  await ask('GET nothing', { headers: { Accept: 'text/html' }, note: 'as a page' })
}

async function askTokens(ask: Ask): Promise<void> {
  await ask.as()('GET groups', { note: 'no token' })
  await ask.as()('GET groups', { headers: { Authorization: 'Basic eDp5' }, note: 'not Bearer' })
  await ask.as()('GET groups', { headers: { Authorization: 'Bearer nonsense' }, note: 'no such token' })
  await ask.as()('GET nothing', { note: 'no token' })
  const lines = {
    'user-write': ['GET groups', `GET bookings?${WEEK_QUERY}`, 'GET events/99', 'GET bookings/1/livemap'],
    read: ['GET users/export?format=csv', 'POST users/import', 'PATCH bookables/99', 'POST bookings'],
    'object-write': ['PUT bookings/99', 'PATCH bookings/1', 'DELETE bookings/99', 'POST events'],
    'booking-write': ['PATCH bookables/1', 'GET jobs/1', 'GET users/99'],
  } as const
  for (const ability of ['user-write', 'read', 'object-write', 'booking-write'] as const)
    for (const line of lines[ability]) await ask.as(ability)(line, { note: `with ${ability}` })
  await ask.as('object-write')('PUT events/1', { note: 'with object-write' })
}

async function askBodies(ask: Ask): Promise<void> {
  const json = JSON.stringify(BOOKING)
  const send = (line: string, type: string | undefined, raw: string | Uint8Array, note: string) =>
    ask(line, { raw, note, headers: type === undefined ? {} : { 'Content-Type': type } })
  await send('POST bookings', undefined, Buffer.from(json), 'no content type')
  await send('POST bookings', 'text/plain', json, 'text')
  await send('POST bookings', 'application/json', '{"bookable_id":', 'cut off')
  await send('POST bookings', 'application/json', '', 'empty')
  await send('POST bookings', 'application/json', Buffer.from([0x22, 0xff, 0x22]), 'not UTF-8')
  await send('POST bookings', 'application/json', '[]', 'an array')
  await send('POST bookings', 'application/json', 'null', 'null')
  await send('POST bookings', 'application/json', `"${'x'.repeat(1_100_000)}"`, 'too large')
  await send('POST bookings', 'application/json; charset=utf-8', '{}', 'with a charset')
  await send('POST bookings', 'application/vnd.api+json', '{}', 'another JSON')
  await send('PATCH bookables/99', 'application/merge-patch+json', '{}', 'a merge patch')
  await send('POST users/import', 'application/json', '{}', 'JSON')
  await send('POST users/import', 'multipart/form-data', 'x', 'no boundary')
  await send('POST users/import', 'multipart/form-data; boundary=x', 'nonsense', 'not a form')
}

async function askRaw(ask: Ask): Promise<void> {
  const close = 'Connection: close\r\n\r\n'
  await ask.raw('no HTTP', 'nonsense\r\n\r\n')
  await ask.raw('no Host', `GET /api/v1/groups HTTP/1.1\r\n${close}`)
  await ask.raw('a long address', `GET /api/v1/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: <host>\r\n${close}`)
  await ask.raw('long headers', `GET / HTTP/1.1\r\nHost: <host>\r\nX-A: ${'x'.repeat(20_000)}\r\n${close}`)
  await ask.raw('CONNECT', `CONNECT example.com:443 HTTP/1.1\r\nHost: <host>\r\n${close}`)
  const authorized = 'Host: <host>\r\nAuthorization: Bearer <token>\r\nX-Request-Id: stored-answers\r\n'
  await ask.raw('a path with dots', `GET /api/v1/../v1/groups HTTP/1.1\r\n${authorized}${close}`)
  await ask.raw('no Accept', `GET /api/v1/groups HTTP/1.1\r\n${authorized}${close}`)
}
