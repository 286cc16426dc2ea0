// Index for the order in which mails leave: those that expire within minutes, those that somebody waits for, and news of bookings. As in
// workers/pollers/mail/due-mails.ts.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'mails__urgency_lookup',
  `mails ((CASE WHEN kind IN ('sign-in', 'offer', 'reminder', 'arrival', 'invitation', 'password') THEN 0
    WHEN booking_ids IS NULL AND month IS NULL THEN 1 ELSE 2 END), next_at)
   WHERE next_at IS NOT NULL AND sent_at IS NULL`,
)
