// Adds an index for the order in which mails are sent: first mails that expire within minutes, then mails that somebody
// is waiting for, then updates about bookings. MAIL_TURN in shared/mail/mail-figures.ts uses the same expression.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'mails__urgency_lookup',
  `mails ((CASE WHEN kind IN ('sign-in', 'offer', 'reminder', 'arrival', 'invitation', 'password') THEN 0
    WHEN booking_ids IS NULL AND month IS NULL THEN 1 ELSE 2 END), next_at)
   WHERE next_at IS NOT NULL AND sent_at IS NULL`,
)
