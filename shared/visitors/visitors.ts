// Visitors: attendees of events with only an e-mail, guests of bookings, and those whom nobody announced. The jobs of the front desk when they arrive.
import { flag, id, object, required, text } from '../schemas/fields.ts'
import { write } from '../schemas/job.ts'

/** One of them; that of a visitor whom nobody announced is their arrival. */
const visit = { attendee_id: id(), booking_id: id(), arrival_id: id() }

export const visitorJobs = {
  'visitors.arrive': write(object({ ...visit, mails_host: flag() }), null),
  'visitors.walk-in': write(
    object({
      name: required(text({ max: 255, min: 1 })),
      host_id: required(id()),
      building_id: required(id()),
      mails_host: flag(),
    }),
    null,
  ),
  'visitors.undo-arrival': write(object(visit), null),
  'visitors.tell-host': write(object({ ...visit, mails_host: flag() }), null),
}
