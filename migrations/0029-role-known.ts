// The roles of administrators hold for those that were there before, too.
import { validateConstraint } from './steps/beside-writers.ts'

export const { config, up, down } = validateConstraint('admins', 'admins__role_known')
