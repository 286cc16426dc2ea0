// Adds an index for finding a token by its previous secret.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'tokens__previous_hash',
  'tokens (previous_hash) WHERE previous_hash IS NOT NULL',
  { unique: true },
)
