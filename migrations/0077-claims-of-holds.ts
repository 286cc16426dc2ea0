// Adds an index for finding the claim of a hold. A hold has at most one claim.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'bookings__hold_once',
  'bookings (hold_id) WHERE hold_id IS NOT NULL',
  { unique: true },
)
