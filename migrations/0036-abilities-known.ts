// Validates the constraint on abilities for existing tokens.
import { validateConstraint } from './steps/beside-writers.ts'

export const { config, up, down } = validateConstraint('tokens', 'tokens__abilities_known')
