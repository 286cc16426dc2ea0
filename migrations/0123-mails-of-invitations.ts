// Adds an index for finding the mails of an invitation.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'mails__invitation_lookup',
  'mails (invitation_id) WHERE invitation_id IS NOT NULL',
)
