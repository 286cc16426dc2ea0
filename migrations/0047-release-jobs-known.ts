// Validates the constraint on the names of jobs for existing accepted jobs.
import { validateConstraint } from './steps/beside-writers.ts'

export const { config, up, down } = validateConstraint('jobs', 'jobs__name_accepted')
