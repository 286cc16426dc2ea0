// Changes the fields and the status of bookables.
import type { Ask } from '../recorder.ts'

const ACCEPTED_CHANGES: unknown[] = [
  {},
  { name: '  Desk One  ', description: null },
  { status: 1 },
  { status: 1, unknown: true },
  { status: 0, tags: ['b', 'a', 'b'] },
  { tags: [] },
  { description: 'By the window' },
]

const REFUSED_CHANGES: unknown[] = [
  { name: '' },
  { name: null },
  { name: 7, status: '0', tags: 'a', description: 1 },
  { status: 2 },
  { status: 0.5 },
  { name: 'x'.repeat(256), tags: ['', 'y'.repeat(256), 3] },
  { tags: Array.from({ length: 101 }, (_, index) => `tag ${index}`) },
  { name: 'a\u0000b' },
]

export async function askBookables(ask: Ask): Promise<void> {
  for (const body of [...ACCEPTED_CHANGES, ...REFUSED_CHANGES])
    await ask('PATCH bookables/1', { body, note: JSON.stringify(body).slice(0, 80) })
  await ask('PATCH bookables/3', { body: { status: 0 }, note: 'assigned' })
  await ask('PATCH bookables/3', { body: { name: 'Desk three' }, note: 'assigned, its name' })
  await ask('PATCH bookables/10', { body: { name: 'x' }, note: 'deleted' })
  await ask('PATCH bookables/99', { body: { name: '' }, note: 'unknown and invalid' })
  await ask('GET bookables/9')
  await ask('GET bookables/9/calendar')
  const calendar = { provider: 'google', calendar: 'alster@rooms.example.com' }
  await ask('PUT bookables/9/calendar', { body: calendar, note: 'without settings' })
  await ask('PUT bookables/9/calendar', { body: { provider: 'outlook', names: 'some' }, note: 'invalid' })
  await ask('DELETE bookables/9/calendar')
  const once = { body: { tags: ['once'] }, headers: { 'Idempotency-Key': 'bookables-1' } }
  await ask('PATCH bookables/4', { ...once, note: 'with a key' })
  await ask('PATCH bookables/4', { ...once, note: 'again' })
  await ask('PATCH bookables/4', { ...once, body: { tags: ['twice'] }, note: 'another with the key' })
  await ask('PATCH bookables/4', { ...once, headers: { 'Idempotency-Key': '' }, note: 'an empty key' })
}
