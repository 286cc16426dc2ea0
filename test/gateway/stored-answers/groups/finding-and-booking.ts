// What Berth offers for finding and booking, beyond the interface.
import type { Ask } from '../recorder.ts'

export async function askFindingAndBooking(ask: Ask): Promise<void> {
  await ask('GET bookings/3')
  await ask('GET bookings/5')
  await ask('GET bookings/11', { note: 'the room of an event' })
  await ask('GET bookings/none')
}
