// The names of accepted jobs hold for those that were there before, too.
import { validateConstraint } from './steps/beside-writers.ts'

export const { config, up, down } = validateConstraint('jobs', 'jobs__name_accepted')
