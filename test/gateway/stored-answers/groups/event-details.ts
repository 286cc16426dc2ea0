// Reads events with details, and changes some fields of an event.
import type { Ask } from '../recorder.ts'

export async function askEventDetails(ask: Ask): Promise<void> {
  const room = { type: 'bookable', id: 9 }
  await ask('GET events/5?include=details')
  await ask('GET events/today?building_id=1&include=details')
  await ask('PATCH events/5?include=details', {
    body: { name: 'Patched', attendees: { add: [room, { type: 'user', id: 2 }] } },
    note: 'only a name, and two more',
  })
  await ask('PATCH events/5', { body: { attendees: { remove: [2, room] } }, note: 'without them' })
  await ask('PATCH events/5', { body: { attendees: { remove: [2] } }, note: 'nobody who is there' })
  await ask('PATCH events/5', { body: {}, note: 'nothing' })
  await ask('PATCH events/3', { body: { name: 'Again' }, note: 'a cancelled one' })
  await ask('GET users/1/groups')
}
