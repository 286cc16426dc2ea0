// Records the arrivals of visitors and notifies their hosts. Every write can be repeated: only the first arrival time
// counts, and each arrival causes at most one mail.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { queueArrivalMail } from '../../pollers/mail/mails.ts'
import type { Handlers, Write } from '../../runtime/write.ts'

type Visit = InputOf<'visitors.undo-arrival'>
/** The data that the audit log stores about an arrival. It contains nothing about the visitor. */
type VisitContext = { event_id?: number; booking_id?: number; building_id?: number }
type Arrival = { id: number; told: boolean }

export const visitorHandlers: Handlers<`visitors.${string}`> = {
  async 'visitors.arrive'(write, { mails_host, ...visit }) {
    const about = await lockVisit(write, visit)
    const arrival = await write.first<{ id: number }>(
      `INSERT INTO arrivals (attendee_id, booking_id, arrived_at) VALUES (?, ?, ?)
       ON CONFLICT DO NOTHING RETURNING id`,
      [visit.attendee_id ?? null, visit.booking_id ?? null, write.now],
    )
    if (!arrival) return null
    if (mails_host) await queueArrivalMail(write.trx, arrival.id)
    await write.audit({ action: 'visitors.arrive', id: arrival.id, after: about })
    return null
  },

  async 'visitors.walk-in'(write, { name, host_id, building_id, mails_host }) {
    await write.requireRow(
      'SELECT FROM users WHERE id = ? AND deactivated_at IS NULL FOR KEY SHARE',
      [host_id],
      message`There is no active person with this id.`,
    )
    await write.requireRow(
      'SELECT FROM buildings WHERE id = ? FOR KEY SHARE',
      [building_id],
      message`This building does not exist.`,
    )
    const { id } = await write.only<{ id: number }>(
      'INSERT INTO arrivals (visitor_name, host_id, building_id, arrived_at) VALUES (?, ?, ?, ?) RETURNING id',
      [name, host_id, building_id, write.now],
    )
    if (mails_host) await queueArrivalMail(write.trx, id)
    await write.audit({ action: 'visitors.walk-in', id, after: { building_id } })
    return null
  },

  async 'visitors.undo-arrival'(write, visit) {
    const about = await lockVisit(write, visit)
    const arrival = await lockArrival(write, visit)
    if (!arrival) return null
    await write.run('DELETE FROM arrivals WHERE id = ?', [arrival.id])
    await write.audit({ action: 'visitors.undo-arrival', id: arrival.id, after: about })
    return null
  },

  async 'visitors.tell-host'(write, { mails_host, ...visit }) {
    const about = await lockVisit(write, visit)
    const arrival = await lockArrival(write, visit)
    if (!arrival) throw new Refusal('not_found', message`This visitor has not arrived.`)
    if (arrival.told) return null
    if (mails_host) await queueArrivalMail(write.trx, arrival.id)
    else
      await write.run('UPDATE arrivals SET host_told_at = ?, host_told_by = ? WHERE id = ?', [
        write.now,
        write.actor.type === 'admin' ? write.actor.id : null,
        arrival.id,
      ])
    await write.audit({ action: 'visitors.tell-host', id: arrival.id, after: about })
    return null
  },
}

// Locks the row in the same way as a foreign key, so that the event or booking exists until the write ends.
function lockVisit(write: Write, { attendee_id, booking_id, arrival_id }: Visit): Promise<VisitContext> {
  const missing = message`This visitor is no longer expected.`
  if (arrival_id !== undefined)
    return write.requireRow<VisitContext>(
      'SELECT building_id FROM arrivals WHERE id = ? AND host_id IS NOT NULL FOR KEY SHARE',
      [arrival_id],
      missing,
    )
  return attendee_id === undefined
    ? write.requireRow<VisitContext>(
        `SELECT id AS booking_id FROM bookings WHERE id = ? AND coalesce(guest_name, guest_email) IS NOT NULL
         FOR KEY SHARE`,
        [booking_id ?? null],
        missing,
      )
    : write.requireRow<VisitContext>(
        'SELECT event_id FROM event_attendees WHERE id = ? AND email IS NOT NULL FOR KEY SHARE',
        [attendee_id],
        missing,
      )
}

const lockArrival = (write: Write, { attendee_id, booking_id, arrival_id }: Visit) =>
  write.first<Arrival>(
    `SELECT id, host_told_at IS NOT NULL OR EXISTS (SELECT FROM mails WHERE arrival_id = arrivals.id AND sent_at IS NOT NULL)
       AS told
     FROM arrivals WHERE attendee_id = ? OR booking_id = ? OR id = ? FOR UPDATE`,
    [attendee_id ?? null, booking_id ?? null, arrival_id ?? null],
  )
