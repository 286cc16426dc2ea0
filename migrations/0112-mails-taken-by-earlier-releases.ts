// Adds an index for finding mails that a process of an earlier release has picked up.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'mails__taken_lookup',
  'mails (next_at) WHERE attempts <> taken_attempts AND sent_at IS NULL',
)
