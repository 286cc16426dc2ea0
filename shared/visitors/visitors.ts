// Visitors: attendees of events with only an e-mail, and guests of bookings. The jobs of the front desk when they arrive.
import { flag, id, object } from '../schemas/fields.ts'
import { write } from '../schemas/job.ts'

/** One of the two. */
const visit = { attendee_id: id(), booking_id: id() }

export const visitorJobs = {
  'visitors.arrive': write(object({ ...visit, mails_host: flag() }), null),
  'visitors.undo-arrival': write(object(visit), null),
  'visitors.tell-host': write(object({ ...visit, mails_host: flag() }), null),
}
