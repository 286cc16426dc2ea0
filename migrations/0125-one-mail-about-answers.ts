// Adds an index that allows one waiting mail about the answers to a meeting. Until a worker begins to send this mail,
// it also covers later answers.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'mails__answers_once',
  "mails (user_id, event_id) WHERE kind = 'answer' AND attempts = 0",
  { unique: true },
)
