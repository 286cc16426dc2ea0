// Adds an index that allows one waiting mail for each invitation. Until a worker begins to send this mail, it also
// covers later changes of the meeting.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'mails__invitation_once',
  "mails (invitation_id) WHERE kind = 'meeting' AND attempts = 0",
  { unique: true },
)
