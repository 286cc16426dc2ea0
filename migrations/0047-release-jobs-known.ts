// Validates the constraint on names for the existing accepted jobs.
import { validateConstraint } from './steps/beside-writers.ts'

export const { config, up, down } = validateConstraint('jobs', 'jobs__name_accepted')
