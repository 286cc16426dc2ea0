// Validates the constraint on roles for existing administrators.
import { validateConstraint } from './steps/beside-writers.ts'

export const { config, up, down } = validateConstraint('admins', 'admins__role_known')
