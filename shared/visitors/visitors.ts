// Visitors: attendees of events who are not users, guests of bookings, and walk-ins. Declares the jobs with which the
// front desk records their arrival.
import { flag, id, object, required, text } from '../schemas/fields.ts'
import { writeJob } from '../schemas/job.ts'

/** One of these ids identifies a visit. A walk-in has only an arrival. */
const visitFields = { attendee_id: id(), booking_id: id(), arrival_id: id() }

export const visitorJobs = {
  'visitors.arrive': writeJob(object({ ...visitFields, mails_host: flag() }), null),
  'visitors.walk-in': writeJob(
    object({
      name: required(text({ max: 255, min: 1 })),
      host_id: required(id()),
      building_id: required(id()),
      mails_host: flag(),
    }),
    null,
  ),
  'visitors.undo-arrival': writeJob(object(visitFields), null),
  'visitors.tell-host': writeJob(object({ ...visitFields, mails_host: flag() }), null),
}
