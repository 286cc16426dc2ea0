// Validates the foreign key to series for existing bookings, which have none.
import { validateConstraint } from './steps/beside-writers.ts'

export const { config, up, down } = validateConstraint('bookings', 'bookings__series')
